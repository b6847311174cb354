//! Which scopes each operation needs, in every binding and dialect.

use super::house::{House, bearer, token};
use crate::{
    mcp_endpoints,
    speak::{Binding, Op, Reply, headers, open, raw},
    world::{Served, agent},
};
use baton_http::ToolPorts;
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

/// What an operation needs of the agent that it is asked of.
fn needed(op: Op) -> &'static str {
    match op {
        Op::Send | Op::Stream | Op::Cancel | Op::CreatePush | Op::DeletePush => "call",
        Op::Get | Op::List | Op::Subscribe | Op::GetPush | Op::ListPush | Op::Card => "read",
    }
}

#[tokio::test]
async fn operations_need_read_or_call_of_their_agent() {
    let house = House::new();
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
                let Some(response) = open(&house.app, binding, op, &params(op), &pairs).await else { continue };
                let place = format!("{scopes:?} {op:?} {binding:?}");
                let challenge = response.headers().get("www-authenticate").cloned();
                let reply = Reply::read(binding, op, response).await;
                let code = reply.refusal.as_ref().map_or("", |refused| refused.baton_code.as_str());
                let allowed = if needed(op) == "call" { calls } else { reads };
                assert_eq!(code != "BTN-1011", allowed, "{place}: {reply:?}");
                if !allowed {
                    // Whoever may not even look is told that first.
                    let missing = if reads { needed(op) } else { "read" };
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
async fn the_api_needs_read_of_something_and_admin_for_tokens() {
    let house = House::new();
    let sender = house.client(&token("acme", "ann", "call"));
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
        let response = raw(&house.app, "GET", path, headers(&[("authorization", &given)]), "").await;
        assert_eq!(response.status(), StatusCode::from_u16(status).unwrap(), "{scopes:?} {path}");
    }
}

/// Looking at tools needs read of their agent, and using them call.
#[tokio::test]
async fn tools_need_read_or_call_of_their_agent() {
    let house = House::of(|_| {}, |options| options.tools = Some(ToolPorts { host: Arc::new(crate::world::Weather) }));
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
            let response = raw(&house.app, method, path, headers(&given), body).await;
            assert_eq!(response.status(), StatusCode::from_u16(status).unwrap(), "{scopes:?} {path}");
        }
    }
}

/// Whoever may look finds the agents; calling them needs call of the one that is called.
#[tokio::test]
async fn mcp_needs_read_or_call_of_the_agent() {
    let agents: Arc<dyn AgentSource> =
        Arc::new(Served(["clock", "weather"].map(|name| Arc::new(agent(name))).to_vec()));
    let ports = mcp_endpoints::ports(&agents, Arc::new(crate::world::engine(&["clock", "weather"])));
    let house = House::of(|_| {}, |options| options.mcp = Some(ports));
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
        let asked = async |path, method, params| mcp_endpoints::asked(&house.app, path, &given, method, params).await;
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
        // There is no such tool, which only those are told who may call one.
        let status = asked(place, "tools/call", json!({"name": "nothing"})).await.0;
        assert_eq!(status == 403, exported == 403, "{scopes:?} {status}");
    }
}

/// Whether an agent is there is not for those who may not read it.
#[tokio::test]
async fn an_agent_that_may_not_be_read_looks_like_none() {
    let house = House::new();
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
            let response = raw(&house.app, method, &path.replace("NAME", agent), pairs.clone(), body).await;
            assert_eq!(response.status(), 403, "{path}");
            replies.push(super::whole::whole(response).await.replace(agent, "NAME"));
        }
        assert_eq!(replies[0], replies[1]);
    }
}
