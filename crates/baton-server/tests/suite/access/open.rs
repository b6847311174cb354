//! Public paths, and paths that require a token when cards are private.

use super::server::{TestServer, bearer, token};
use crate::bindings::{headers, raw};
use axum::body::Body;
use baton_engine::NoPeers;
use baton_http_api::PeerPorts;
use baton_ports::{BoxFuture, NewPeer, PeerRecord, PeerRegistry, PeerRegistryError};
use baton_types::{AgentName, ErrorCode};
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{future::ready, sync::Arc};
use tower::ServiceExt as _;

async fn get(server: &TestServer, path: &str, token: Option<&str>) -> Response<axum::body::Body> {
    let given = token.map_or_else(HeaderMap::new, |token| headers(&[("authorization", &bearer(token))]));
    raw(&server.app, "GET", path, given, "").await
}

async fn text(server: &TestServer, path: &str, token: Option<&str>) -> String {
    let body = get(server, path, token).await.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

const CARDS: [&str; 5] = [
    "/agents/weather",
    "/agents/weather/",
    "/agents/weather/.well-known/agent-card.json",
    "/agents/weather/.well-known/agent.json",
    "/agents/weather/.well-known/contextcore.json",
];
const LISTS: [&str; 3] = ["/", "/agents", "/.well-known/ai-catalog.json"];

#[tokio::test]
async fn cards_and_probes_are_open_unless_cards_are_private() {
    let (public, private) = (TestServer::new(), TestServer::with_access(|access| access.private_cards = true));
    for path in CARDS.iter().chain(&LISTS) {
        assert_eq!(get(&public, path, None).await.status(), 200, "{path}");
        assert_eq!(get(&private, path, None).await.status(), 401, "{path}");
        // Public paths ignore the token.
        assert_eq!(get(&public, path, Some("nobody")).await.status(), 200, "{path}");
    }
    for path in ["/healthz", "/health", "/readyz", "/.well-known/oauth-protected-resource"] {
        assert_eq!(get(&private, path, None).await.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn private_cards_require_read_access_to_the_agent() {
    let server = TestServer::with_access(|access| access.private_cards = true);
    for (scopes, status) in
        [("", 403), ("read:clock", 403), ("read:weather", 200), ("call:weather", 200), ("admin", 200)]
    {
        let token = token("acme", "ann", scopes);
        for path in CARDS {
            assert_eq!(get(&server, path, Some(&token)).await.status(), status, "{scopes:?} {path}");
            // A percent-encoded name selects the same agent and needs the same scope.
            let other = path.replace("weather", "we%61ther");
            assert_eq!(get(&server, &other, Some(&token)).await.status(), status, "{scopes:?} {other}");
        }
    }
    let clock = token("acme", "ann", "read:clock");
    for path in LISTS {
        let shown = text(&server, path, Some(&clock)).await;
        assert!(shown.contains("agents/clock") && !shown.contains("agents/weather"), "{path}: {shown}");
    }
    let all = token("acme", "ann", "read");
    let card = get(&server, CARDS[0], Some(&all)).await;
    assert_eq!(card.headers()["cache-control"], "private, max-age=60");
    assert!(card.headers().get_all("vary").iter().any(|value| value == "Authorization"));
    let ghost = "/agents/ghost/.well-known/agent-card.json";
    assert_eq!(get(&server, ghost, Some(&clock)).await.status(), 403);
    assert_eq!(get(&server, ghost, Some(&all)).await.status(), 404);
    let told = text(&server, ghost, Some(&token("acme", "ann", "read:ghost"))).await;
    assert!(told.contains("BTN-2001") && !told.contains("weather"), "{told}");
}

#[tokio::test]
async fn protected_resource_metadata_lists_token_issuers() {
    let server = TestServer::new();
    let place = "/.well-known/oauth-protected-resource";
    for (path, resource) in
        [(place.to_owned(), "http://localhost"), (format!("{place}/agents/weather"), "http://localhost/agents/weather")]
    {
        let shown: Value = serde_json::from_str(&text(&server, &path, None).await).unwrap();
        let expect = json!({
            "resource": resource,
            "resource_name": "Baton",
            "authorization_servers": ["https://issuer.example.com"],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["read", "call", "telemetry:read", "admin"],
        });
        assert_eq!(shown, expect, "{path}");
    }
    // Without authentication there is no metadata document.
    let local = TestServer::with_access(|access| access.identity = None);
    assert_eq!(get(&local, place, None).await.status(), 404);
}

/// A registry without peers that rejects every change.
pub(super) struct EmptyPeerRegistry;

fn not_found<T: Send + 'static>() -> BoxFuture<'static, Result<T, PeerRegistryError>> {
    Box::pin(ready(Err(PeerRegistryError { code: ErrorCode::AGENT_NOT_FOUND, detail: "nobody".to_owned() })))
}

impl PeerRegistry for EmptyPeerRegistry {
    fn add(&self, _: NewPeer) -> BoxFuture<'_, Result<PeerRecord, PeerRegistryError>> {
        not_found()
    }

    fn remove<'a>(&'a self, _: &'a AgentName) -> BoxFuture<'a, Result<(), PeerRegistryError>> {
        not_found()
    }

    fn peer(&self, _: &AgentName) -> Option<PeerRecord> {
        None
    }

    fn peers(&self) -> Vec<PeerRecord> {
        Vec::new()
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_notification_is_rejected_before_its_body_is_read() {
    let ports = PeerPorts { registry: Arc::new(EmptyPeerRegistry), peers: Arc::new(NoPeers) };
    let server = TestServer::with_options(|_| {}, |options| options.api.peers = Some(ports));
    let endless = Body::from_stream(futures_util::stream::pending::<Result<String, std::io::Error>>());
    let request = Request::post("/api/v1/peers/notifications/x").header("host", "localhost").body(endless).unwrap();
    let answered = tokio::time::timeout(std::time::Duration::from_secs(1), server.app.oneshot(request)).await;
    assert_eq!(answered.expect("an answer before the body").unwrap().status(), 404);
}
