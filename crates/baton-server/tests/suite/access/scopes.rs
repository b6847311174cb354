//! Scopes that each operation requires, in every binding and dialect.

use super::server::{TestServer, bearer, token};
use crate::{
    bindings::{Binding, Op, Reply, headers, open, raw},
    mcp_endpoints,
    world::{StaticAgents, agent},
};
use baton_http_api::ToolPorts;
use baton_ports::AgentSource;
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

fn params(op: Op) -> Value {
    match op {
        Op::Send | Op::Stream => {
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}})
        }
        Op::Get | Op::Cancel | Op::Subscribe => json!({"id": "nothing"}),
        Op::List | Op::Card => json!({}),
        Op::CreatePush => json!({"taskId": "nothing", "url": "https://example.com/hook"}),
        Op::GetPush | Op::DeletePush => json!({"taskId": "nothing", "id": "none"}),
        Op::ListPush => json!({"taskId": "nothing"}),
    }
}

/// Scope that an operation requires for its agent.
fn required_scope(op: Op) -> &'static str {
    match op {
        Op::Send | Op::Stream | Op::Cancel | Op::CreatePush | Op::DeletePush => "call",
        Op::Get | Op::List | Op::Subscribe | Op::GetPush | Op::ListPush | Op::Card => "read",
    }
}

#[tokio::test]
async fn operations_need_read_or_call_of_their_agent() {
    let server = TestServer::new();
    for (scopes, reads, calls) in [
        ("", false, false),
        ("openid", false, false),
        ("read:clock call:clock", false, false),
        ("read:weather", true, false),
        ("read", true, false),
        ("read:weather call:clock", true, false),
        ("call:weather", true, true),
        ("call", true, true),
        ("admin", true, true),
    ] {
        let authorization = bearer(&token("acme", "ann", scopes));
        let pairs = [("authorization", authorization.as_str()), ("baton-agent", "weather")];
        for op in Op::ALL {
            for binding in Binding::ALL {
                let Some(response) = open(&server.app, binding, op, &params(op), &pairs).await else { continue };
                let place = format!("{scopes:?} {op:?} {binding:?}");
                let challenge = response.headers().get("www-authenticate").cloned();
                let reply = Reply::read(binding, op, response).await;
                let code = reply.refusal.as_ref().map_or("", |refused| refused.baton_code.as_str());
                let allowed = if required_scope(op) == "call" { calls } else { reads };
                assert_eq!(code != "BTN-1011", allowed, "{place}: {reply:?}");
                if !allowed {
                    // A caller without read access gets the error for read first.
                    let missing = if reads { required_scope(op) } else { "read" };
                    let least = if missing == "read" { "at least " } else { "" };
                    let told = format!("this needs {least}the scope {missing}:weather");
                    assert_eq!(reply.refused().message, told, "{place}");
                    assert_eq!(challenge.is_some(), !binding.is_grpc(), "{place}");
                }
            }
        }
    }
}

#[tokio::test]
async fn api_requires_read_scope_and_admin_for_tokens() {
    let server = TestServer::new();
    let sender = server.client(&token("acme", "ann", "call"));
    let message = baton_client::SendRequest::new(crate::world::message("Hello"));
    let task = sender.send("weather", message).await.unwrap().id;
    let events = format!("/api/v1/tasks/{task}/events");
    let task = format!("/api/v1/tasks/{task}");
    for (scopes, path, status) in [
        ("", task.as_str(), 403),
        ("", "/api/v1/tasks/nothing", 403),
        ("", "/api/v1/handoffs/nothing", 403),
        ("read:clock", &task, 403),
        ("read:clock", &events, 403),
        ("read:clock", "/api/v1/tasks/nothing", 404),
        ("read:weather", &task, 200),
        ("read:weather", &events, 200),
        ("call:weather", &events, 200),
        ("admin", &events, 200),
        ("read", "/api/v1/handoffs/nothing", 404),
        ("read call", "/api/v1/tokens", 403),
        ("admin", "/api/v1/tokens", 200),
    ] {
        let given = bearer(&token("acme", "ann", scopes));
        let response = raw(&server.app, "GET", path, headers(&[("authorization", &given)]), "").await;
        assert_eq!(response.status(), StatusCode::from_u16(status).unwrap(), "{scopes:?} {path}");
    }
}

/// Listing tools requires read on their agent, calling them requires call.
#[tokio::test]
async fn tools_need_read_or_call_of_their_agent() {
    let server = TestServer::with_options(
        |_| {},
        |options| options.api.tools = Some(ToolPorts { host: Arc::new(crate::world::WeatherTools) }),
    );
    for (scopes, listed, called) in [
        ("", 403, 403),
        ("read:clock call:clock", 403, 403),
        ("read:weather", 200, 403),
        ("read call:clock", 200, 403),
        ("call:weather", 200, 200),
        ("admin", 200, 200),
    ] {
        let given = bearer(&token("acme", "ann", scopes));
        for (method, path, status) in [
            ("GET", "/api/v1/agents/weather/tools", listed),
            ("POST", "/api/v1/agents/weather/tools/get_weather", called),
            ("POST", "/api/v1/agents/weather/tools/get_weather/answers", called),
        ] {
            let given = [("authorization", given.as_str()), ("content-type", "application/json")];
            let body = if path.ends_with("answers") { r#"{"answers":[]}"# } else { "" };
            let response = raw(&server.app, method, path, headers(&given), body).await;
            assert_eq!(response.status(), StatusCode::from_u16(status).unwrap(), "{scopes:?} {path}");
        }
    }
}

/// `list_agents` requires read; `call_agent` requires call on the called agent.
#[tokio::test]
async fn mcp_needs_read_or_call_of_the_agent() {
    let agents: Arc<dyn AgentSource> =
        Arc::new(StaticAgents(["clock", "weather"].map(|name| Arc::new(agent(name))).to_vec()));
    let ports = mcp_endpoints::ports(&agents, Arc::new(crate::world::engine(&["clock", "weather"])));
    let server = TestServer::with_options(|_| {}, |options| options.mcp = Some(ports));
    for (scopes, listed, called, looked, exported) in [
        ("", "403", "403", 403, 403),
        ("read:weather", "weather", "isError", 200, 403),
        ("read", "clock weather", "isError", 200, 403),
        ("call:clock", "clock", "isError", 403, 403),
        ("call:weather", "weather", "done", 200, 200),
        ("admin", "clock weather", "done", 200, 200),
    ] {
        let given = bearer(&token("acme", "ann", scopes));
        let given = [("authorization", given.as_str())];
        let asked =
            async |path, method, params| mcp_endpoints::call_mcp(&server.app, path, &given, method, params).await;
        let (status, list) = asked("/mcp", "tools/call", json!({"name": "list_agents"})).await;
        let seen = match list["structuredContent"]["agents"].as_array() {
            Some(agents) => agents.iter().map(|agent| agent["agentId"].as_str().unwrap()).collect::<Vec<_>>().join(" "),
            None => status.to_string(),
        };
        assert_eq!(seen, listed, "{scopes:?}");
        let arguments = json!({"agentId": "weather", "message": "Hello"});
        let (status, call) = asked("/mcp", "tools/call", json!({"name": "call_agent", "arguments": arguments})).await;
        let outcome = match call["isError"].as_bool() {
            Some(true) => "isError".to_owned(),
            Some(false) => "done".to_owned(),
            None => status.to_string(),
        };
        assert_eq!(outcome, called, "{scopes:?} {call}");
        let place = "/agents/weather/mcp/exported";
        assert_eq!(asked(place, "tools/list", json!({})).await.0, looked, "{scopes:?}");
        // The tool does not exist, but only callers with call access get that error.
        let status = asked(place, "tools/call", json!({"name": "nothing"})).await.0;
        assert_eq!(status == 403, exported == 403, "{scopes:?} {status}");
    }
}

/// The existence of an agent is hidden from callers without read access.
#[tokio::test]
async fn unreadable_agent_looks_like_a_missing_one() {
    let server = TestServer::new();
    let authorization = bearer(&token("acme", "ann", "call:weather"));
    let pairs = headers(&[("authorization", &authorization), ("content-type", "application/json")]);
    let body = |tenant: &str| {
        json!({"jsonrpc": "2.0", "id": 7, "method": "ListTasks", "params": {"tenant": tenant}}).to_string()
    };
    for (method, path) in
        [("GET", "/agents/NAME/tasks"), ("GET", "/NAME/tasks"), ("POST", "/agents/NAME"), ("POST", "/")]
    {
        let mut replies = Vec::new();
        for agent in ["clock", "ghost"] {
            let body = if method == "POST" { body(agent) } else { String::new() };
            let response = raw(&server.app, method, &path.replace("NAME", agent), pairs.clone(), body).await;
            assert_eq!(response.status(), 403, "{path}");
            replies.push(super::response_text::response_text(response).await.replace(agent, "NAME"));
        }
        assert_eq!(replies[0], replies[1]);
    }
}
