//! Every operation of the API with every kind of token, compared with the snapshot table.
//!
//! The rows are generated from the route table, so every new route adds a row.

use super::{
    server::{TestServer, bearer, token},
    walk_requests::{Kind, Request, World, requests},
};
use crate::{
    bindings::{headers, raw},
    mcp_endpoints,
};
use baton_http::RouteAccess;
use baton_types::Digest;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Write as _};

/// Tokens from the weakest to the strongest; all of them belong to the owner of the resources.
const TOKENS: [(&str, &str); 11] = [
    ("none", ""),
    ("bad", "nobody"),
    ("telemetry", "telemetry:read"),
    ("r:clock", "read:clock"),
    ("r:weather", "read:weather"),
    ("read", "read"),
    ("c:clock", "call:clock"),
    ("c:weather", "call:weather"),
    ("call", "call"),
    ("admin", "admin"),
    ("owner", "admin owner"),
];

/// The token of a row of [`TOKENS`].
fn shown(name: &str, scopes: &str) -> Option<String> {
    match name {
        "none" => None,
        "bad" => Some("nobody".to_owned()),
        _ => Some(token("acme", "ann", scopes)),
    }
}

fn owner_digest() -> Digest {
    Digest::compute(token("acme", "ann", "admin owner").as_bytes())
}

/// Sends a request with a token; returns 401, 403, 404, or `ok` for any other status.
async fn outcome(
    server: &TestServer,
    request: &Request,
    token: Option<&str>,
    succeeded: &mut BTreeSet<String>,
) -> &'static str {
    let authorization = token.map(bearer);
    let given: Vec<(&str, &str)> = authorization.iter().map(|shown| ("authorization", shown.as_str())).collect();
    let status = match &request.kind {
        Kind::Mcp { method, params } => {
            let (status, answer) =
                mcp_endpoints::call_mcp(&server.app, &request.path, &given, method, params.clone()).await;
            let text = answer["content"][0]["text"].as_str().unwrap_or_default();
            let codes = [("BTN-1011", 403), ("BTN-2001", 404)];
            codes.iter().find(|(code, _)| text.contains(code)).map_or(status, |(_, status)| *status)
        }
        Kind::Http { content_type, body } => {
            let pairs = [&given[..], &[("content-type", *content_type), ("baton-agent", "weather")]].concat();
            let response = raw(&server.app, request.method, &request.path, headers(&pairs), body.clone()).await;
            if response.status().is_success() {
                succeeded.insert(request.name.clone());
            }
            let grpc = response.headers().get("grpc-status").and_then(|status| status.to_str().ok());
            match grpc {
                Some("16") => 401,
                Some("7") => 403,
                Some("5") => 404,
                _ => response.status().as_u16(),
            }
        }
    };
    match status {
        401 => "401",
        403 => "403",
        404 => "404",
        _ => "ok",
    }
}

/// Described operations without a successful request: the peers of the test send no notifications.
const UNREACHED_SUCCESSES: [&str; 1] = ["POST /api/v1/peers/notifications/{registration}"];

#[tokio::test(start_paused = true)]
async fn every_operation_with_every_token() {
    let mut world = World::new(owner_digest()).await;
    let (mut succeeded, mut never) = (BTreeSet::new(), Vec::new());
    let mut table = format!("{:<86}{:<20}", "operation", "access");
    for (name, _) in TOKENS {
        let _ = write!(table, "{name:>10}");
    }
    for entry in world.server.operations.clone() {
        for variant in 0..requests(&entry, &world).len() {
            let mut row = String::new();
            let mut outcomes = Vec::new();
            for (name, scopes) in TOKENS {
                let request = requests(&entry, &world).swap_remove(variant);
                row = format!("{:<86}{:<20}", request.name, entry.access.to_string());
                let shown = shown(name, scopes);
                let outcome = outcome(&world.server, &request, shown.as_deref(), &mut succeeded).await;
                // An allowed request may have changed or deleted resources of the next one.
                if outcome == "ok" && request.method != "GET" {
                    world = World::new(owner_digest()).await;
                }
                outcomes.push(outcome);
            }
            let _ = write!(table, "\n{row}");
            for outcome in &outcomes {
                let _ = write!(table, "{outcome:>10}");
            }
            check(&row, entry.access, entry.method, &outcomes);
        }
        let name = format!("{} {}", entry.method, entry.path);
        if entry.operation.is_some() && !succeeded.contains(&name) {
            never.push(name);
        }
    }
    // Every reply was compared with the OpenAPI document; of these operations, only errors.
    assert_eq!(never, UNREACHED_SUCCESSES);
    insta::assert_snapshot!(table);
}

/// Invariants of every row, independent of the approved snapshot.
fn check(row: &str, access: RouteAccess, method: &str, outcomes: &[&str]) {
    let of = |name: &str| outcomes[TOKENS.iter().position(|(token, _)| *token == name).unwrap()];
    let open = access.is_open(false, false);
    for stranger in ["none", "bad"] {
        assert_eq!(of(stranger) == "401", !open, "{stranger}: {row}");
    }
    let changes = !matches!(method, "GET" | "ANY");
    let decided_later = matches!(access, RouteAccess::Method | RouteAccess::ReadOrCall(_));
    if changes && !open && !decided_later {
        for reader in ["read", "r:weather", "r:clock", "telemetry"] {
            assert_eq!(of(reader), "403", "{reader} changes something: {row}");
        }
    }
    let words = ["Send", "send", "Cancel", "cancel", "CreateTask", "DeleteTask", "Config/set", "Config/delete"];
    if decided_later && words.iter().chain(&["message/stream", "tools/call"]).any(|word| row.contains(word)) {
        for reader in ["read", "r:weather", "telemetry"] {
            assert!(matches!(of(reader), "403" | "404"), "{reader} changes something: {row}");
        }
    }
    if access == RouteAccess::TelemetryRead || access == RouteAccess::Metrics {
        for other in ["read", "r:weather", "call", "c:weather"] {
            assert_eq!(of(other), "403", "{other} reads telemetry: {row}");
        }
    } else if !open && access != RouteAccess::Authenticated {
        assert_eq!(of("telemetry"), "403", "telemetry:read reads more than telemetry: {row}");
    }
    if matches!(access, RouteAccess::Admin | RouteAccess::AdminChange) {
        assert_eq!(of("call"), "403", "{row}");
    }
    assert!(!matches!(of("admin"), "401" | "403"), "{row}");
}

#[tokio::test(start_paused = true)]
async fn read_token_cannot_change_conversations_or_stop_tasks() {
    let world = World::new(owner_digest()).await;
    let path = format!("/v1/conversations/{}", world.conversation);
    let (items, item) = (format!("{path}/items"), format!("{path}/items/{}", world.item));
    let asked = json!({"model": "weather", "input": "hang", "background": true, "conversation": world.conversation});
    let running = world.send("POST", "/v1/responses", &asked).await["id"].as_str().unwrap().to_owned();
    let before = world.send("GET", &items, &Value::Null).await;
    for scopes in ["read", "read:weather", "call:clock", "read:weather call:clock", "telemetry:read"] {
        let known = bearer(&token("acme", "ann", scopes));
        let given = || headers(&[("authorization", &known), ("content-type", "application/json")]);
        for (method, path, body) in [
            ("POST", path.as_str(), json!({"metadata": {"a": "b"}}).to_string()),
            ("POST", &items, json!({"items": [{"role": "user", "content": "x"}]}).to_string()),
            ("DELETE", &item, String::new()),
            ("DELETE", &path, String::new()),
            ("DELETE", &format!("/agents/clock{path}"), String::new()),
            ("POST", &format!("/v1/responses/{running}/cancel"), String::new()),
            ("DELETE", &format!("/v1/responses/{running}"), String::new()),
        ] {
            let status = raw(&world.server.app, method, path, given(), body).await.status();
            assert_eq!(status, 403, "{scopes:?} {method} {path}");
        }
    }
    // A token without read access to the agent cannot read its conversations.
    let clock = bearer(&token("acme", "ann", "call:clock"));
    for path in [&path, &items, &item] {
        let status = raw(&world.server.app, "GET", path, headers(&[("authorization", &clock)]), "").await.status();
        assert_eq!(status, 403, "{path}");
    }
    assert_eq!(world.send("GET", &items, &Value::Null).await, before);
    let shown = world.send("GET", &format!("/v1/responses/{running}"), &Value::Null).await;
    assert_eq!(shown["status"], "in_progress");
    // The owner's own token may delete the conversation.
    world.send("DELETE", &path, &Value::Null).await;
}
