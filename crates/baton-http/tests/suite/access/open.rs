//! What is open to everybody, and what is not when cards are private.

use super::house::{House, bearer, token};
use crate::speak::{headers, raw};
use axum::body::Body;
use baton_engine::NoPeers;
use baton_http::PeerPorts;
use baton_ports::{BoxFuture, NewPeer, PeerRecord, PeerRegistry, PeerRegistryError};
use baton_types::{AgentName, ErrorCode};
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{future::ready, sync::Arc};
use tower::ServiceExt as _;

async fn get(house: &House, path: &str, token: Option<&str>) -> Response<axum::body::Body> {
    let given = token.map_or_else(HeaderMap::new, |token| headers(&[("authorization", &bearer(token))]));
    raw(&house.app, "GET", path, given, "").await
}

async fn text(house: &House, path: &str, token: Option<&str>) -> String {
    let body = get(house, path, token).await.into_body().collect().await.unwrap().to_bytes();
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
    let (public, private) = (House::new(), House::with(|access| access.private_cards = true));
    for path in CARDS.iter().chain(&LISTS) {
        assert_eq!(get(&public, path, None).await.status(), 200, "{path}");
        assert_eq!(get(&private, path, None).await.status(), 401, "{path}");
        // Nobody looks at a token where none is needed.
        assert_eq!(get(&public, path, Some("nobody")).await.status(), 200, "{path}");
    }
    for path in ["/healthz", "/health", "/readyz", "/.well-known/oauth-protected-resource"] {
        assert_eq!(get(&private, path, None).await.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn private_cards_are_for_those_who_may_read_the_agent() {
    let house = House::with(|access| access.private_cards = true);
    for (scopes, status) in
        [("", 403), ("read:clock", 403), ("read:weather", 200), ("call:weather", 200), ("admin", 200)]
    {
        let token = token("acme", "ann", scopes);
        for path in CARDS {
            assert_eq!(get(&house, path, Some(&token)).await.status(), status, "{scopes:?} {path}");
            // What is written in another way leads to the same agent, and to the same question.
            let other = path.replace("weather", "we%61ther");
            assert_eq!(get(&house, &other, Some(&token)).await.status(), status, "{scopes:?} {other}");
        }
    }
    let clock = token("acme", "ann", "read:clock");
    for path in LISTS {
        let shown = text(&house, path, Some(&clock)).await;
        assert!(shown.contains("agents/clock") && !shown.contains("agents/weather"), "{path}: {shown}");
    }
    let all = token("acme", "ann", "read");
    let card = get(&house, CARDS[0], Some(&all)).await;
    assert_eq!(card.headers()["cache-control"], "private, max-age=60");
    assert!(card.headers().get_all("vary").iter().any(|value| value == "Authorization"));
    let ghost = "/agents/ghost/.well-known/agent-card.json";
    assert_eq!(get(&house, ghost, Some(&clock)).await.status(), 403);
    assert_eq!(get(&house, ghost, Some(&all)).await.status(), 404);
    let told = text(&house, ghost, Some(&token("acme", "ann", "read:ghost"))).await;
    assert!(told.contains("BTN-2001") && !told.contains("weather"), "{told}");
}

#[tokio::test]
async fn clients_can_find_out_where_tokens_come_from() {
    let house = House::new();
    let place = "/.well-known/oauth-protected-resource";
    for (path, resource) in
        [(place.to_owned(), "http://localhost"), (format!("{place}/agents/weather"), "http://localhost/agents/weather")]
    {
        let shown: Value = serde_json::from_str(&text(&house, &path, None).await).unwrap();
        let expect = json!({
            "resource": resource,
            "resource_name": "Baton",
            "authorization_servers": ["https://issuer.example.com"],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["read", "call", "telemetry:read", "admin"],
        });
        assert_eq!(shown, expect, "{path}");
    }
    // Where nobody needs a token there is nothing to find.
    let local = House::with(|access| access.identity = None);
    assert_eq!(get(&local, place, None).await.status(), 404);
}

/// Knows nobody, and wants to know nobody.
pub(super) struct NoBook;

fn nobody<T: Send + 'static>() -> BoxFuture<'static, Result<T, PeerRegistryError>> {
    Box::pin(ready(Err(PeerRegistryError { code: ErrorCode::AGENT_NOT_FOUND, detail: "nobody".to_owned() })))
}

impl PeerRegistry for NoBook {
    fn add(&self, _: NewPeer) -> BoxFuture<'_, Result<PeerRecord, PeerRegistryError>> {
        nobody()
    }

    fn remove<'a>(&'a self, _: &'a AgentName) -> BoxFuture<'a, Result<(), PeerRegistryError>> {
        nobody()
    }

    fn peer(&self, _: &AgentName) -> Option<PeerRecord> {
        None
    }

    fn peers(&self) -> Vec<PeerRecord> {
        Vec::new()
    }
}

#[tokio::test(start_paused = true)]
async fn a_strangers_notification_gets_no_room() {
    let ports = PeerPorts { registry: Arc::new(NoBook), peers: Arc::new(NoPeers) };
    let house = House::of(|_| {}, |options| options.peers = Some(ports));
    let endless = Body::from_stream(futures_util::stream::pending::<Result<String, std::io::Error>>());
    let request = Request::post("/api/v1/peers/notifications/x").header("host", "localhost").body(endless).unwrap();
    let answered = tokio::time::timeout(std::time::Duration::from_secs(1), house.app.oneshot(request)).await;
    assert_eq!(answered.expect("an answer before the body").unwrap().status(), 404);
}
