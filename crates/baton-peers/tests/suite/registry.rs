//! The peer registry: persistence across restarts, unique names, cards of unreachable peers.

use crate::{
    fake::{Kind, Script, Server},
    fixtures::{ScriptedConnector, capabilities, peer_request},
};
use baton_peers::{
    CardReadOutcome, Credential, FetchedCard, LocalPeerRegistry, PeerConfig, PeerConnector, PeerHub, PeerInterface,
    PeerRegistryOptions,
};
use baton_ports::{AgentSource, BoxFuture, NewPeer, PeerError, PeerGateway as _, PeerRegistry as _, PeerRegistryError};
use baton_types::{AgentName, AgentSpec, ErrorCode, McpTransport, ModelSpec};
use baton_wire::a2a::v1::{AgentCard, AgentSkill};
use parking_lot::Mutex;
use std::{future::ready, path::Path, sync::Arc, time::Duration};

/// Serves a scripted card; without a card, the peer is unreachable.
#[derive(Default)]
struct CardConnector {
    card: Mutex<Option<AgentCard>>,
    reads: Mutex<Vec<Option<String>>>,
}

impl PeerConnector for CardConnector {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>> {
        let etag = last.and_then(|last| last.etag.clone());
        self.reads.lock().push(etag.clone());
        let url = format!("{}/.well-known/agent-card.json", config.url);
        Box::pin(ready(match self.card.lock().clone() {
            None => Err(PeerRegistryError { code: ErrorCode::PEER_UNREACHABLE, detail: "nobody is there".to_owned() }),
            Some(card) if etag.as_ref() == Some(&card.version) => Ok(CardReadOutcome::Unchanged),
            Some(card) => {
                let etag = Some(card.version.clone());
                Ok(CardReadOutcome::Read(Box::new(FetchedCard { card, url, etag, signed_by: Some("key".to_owned()) })))
            }
        }))
    }

    fn bind(&self, config: &PeerConfig, _: &AgentCard) -> Result<PeerInterface, PeerRegistryError> {
        let server = Server::new(Kind::Snapshot, Script::short());
        let can = capabilities(Kind::Snapshot);
        ScriptedConnector { server, capabilities: can, name: String::new() }.bind(config, &AgentCard::default())
    }
}

fn card(name: &str, version: &str) -> AgentCard {
    let skill = AgentSkill { id: "s".to_owned(), name: "Skill".to_owned(), ..AgentSkill::default() };
    AgentCard {
        name: name.to_owned(),
        description: "Knows the weather.\u{202e}".to_owned(),
        version: version.to_owned(),
        default_input_modes: vec!["image/png".to_owned()],
        skills: vec![skill],
        ..AgentCard::default()
    }
}

/// An agent source with one local agent.
struct LocalAgents;

impl AgentSource for LocalAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        Vec::new()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        let spec = LocalPeerRegistry::open(PeerRegistryOptions {
            configured: vec![PeerConfig { name: Some("local".into()), ..PeerConfig::at("https://x.example") }],
            file: None,
            locals: None,
            connector: Arc::new(CardConnector::default()),
        });
        spec.ok()?.agents().into_iter().find(|agent| agent.name == *name)
    }
}

fn open(
    file: &Path,
    configured: Vec<PeerConfig>,
    reach: &Arc<CardConnector>,
) -> Result<LocalPeerRegistry, PeerRegistryError> {
    let reach = Arc::clone(reach) as Arc<dyn PeerConnector>;
    LocalPeerRegistry::open(PeerRegistryOptions {
        configured,
        file: Some(file.to_owned()),
        locals: Some(Arc::new(LocalAgents)),
        connector: reach,
    })
}

fn new_peer(url: &str) -> NewPeer {
    NewPeer { url: url.to_owned(), ..NewPeer::default() }
}

#[tokio::test]
async fn added_peers_survive_restart_without_network() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("peers.json");
    let reach = Arc::new(CardConnector::default());
    *reach.card.lock() = Some(card("Weather Agent", "7"));
    let registry = open(&file, vec![], &reach).expect("a registry");
    let token = directory.path().join("token");
    std::fs::write(&token, "hunter2").expect("written");
    let bearer = format!("file://{}", token.display());
    let peer = NewPeer { listed: true, bearer: Some(bearer.clone()), ..new_peer("https://weather.example") };
    let known = registry.add(peer).await.expect("added");
    assert_eq!(known.agent.name.as_str(), "weather-agent");
    assert_eq!(known.agent.title, "Weather Agent");
    assert_eq!(known.agent.description, "Knows the weather.");
    assert_eq!(known.agent.input_modes, ["image/png"]);
    assert_eq!(known.agent.limits.deadline, Duration::from_secs(3600));
    assert_eq!(known.agent.model, ModelSpec::Peer { url: "https://weather.example".to_owned(), listed: true });
    assert_eq!(
        (known.protocol.as_str(), known.signed_by.as_deref(), known.configured),
        ("JSONRPC 1.0", Some("key"), false)
    );

    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).expect("a file").permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    let stored = std::fs::read_to_string(&file).expect("text");
    assert!(stored.contains(&bearer) && !stored.contains("hunter2"), "{stored}");

    *reach.card.lock() = None;
    let again = open(&file, vec![], &reach).expect("the same registry");
    assert_eq!(again.agents(), registry.agents());
    let (_, config) = again.client(&"weather-agent".into()).await.expect("a client");
    assert_eq!(config.credential, Credential::Bearer(bearer.parse().expect("a reference")));
    assert_eq!(reach.reads.lock().len(), 1, "the card was read once");

    again.remove(&"weather-agent".into()).await.expect("removed");
    assert!(again.agents().is_empty() && open(&file, vec![], &reach).expect("a registry").agents().is_empty());
    assert_eq!(again.remove(&"weather-agent".into()).await.expect_err("gone").code, ErrorCode::AGENT_NOT_FOUND);
}

#[tokio::test]
async fn duplicate_names_are_rejected() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("peers.json");
    let reach = Arc::new(CardConnector::default());
    *reach.card.lock() = Some(card("Weather", "1"));
    let configured = PeerConfig { name: Some("fixed".into()), ..PeerConfig::at("https://fixed.example") };
    let registry = open(&file, vec![configured.clone()], &reach).expect("a registry");
    registry.add(new_peer("https://one.example")).await.expect("added");
    let named = |name: &str| NewPeer { name: Some(name.into()), ..new_peer("https://two.example") };
    for (peer, code) in [
        (new_peer("https://two.example"), baton_peers::error_codes::ALREADY_EXISTS),
        (named("weather"), baton_peers::error_codes::ALREADY_EXISTS),
        (named("local"), baton_peers::error_codes::ALREADY_EXISTS),
        (named("fixed"), baton_peers::error_codes::ALREADY_EXISTS),
        (named("Not A Name"), ErrorCode::INVALID_REQUEST),
        (NewPeer { bearer: Some("hunter2".to_owned()), ..named("w") }, ErrorCode::CONFIG_INVALID),
        (NewPeer { bearer: Some("env://BATON_TEST_NOT_SET".to_owned()), ..named("w") }, ErrorCode::SECRET_MISSING),
    ] {
        assert_eq!(registry.add(peer.clone()).await.expect_err("refused").code, code, "{peer:?}");
    }
    assert_eq!(registry.remove(&"fixed".into()).await.expect_err("configured").code, ErrorCode::INVALID_REQUEST);
    let names: Vec<_> = registry.peers().into_iter().map(|peer| peer.agent.name.to_string()).collect();
    assert_eq!(names, ["fixed", "weather"]);
    let twice = open(&file, vec![configured.clone(), configured], &reach);
    assert_eq!(twice.err().map(|error| error.code), Some(ErrorCode::CONFIG_INVALID));
}

#[tokio::test]
async fn cards_are_refreshed_and_cached_while_the_peer_is_away() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("peers.json");
    let reach = Arc::new(CardConnector::default());
    let named = PeerConfig { name: Some("fixed".into()), ..PeerConfig::at("https://fixed.example") };
    let nameless = PeerConfig::at("https://nameless.example");
    let registry = Arc::new(open(&file, vec![named.clone(), nameless.clone()], &reach).expect("a registry"));
    let titles =
        |registry: &LocalPeerRegistry| registry.agents().iter().map(|agent| agent.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles(&registry), ["fixed"], "listed before the card was read");
    let hub = PeerHub::new(Arc::clone(&registry), None);
    let asked = hub.send_message(&"fixed".into(), peer_request("hello")).await.err();
    assert!(matches!(asked, Some(PeerError::Unreachable { code: ErrorCode::PEER_UNREACHABLE, .. })), "{asked:?}");
    let asked = hub.send_message(&"nobody".into(), peer_request("hello")).await.err();
    assert!(matches!(asked, Some(PeerError::Unreachable { code: ErrorCode::AGENT_NOT_FOUND, .. })), "{asked:?}");

    *reach.card.lock() = Some(card("First", "1"));
    let _ = registry.refresh_all().await;
    assert_eq!(titles(&registry), ["First", "First"]);
    assert!(registry.peer(&"first".into()).is_some_and(|peer| peer.configured), "named by its card");
    *reach.card.lock() = Some(card("Second", "2"));
    let _ = registry.refresh_all().await;
    assert_eq!(titles(&registry), ["Second", "Second"], "names are stable, titles change");
    let _ = registry.refresh_all().await;
    assert_eq!(
        reach.reads.lock().last().cloned().flatten().as_deref(),
        Some("2"),
        "the request contains the last etag"
    );
    *reach.card.lock() = None;
    let _ = registry.refresh_all().await;
    assert_eq!(titles(&registry), ["Second", "Second"]);

    let again = open(&file, vec![named.clone(), nameless], &reach).expect("the same registry");
    assert_eq!(again.agents(), registry.agents());
    // A change of trusted keys or hosts invalidates the cached card.
    let other_keys = PeerConfig { signers: vec!["thumbprint".to_owned()], ..named.clone() };
    let other_hosts = PeerConfig { hosts: vec!["elsewhere.example".to_owned()], ..named };
    for stricter in [other_keys, other_hosts] {
        assert_eq!(titles(&open(&file, vec![stricter], &reach).expect("a registry")), ["fixed"]);
    }
}

#[tokio::test]
async fn unwritable_file_changes_nothing_and_corrupt_file_is_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let reach = Arc::new(CardConnector::default());
    *reach.card.lock() = Some(card("Weather", "1"));
    let nowhere = directory.path().join("missing").join("peers.json");
    let registry = open(&nowhere, vec![], &reach).expect("an empty registry");
    let error = registry.add(new_peer("https://one.example")).await.expect_err("it cannot be kept");
    assert_eq!(error.code, baton_ports::error_codes::JOURNAL_UNAVAILABLE);
    assert!(registry.agents().is_empty());

    let broken = directory.path().join("peers.json");
    std::fs::write(&broken, "{").expect("written");
    assert!(open(&broken, vec![], &reach).is_err_and(|error| error.detail.contains("peers.json")));
}

#[tokio::test]
async fn referenced_peers_exist_while_referenced_and_are_not_persisted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, reach) = (folder.path().join("peers.json"), Arc::new(CardConnector::default()));
    *reach.card.lock() = Some(card("Weather", "1"));
    let own = PeerConfig { name: Some("own".into()), push: true, ..PeerConfig::at("https://own.example/") };
    let registry = open(&file, vec![own], &reach).unwrap();
    let named = |name: &str, url: &str| PeerConfig { name: Some(name.into()), ..PeerConfig::at(url) };
    let urls = || {
        let known = ["alias", "away", "own", "Not A Name"].into_iter().filter_map(|name| registry.agent(&name.into()));
        known.map(|agent| format!("{} {}", agent.name, agent.model.peer_url().unwrap())).collect::<Vec<_>>()
    };
    registry.set_referenced([
        named("away", "https://a.example"),
        named("away", "https://second.example"),
        named("Not A Name", "https://b.example"),
        named("own", "https://hidden.example"),
        named("alias", "https://own.example"),
    ]);
    assert_eq!(urls(), ["alias https://own.example/", "away https://a.example", "own https://own.example/"]);
    let listed: Vec<_> = registry.agents().iter().map(|agent| agent.name.to_string()).collect();
    assert_eq!(listed, ["own"], "referenced peers are not listed");
    // A configured peer is also reachable under an alias.
    assert!(registry.client(&"alias".into()).await.unwrap().1.push);
    registry.client(&"away".into()).await.unwrap();
    assert_eq!(registry.agent(&"away".into()).unwrap().title, "Weather");
    let reads = reach.reads.lock().len();
    registry.set_referenced([named("away", "https://a.example")]);
    registry.client(&"away".into()).await.unwrap();
    assert_eq!((reach.reads.lock().len(), urls().len()), (reads, 2), "the card is still cached");
    let resources = registry.agent_resources(&"away".into());
    let McpTransport::Http { url, headers } = &resources.servers[0].transport else { panic!("over HTTP") };
    assert_eq!((url.as_str(), headers.len(), resources.servers[0].trusted), ("https://a.example/mcp", 0, false));
    registry.refresh_all().await;
    registry.set_referenced([]);
    assert_eq!(urls(), ["own https://own.example/"]);
    assert!(registry.agent_resources(&"away".into()).servers.is_empty());
    assert!(
        !std::fs::read_to_string(&file).unwrap().contains("a.example/"),
        "referenced peers are not written to the file"
    );
}
