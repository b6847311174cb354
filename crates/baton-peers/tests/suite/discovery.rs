//! Card discovery: candidate URLs, redirects, missing cards, and interfaces of other hosts.

use crate::{
    baton_server::BatonServer,
    loopback::{Keys, loopback_client},
    scripted_server::{Answer, ScriptedServer},
};
use baton_peers::{DiscoverError, DiscoveredCard, DiscoveryOptions, discover, refresh};
use serde_json::json;
use std::sync::Arc;

fn card(url: &str) -> String {
    json!({
        "name": "Echo", "description": "Repeats", "version": "1",
        "supportedInterfaces": [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {}, "defaultInputModes": [], "defaultOutputModes": [], "skills": [],
    })
    .to_string()
}

/// A site that serves a card at one path only.
async fn site(place: &'static str) -> ScriptedServer {
    ScriptedServer::start(move |request| match request.path.as_str() {
        path if path == place => {
            let host = request.header("host").unwrap();
            Answer::json(card(&format!("http://{host}/rpc"))).with("etag", "\"one\"")
        }
        "/page.json" => Answer::json("[]"),
        "/loop/.well-known/agent-card.json" => Answer::new(302, "").with("location", "/moved/card"),
        "/moved/card" => Answer::json(card(&format!("http://{}/rpc", request.header("host").unwrap()))),
        _ => Answer::new(404, "no"),
    })
    .await
}

async fn found(site: &ScriptedServer, path: &str) -> Result<DiscoveredCard, DiscoverError> {
    discover(&loopback_client(), &site.url(path), &DiscoveryOptions::default()).await
}

#[tokio::test]
async fn first_candidate_with_a_card_is_used() {
    for (place, asked, tries) in [
        ("/.well-known/agent-card.json", "", 1),
        ("/.well-known/agent.json", "/", 2),
        ("/a/b/.well-known/agent-card.json", "/a/b/", 1),
        ("/a/b/.well-known/agent.json", "/a/b", 2),
        ("/.well-known/agent-card.json", "/a/b", 3),
        ("/.well-known/agent.json", "/a/b", 4),
        ("/some/card.json?v=2", "/some/card.json?v=2", 1),
        ("/.well-known/agent-card.json", "/page.json", 2),
    ] {
        let site = site(place).await;
        let found = found(&site, asked).await.unwrap();
        assert_eq!((found.card.name.as_str(), found.url.as_str()), ("Echo", site.url(place).as_str()));
        assert_eq!(found.etag.as_deref(), Some("\"one\""));
        assert_eq!(found.interfaces[0].url, site.url("/rpc"));
        assert_eq!(site.received().len(), tries, "{place} from {asked}");
        assert!(found.raw.as_str().contains("supportedInterfaces"));
    }
}

#[tokio::test]
async fn redirected_card_has_its_final_url() {
    let site = site("/nowhere").await;
    let found = found(&site, "/loop").await.unwrap();
    assert_eq!(found.url, site.url("/moved/card"));
}

#[tokio::test]
async fn error_lists_every_tried_url() {
    let site = site("/nowhere").await;
    let error = found(&site, "/page.json").await.unwrap_err();
    assert_eq!(error.code().code, "BTN-2016");
    let origin = site.url("");
    let told = error.to_string().replace(&origin, "SITE");
    assert_eq!(
        told,
        "there is no agent card; SITE/page.json: it is not a JSON object; SITE/.well-known/agent-card.json: answered \
         404; SITE/.well-known/agent.json: answered 404"
    );
    let huge = ScriptedServer::start(|_| Answer::json(format!("{{\"name\":\"{}\"", "x".repeat(1_100_000)))).await;
    let error = found(&huge, "").await.unwrap_err().to_string();
    assert!(error.contains("agent-card.json: it is larger than 1 MB"), "{error}");
}

#[tokio::test]
async fn unreachable_and_forbidden_hosts_are_reported() {
    let gone = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    for (url, code) in [
        (format!("http://{gone}/"), "BTN-3011"),
        ("http://10.0.0.1/".to_owned(), "BTN-2017"),
        ("http://169.254.169.254/latest".to_owned(), "BTN-2017"),
        ("ftp://a.example".to_owned(), "BTN-2016"),
    ] {
        let error = discover(&loopback_client(), &url, &DiscoveryOptions::default()).await.unwrap_err();
        assert_eq!(error.code().code, code, "{error}");
    }
}

#[tokio::test]
async fn card_with_foreign_interface_is_rejected_unless_allowed() {
    let site = ScriptedServer::start(|_| Answer::json(card("https://evil.example/rpc"))).await;
    let error = found(&site, "").await.unwrap_err();
    assert_eq!(error.code().code, "BTN-2017");
    assert!(
        error.to_string().ends_with("https://evil.example/rpc: it is at evil.example, and the card is from 127.0.0.1"),
        "{error}"
    );
    let looking = DiscoveryOptions { hosts: vec!["evil.example".to_owned()], ..DiscoveryOptions::default() };
    let found = discover(&loopback_client(), &site.url(""), &looking).await.unwrap();
    assert_eq!(found.interfaces[0].url, "https://evil.example/rpc");
}

#[tokio::test]
async fn one_usable_interface_is_enough() {
    let site = ScriptedServer::start(|request| {
        let own = format!("http://{}/", request.header("host").unwrap());
        Answer::json(
            json!({
                "name": "Echo", "url": "https://evil.example/", "preferredTransport": "JSONRPC",
                "additionalInterfaces": [{"url": own, "transport": "HTTP+JSON"}],
            })
            .to_string(),
        )
    })
    .await;
    let found = found(&site, "").await.unwrap();
    assert_eq!((found.interfaces.len(), found.rejections.len()), (1, 1));
    assert_eq!(found.card.supported_interfaces, found.interfaces);
    assert_eq!(found.interfaces[0].protocol_version, "0.3");
}

#[tokio::test]
async fn unchanged_card_is_not_transferred_again() {
    let site = ScriptedServer::start(|request| match request.header("if-none-match") {
        Some("\"one\"") => Answer::new(304, ""),
        _ => Answer::json(card(&format!("http://{}/", request.header("host").unwrap()))).with("etag", "\"two\""),
    })
    .await;
    let (client, url, looking) = (loopback_client(), site.url("/card.json"), DiscoveryOptions::default());
    assert!(refresh(&client, &url, Some("\"one\""), &looking).await.unwrap().is_none());
    let changed = refresh(&client, &url, Some("\"zero\""), &looking).await.unwrap().unwrap();
    assert_eq!(changed.etag.as_deref(), Some("\"two\""));
}

#[tokio::test]
async fn card_request_sends_credential_to_its_origin_only() {
    let away =
        ScriptedServer::start(|request| Answer::json(card(&format!("http://{}/", request.header("host").unwrap()))))
            .await;
    let to = away.url("/card.json");
    let site = ScriptedServer::start(move |request| match (request.path.as_str(), request.header("authorization")) {
        ("/away.json", _) => Answer::new(307, "").with("location", &to),
        (_, Some("Bearer key-2")) => Answer::json(card(&format!("http://{}/", request.header("host").unwrap()))),
        _ => Answer::new(401, ""),
    })
    .await;
    let looking = DiscoveryOptions { authorize: Arc::new(Keys::default()), ..DiscoveryOptions::default() };
    let found = discover(&loopback_client(), &site.url("/own.json"), &looking).await.unwrap();
    assert_eq!(found.url, site.url("/own.json"));
    let error = discover(&loopback_client(), &site.url("/away.json"), &looking).await;
    assert!(error.is_err() || error.unwrap().url != away.url("/card.json"));
    assert!(away.received().is_empty(), "the other origin gets no request at all");
}

#[tokio::test]
async fn own_card_offers_every_binding_and_dialect() {
    let served = BatonServer::start(&["echo", "other"]).await;
    let found = discover(&loopback_client(), &served.url("/agents/echo"), &DiscoveryOptions::default()).await.unwrap();
    let ways: Vec<String> = found
        .interfaces
        .iter()
        .map(|one| {
            format!("{} {} {}", one.protocol_binding, one.protocol_version, one.tenant.as_deref().unwrap_or("-"))
        })
        .collect();
    assert_eq!(ways, ["JSONRPC 1.0 -", "HTTP+JSON 1.0 -", "GRPC 1.0 echo", "JSONRPC 0.3 -", "HTTP+JSON 0.3 -"]);
    assert!(found.rejections.is_empty());
}
