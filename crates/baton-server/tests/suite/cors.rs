//! CORS headers for preflights, JSON-RPC, REST and streams.

use crate::{
    bindings::{Headers, headers, raw},
    world::configured,
    world::{engine, options},
};
use axum::Router;
use baton_http::{AccessOptions, CorsOrigins};
use baton_ports::{AuthenticatedCaller, Authenticator, BoxFuture, TokenRejection};
use baton_server::app;
use http_body_util::BodyExt as _;
use std::sync::Arc;

const RPC: &str = r#"{"jsonrpc":"2.0","id":1,"method":"METHOD","params":
    {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"Hello"}]}}}"#;
const REST: &str = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"Hello"}]}}"#;

fn served(cors_origins: CorsOrigins) -> Router {
    app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.http.cors_origins = cors_origins;
        }),
    )
}

/// Status, CORS headers, and whether the request was served.
async fn describe_reply(app: &Router, method: &str, path: &str, sent: Headers<'_>, body: String) -> String {
    let response = raw(app, method, path, headers(sent), body).await;
    let mut told = response.status().as_u16().to_string();
    let mut names: Vec<_> = response.headers().keys().collect();
    names.sort_by_key(|name| name.as_str());
    for name in names.into_iter().filter(|name| name.as_str().starts_with("access-control-") || *name == "vary") {
        for value in response.headers().get_all(name) {
            told.push_str(&format!("\n    {name}: {}", value.to_str().unwrap()));
        }
    }
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let body = String::from_utf8_lossy(&body);
    let served = body.contains("TASK_STATE_COMPLETED") || body.contains("protocolVersion");
    told.push_str(if served { "\n    (served)" } else { "" });
    told
}

async fn table(app: &Router, origins: &[Option<&str>]) -> String {
    let mut seen = String::new();
    let preflight = [
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,a2a-version,authorization"),
    ];
    let json = [("content-type", "application/json")];
    let asked: [(&str, &str, &str, Headers<'_>, String); 7] = [
        ("preflight JSON-RPC", "OPTIONS", "/agents/weather", &preflight, String::new()),
        ("preflight REST", "OPTIONS", "/agents/weather/message:send", &preflight, String::new()),
        ("preflight of nothing", "OPTIONS", "/nothing", &preflight, String::new()),
        ("JSON-RPC", "POST", "/agents/weather", &json, RPC.replace("METHOD", "SendMessage")),
        ("stream", "POST", "/agents/weather", &json, RPC.replace("METHOD", "SendStreamingMessage")),
        ("REST", "POST", "/agents/weather/message:send", &json, REST.to_owned()),
        ("card", "GET", "/.well-known/agent-card.json", &[], String::new()),
    ];
    for origin in origins {
        seen.push_str(&format!("from {}\n", origin.unwrap_or("nowhere")));
        for (what, method, path, sent, body) in &asked {
            let sent: Vec<_> = sent.iter().copied().chain(origin.map(|origin| ("origin", origin))).collect();
            seen.push_str(&format!("  {what}: {}\n", describe_reply(app, method, path, &sent, body.clone()).await));
        }
    }
    seen
}

#[tokio::test]
async fn listed_origins_may_call_and_others_may_not() {
    let origins = CorsOrigins::parse(&["https://app.example.com", "http://localhost:5173"], false).unwrap();
    let origins = served(origins);
    let from = [Some("https://app.example.com"), Some("https://evil.example.com"), Some("http://localhost"), None];
    insta::assert_snapshot!(table(&origins, &from).await);
}

#[tokio::test]
async fn no_cors_headers_without_listed_origins() {
    let off = served(CorsOrigins::default());
    for origin in [Some("http://localhost"), Some("https://app.example.com"), None] {
        let seen = table(&off, &[origin]).await;
        assert!(!seen.contains("access-control") && !seen.to_lowercase().contains("vary: origin"), "{seen}");
        let calls = seen.matches("(served)").count();
        assert_eq!(calls, if origin == Some("https://app.example.com") { 0 } else { 4 }, "{seen}");
    }
}

#[tokio::test]
async fn any_origin_may_call_if_tokens_are_required() {
    let all = served(CorsOrigins::parse(&["*"], true).unwrap());
    let seen = table(&all, &[Some("https://anywhere.example"), Some("null")]).await;
    assert_eq!(seen.matches("access-control-allow-origin: *").count(), 14, "{seen}");
    assert_eq!(seen.matches("(served)").count(), 8, "{seen}");
    assert!(!seen.contains("credentials"), "{seen}");
    let rebound = [("host", "evil.example.com"), ("origin", "https://evil.example.com")];
    assert_eq!(raw(&all, "GET", "/agents", headers(&rebound), "").await.status(), 403);
}

/// Rejects every token.
struct RejectingAuthenticator;

impl Authenticator for RejectingAuthenticator {
    fn authenticate<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<AuthenticatedCaller, TokenRejection>> {
        Box::pin(std::future::ready(Err(TokenRejection::Unknown)))
    }

    fn issuers(&self) -> Vec<String> {
        Vec::new()
    }
}

#[tokio::test]
async fn preflight_needs_no_token_and_pages_can_read_the_401() {
    let access = AccessOptions { identity: Some(Arc::new(RejectingAuthenticator)), ..AccessOptions::default() };
    let cors_origins = CorsOrigins::parse(&["https://app.example.com"], true).unwrap();
    let app = app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.http.access = access;
            options.http.cors_origins = cors_origins;
        }),
    );
    let origin = ("origin", "https://app.example.com");
    let preflight =
        describe_reply(&app, "OPTIONS", "/", &[origin, ("access-control-request-method", "POST")], String::new()).await;
    let json = ("content-type", "application/json");
    let call = describe_reply(&app, "POST", "/", &[origin, json], RPC.replace("METHOD", "SendMessage")).await;
    for (told, status) in [(preflight, "200"), (call, "401")] {
        assert!(told.starts_with(status) && told.contains("allow-origin: https://app.example.com"), "{told}");
        assert!(!told.contains("served"), "{told}");
    }
}
