//! The catalog of served agents.

use crate::sample::agent;
use baton_types::{AgentListing, AgentResources, AgentSpec, ModelSpec};
use baton_wire::catalog::AiCatalog;

fn pretty(catalog: &AiCatalog) -> String {
    serde_json::to_string_pretty(catalog).unwrap()
}

#[test]
fn catalog_identifies_agents_by_domain_or_card() {
    let travel = AgentSpec { name: "travel".into(), title: "Travel".into(), skills: Vec::new(), ..agent() };
    let agents = [agent(), travel].map(|agent| AgentListing::from_agent(&agent, &AgentResources::default()));
    let public = AiCatalog::from_agents("Example", "https://agents.example.com", &agents);
    let local = AiCatalog::from_agents("Baton", "http://127.0.0.1:8700", &agents[..1]);
    for catalog in [&public, &local] {
        assert_eq!(&serde_json::from_str::<AiCatalog>(&pretty(catalog)).unwrap(), catalog);
    }
    insta::assert_snapshot!([pretty(&public), pretty(&local)].join("\n"));
}

#[test]
fn listed_peer_agents_are_in_the_catalog() {
    let peer_agent = |name: &str, listed| {
        let model = ModelSpec::Peer { url: "https://elsewhere.example.com".into(), listed };
        AgentSpec { name: name.into(), model, ..agent() }
    };
    let agents = [agent(), peer_agent("shown", true), peer_agent("hidden", false)];
    let agents = agents.map(|agent| AgentListing::from_agent(&agent, &AgentResources::default()));
    let catalog = AiCatalog::from_agents("Baton", "http://127.0.0.1:8700", &agents);
    let names: Vec<&str> = catalog.entries.iter().map(|entry| entry.url.as_deref().unwrap_or_default()).collect();
    let card = |name: &str| format!("http://127.0.0.1:8700/agents/{name}/.well-known/agent-card.json");
    assert_eq!(names, [card(agent().name.as_str()), card("shown")]);
}
