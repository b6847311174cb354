//! Discovery: lists, catalogs, cards, addresses behind a proxy, and tenants that select an agent.

use crate::{
    bindings::{Binding, Op, Reply, ask, framed, headers, raw},
    world::configured,
    world::{engine, options},
};
use axum::Router;
use baton_http_a2a::A2aOptions;
use baton_proto::v03;
use baton_server::app;
use baton_wire::a2a::v1::CardBinding;
use http_body_util::BodyExt as _;
use prost::Message as _;
use serde_json::{Value, json};

const DOCUMENTS: [&str; 6] = [
    "/agents",
    "/.well-known/ai-catalog.json",
    "/.well-known/agent-card.json",
    "/agents/weather/.well-known/agent-card.json",
    "/agents/weather/.well-known/contextcore.json",
    "/.well-known/contextcore.json",
];

async fn get(app: &Router, path: &str, given: &[(&str, &str)]) -> (u16, Value) {
    let response = raw(app, "GET", path, headers(given), "").await;
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap())
}

/// An app whose cards list every binding.
fn served(agents: &[&str], public_url: Option<&str>) -> Router {
    let a2a = A2aOptions { bindings: CardBinding::ALL.to_vec(), ..A2aOptions::default() };
    app(
        engine(agents),
        configured(options(), |options| {
            options.http.public_url = public_url.map(str::to_owned);
            options.a2a = a2a;
        }),
    )
}

/// Interfaces of a card, in order of preference.
fn interfaces(card: &Value) -> Vec<String> {
    let shown = |interface: &Value| {
        let text = |name: &str| interface[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {}", text("protocolBinding"), text("protocolVersion"), text("url"), text("tenant"))
    };
    card["supportedInterfaces"].as_array().unwrap().iter().map(shown).collect()
}

#[tokio::test]
async fn documents_of_one_agent_and_of_several() {
    let mut seen = String::new();
    for (name, app) in [
        ("one", served(&["weather"], None)),
        ("several behind a proxy", served(&["weather", "other"], Some("https://agents.example.com/base/"))),
    ] {
        let mut earlier: Vec<(&str, Value)> = Vec::new();
        for path in DOCUMENTS {
            let (status, document) = get(&app, path, &[("host", "127.0.0.1:8700")]).await;
            let shown = match earlier.iter().find(|(_, other)| *other == document) {
                Some((other, _)) => format!("as {other}"),
                None => format!("{document:#}"),
            };
            seen.push_str(&format!("{name}: {path}: {status}\n{shown}\n\n"));
            earlier.push((path, document));
        }
    }
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn legacy_paths_serve_the_same_documents() {
    let app = served(&["weather"], None);
    let (_, card) = get(&app, "/.well-known/agent-card.json", &[]).await;
    for path in ["/.well-known/agent.json", "/agents/weather/.well-known/agent.json"] {
        assert_eq!(get(&app, path, &[]).await, (200, card.clone()), "{path}");
    }
    for path in ["/v1/card", "/agents/weather/v1/card", "/extendedAgentCard", "/agents/weather/extendedAgentCard"] {
        let (status, extended) = get(&app, path, &[]).await;
        assert_eq!((status, &extended["name"]), (200, &card["name"]), "{path}");
    }
    assert_eq!(get(&app, "/agents/nobody/.well-known/agent-card.json", &[]).await.0, 404);
    assert_eq!(get(&app, "/agents/nobody/.well-known/contextcore.json", &[]).await.0, 404);
}

#[tokio::test]
async fn addresses_are_those_of_the_public_url_and_of_nothing_else() {
    let proxy = [
        ("x-forwarded-host", "evil.example.com"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-port", "1"),
        ("x-forwarded-prefix", "/evil"),
        ("forwarded", "host=evil.example.com;proto=https"),
    ];
    for (public, host, json, grpc) in [
        (None, "127.0.0.1:8700", "http://127.0.0.1:8700", "127.0.0.1:8700"),
        (None, "localhost", "http://localhost", "localhost:80"),
        (None, "[::1]:8700", "http://[::1]:8700", "[::1]:8700"),
        (Some("https://a.example.com"), "localhost", "https://a.example.com", "a.example.com:443"),
        (Some("https://a.example.com/"), "a.example.com", "https://a.example.com", "a.example.com:443"),
        (Some("https://a.example.com:8443/b/"), "localhost", "https://a.example.com:8443/b", "a.example.com:8443"),
        (Some("http://a.example.com/b"), "localhost", "http://a.example.com/b", "a.example.com:80"),
    ] {
        let app = served(&["weather"], public);
        let given = [&proxy[..], &[("host", host)]].concat();
        let (status, card) = get(&app, "/.well-known/agent-card.json", &given).await;
        assert_eq!(status, 200, "{public:?} {host}");
        let url = format!("{json}/agents/weather");
        assert_eq!(
            interfaces(&card),
            [
                format!("JSONRPC 1.0 {url} -"),
                format!("HTTP+JSON 1.0 {url} -"),
                format!("GRPC 1.0 {grpc} -"),
                format!("JSONRPC 0.3 {url} -"),
                format!("HTTP+JSON 0.3 {url} -"),
                format!("GRPC 0.3 {grpc} -"),
            ],
            "{public:?} {host}"
        );
        assert_eq!(card["url"], url);
        assert!(!get(&app, "/agents", &given).await.1.to_string().contains("evil"));
        assert!(!get(&app, "/.well-known/ai-catalog.json", &given).await.1.to_string().contains("evil"));
        assert!(!get(&app, "/.well-known/contextcore.json", &given).await.1.to_string().contains("evil"));
        // The card over gRPC lists the interfaces of its version.
        let extended = ask(&app, Binding::Grpc, Op::Card, &json!({}), &given).await.unwrap();
        assert_eq!(interfaces(extended.one()), interfaces(&card)[..3]);
    }
}

fn send_params(tenant: Option<&str>) -> Value {
    let mut params = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}});
    if let Some(tenant) = tenant {
        params["tenant"] = tenant.into();
    }
    params
}

async fn post(app: &Router, path: &str, body: &Value) -> Reply {
    let binding = if body.get("jsonrpc").is_some() { Binding::JsonRpc } else { Binding::Rest };
    let given = headers(&[("content-type", "application/json")]);
    Reply::read(binding, Op::Send, raw(app, "POST", path, given, body.to_string()).await).await
}

fn rpc(params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params})
}

#[tokio::test]
async fn tenant_selects_the_agent() {
    let several = served(&["weather", "other"], None);
    let mut tasks = Vec::new();
    for reply in [
        post(&several, "/", &rpc(&send_params(Some("other")))).await,
        post(&several, "/a2a/", &rpc(&send_params(Some("other")))).await,
        post(&several, "/agents/other", &rpc(&send_params(Some("other")))).await,
        post(&several, "/agents/other/", &rpc(&send_params(None))).await,
        post(&several, "/other/message:send", &send_params(None)).await,
        post(&several, "/agents/other/message:send", &send_params(Some("other"))).await,
        post(&several, "/agents/other/other/message:send", &send_params(None)).await,
        ask(&several, Binding::Grpc, Op::Send, &send_params(Some("other")), &[]).await.unwrap(),
        ask(&several, Binding::Grpc, Op::Send, &send_params(None), &[("baton-agent", "other")]).await.unwrap(),
        ask(&several, Binding::OldGrpc, Op::Send, &send_params(None), &[("baton-agent", "other")]).await.unwrap(),
    ] {
        tasks.push(reply.task()["id"].clone());
    }
    // All tasks belong to that agent and are not found under the other one.
    let listed = get(&several, "/agents/other/tasks", &[]).await.1;
    assert_eq!(listed["totalSize"], tasks.len());
    assert_eq!(get(&several, "/weather/tasks", &[]).await.1["totalSize"], 0);
    for task in &tasks {
        let task = task.as_str().unwrap();
        assert_eq!(get(&several, &format!("/other/tasks/{task}"), &[]).await.0, 200);
        assert_eq!(get(&several, &format!("/weather/tasks/{task}"), &[]).await.0, 404);
        let elsewhere = json!({"tenant": "weather", "id": task});
        for binding in [Binding::Grpc, Binding::JsonRpc] {
            let refused = ask(&several, binding, Op::Cancel, &elsewhere, &[]).await.unwrap();
            assert_eq!(refused.refused().reason, "TASK_NOT_FOUND", "{binding:?}");
        }
    }
}

#[tokio::test]
async fn error_for_wrong_or_missing_tenant_lists_served_agents() {
    let several = served(&["weather", "other"], None);
    for reply in [
        post(&several, "/", &rpc(&send_params(None))).await,
        post(&several, "/", &rpc(&send_params(Some("nobody")))).await,
        post(&several, "/", &rpc(&send_params(Some("")))).await,
        post(&several, "/message:send", &send_params(None)).await,
        post(&several, "/nobody/message:send", &send_params(None)).await,
        ask(&several, Binding::Grpc, Op::Send, &send_params(None), &[]).await.unwrap(),
        ask(&several, Binding::Grpc, Op::Send, &send_params(Some("nobody")), &[]).await.unwrap(),
        ask(&several, Binding::OldGrpc, Op::Send, &send_params(None), &[]).await.unwrap(),
        ask(&several, Binding::OldGrpc, Op::Send, &send_params(None), &[("baton-agent", "nobody")]).await.unwrap(),
    ] {
        let refused = reply.refused();
        assert_eq!((refused.reason.as_str(), refused.baton_code.as_str()), ("AGENT_NOT_FOUND", "BTN-2001"));
        assert!(refused.message.contains("weather, other"), "{}", refused.message);
    }
    for reply in [
        post(&several, "/agents/other", &rpc(&send_params(Some("weather")))).await,
        post(&several, "/agents/other/message:send", &send_params(Some("weather"))).await,
        post(&several, "/agents/other/weather/message:send", &send_params(None)).await,
        post(&several, "/other/message:send", &send_params(None)).await,
    ] {
        let fields = reply.refusal.map(|refusal| refusal.fields);
        assert!(fields.is_none_or(|fields| fields == ["tenant"]));
    }
    // A single agent accepts its own name as tenant and rejects any other.
    let one = served(&["weather"], None);
    assert!(post(&one, "/", &rpc(&send_params(Some("weather")))).await.refusal.is_none());
    assert!(post(&one, "/weather/message:send", &send_params(None)).await.refusal.is_none());
    assert_eq!(post(&one, "/", &rpc(&send_params(Some("nobody")))).await.refused().reason, "AGENT_NOT_FOUND");
    assert_eq!(post(&one, "/message:send", &send_params(Some("nobody"))).await.refused().fields, ["tenant"]);
}

#[tokio::test]
async fn grpc_cards_distinguish_several_agents() {
    let several = served(&["weather", "other"], Some("https://a.example.com"));
    let (_, card) = get(&several, "/agents/other/.well-known/agent-card.json", &[]).await;
    let grpc: Vec<_> = interfaces(&card).into_iter().filter(|line| line.starts_with("GRPC")).collect();
    assert_eq!(grpc, ["GRPC 1.0 a.example.com:443 other"]);
    // 0.3 has no tenants: the gRPC metadata selects the agent of the card.
    let asked = framed(&v03::pb::GetAgentCardRequest {}.encode_to_vec());
    let given = headers(&[("content-type", "application/grpc"), ("baton-agent", "other")]);
    let shown = raw(&several, "POST", "/a2a.v1.A2AService/GetAgentCard", given, asked).await;
    let shown = Reply::read(Binding::OldGrpc, Op::Card, shown).await;
    assert_eq!(shown.one()["name"], "The other agent");
}
