//! MCP endpoints: their paths, and calls that run agents.

use crate::{
    bindings::{headers, raw},
    world::configured,
    world::{
        DiscardingWebhooks, ScriptedModel, SequentialIds, StaticAgents, TickingClock, WeatherTools, agent, options,
    },
};
use axum::Router;
use baton_engine::{Engine, EngineOptions, Ports};
use baton_journal::MemoryJournal;
use baton_mcp::{
    EndpointContext, Environments, ExportedEndpoints, McpLimits, McpPorts, McpSessionManager, OwnServer,
    OwnServerOptions, StateSeal,
};
use baton_ports::{AgentInvoker, AgentSource};
use baton_server::app;
use baton_toolhost::{ConnectorRegistry, HostSettings, McpServers};
use baton_types::{AgentName, AgentResources, AgentSpec, ExportedTool};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::sync::Arc;

/// Agents that export one tool each.
struct ExportingAgents(StaticAgents);

impl AgentSource for ExportingAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.agents()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.0.agent(name)
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        let export = ExportedTool {
            name: "repeat".to_owned(),
            description: "Says it again".to_owned(),
            parameters: json!({"properties": {"words": {"type": "string"}}, "required": ["words"]}).into(),
            prompt: "{words}".to_owned(),
        };
        Arc::new(AgentResources { exports: vec![export], ..AgentResources::default() })
    }
}

/// Context that the endpoints share.
pub(crate) fn common() -> EndpointContext {
    let limits = McpLimits::default();
    EndpointContext {
        sessions: McpSessionManager::new(&limits, None),
        seal: Arc::new(StateSeal::random(limits.answer_timeout).unwrap()),
        limits,
        shutdown: tokio_util::sync::CancellationToken::new(),
    }
}

/// MCP endpoints of these agents.
pub(crate) fn ports(agents: &Arc<dyn AgentSource>, engine: Arc<Engine>) -> McpPorts {
    let invoker: Arc<dyn AgentInvoker> = Arc::<Engine>::clone(&engine);
    let common = common();
    let environment = baton_mcp::EnvironmentPorts {
        agents: Arc::clone(agents),
        tools: Arc::new(WeatherTools),
        servers: McpServers::new(Arc::clone(agents), ConnectorRegistry::new(), HostSettings::default()),
        invoker: Arc::clone(&invoker),
        handoffs: engine,
        clock: Arc::new(TickingClock::default()),
        ids: Arc::new(SequentialIds::default()),
    };
    McpPorts {
        own: OwnServer::endpoint(Arc::clone(agents), Arc::clone(&invoker), OwnServerOptions::default(), &common),
        manage: None,
        exported: Arc::new(ExportedEndpoints::new(Arc::clone(agents), invoker, common.clone())),
        environments: Arc::new(Environments::new(environment, common)),
    }
}

fn served(names: &[&str]) -> Router {
    let agents = names.iter().map(|name| Arc::new(agent(name))).collect();
    let agents: Arc<dyn AgentSource> = Arc::new(ExportingAgents(StaticAgents(agents)));
    let engine = Engine::new(
        EngineOptions::default(),
        Ports {
            journal: Arc::new(MemoryJournal::default()),
            models: Arc::new(ScriptedModel),
            tools: Arc::new(WeatherTools),
            agents: Arc::clone(&agents),
            peers: Arc::new(baton_engine::NoPeers),
            webhooks: Arc::new(DiscardingWebhooks),
            watch: None,
            clock: Arc::new(TickingClock::default()),
            ids: Arc::new(SequentialIds::default()),
        },
    );
    let mcp = Some(ports(&agents, Arc::new(engine.clone())));
    app(
        engine,
        configured(options(), |options| {
            options.mcp = mcp;
        }),
    )
}

/// Sends a request of the latest protocol version; returns the result, or the whole reply if it has none.
pub(crate) async fn call_mcp(
    app: &Router,
    path: &str,
    given: &[(&str, &str)],
    method: &str,
    params: Value,
) -> (u16, Value) {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut pairs = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    if !name.is_empty() {
        pairs.push(("mcp-name", &name));
    }
    pairs.extend(given);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let response = raw(app, "POST", path, headers(&pairs), body.to_string()).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let mut reply: Value = serde_json::from_slice(&body).unwrap();
    let result = reply["result"].take();
    (status, if result.is_null() { reply } else { result })
}

async fn tools(app: &Router, path: &str) -> String {
    let (status, listed) = call_mcp(app, path, &[], "tools/list", json!({})).await;
    match listed["tools"].as_array() {
        Some(tools) => tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>().join(" "),
        None => format!("{status}"),
    }
}

#[tokio::test]
async fn each_path_serves_its_endpoint() {
    let (none, one, several) = (served(&[]), served(&["weather"]), served(&["weather", "clock"]));
    let (all, environment) = ("list_agents call_agent", "get_weather repeat");
    for (app, path, expect) in [
        (&none, "/mcp", all),
        (&none, "/api/v1/mcp", all),
        (&one, "/mcp", environment),
        (&one, "/mcp/", environment),
        (&one, "/api/v1/mcp", all),
        (&one, "/agents/weather/mcp", environment),
        (&one, "/agents/weather/mcp/exported", "repeat"),
        (&several, "/mcp", all),
        (&several, "/mcp/", all),
        (&several, "/mcp?names=a2a", "a2a_list_agents a2a_send_message"),
        (&several, "/api/v1/mcp/", all),
        (&several, "/agents/clock/mcp", environment),
        (&several, "/agents/clock/mcp/exported/", "repeat"),
        (&several, "/agents/nobody/mcp/exported", "404"),
        (&several, "/agents/nobody/mcp", "404"),
    ] {
        assert_eq!(tools(app, path).await, expect, "{path}");
    }
    let without = app(crate::world::engine(&["weather"]), options());
    for path in ["/mcp", "/api/v1/mcp", "/agents/weather/mcp/exported"] {
        let (status, reply) = call_mcp(&without, path, &[], "tools/list", json!({})).await;
        assert!(status == 400 && reply.to_string().contains("BTN-1009"), "{path}: {status} {reply}");
    }
}

/// An agent asks, gets an answer, and continues its conversation; its tasks exist in the API.
#[tokio::test]
async fn agent_calls_create_tasks() {
    let app = served(&["weather", "clock"]);
    let call = async |arguments: Value| {
        let params = json!({"name": "call_agent", "arguments": arguments});
        call_mcp(&app, "/mcp", &[], "tools/call", params).await.1
    };
    let listed = call_mcp(&app, "/mcp", &[], "tools/call", json!({"name": "list_agents"})).await.1;
    assert_eq!(listed["structuredContent"]["agents"][1]["url"], "http://localhost/agents/clock/");

    let question = call(json!({"agentId": "weather", "message": "ask"})).await["structuredContent"].take();
    assert_eq!((&question["status"], &question["response"]), (&json!("input-required"), &json!("Where?")));
    let answer = json!({"agentId": "weather", "message": "Oakland", "taskId": question["taskId"]});
    let done = call(answer).await["structuredContent"].take();
    assert_eq!((&done["status"], &done["taskId"]), (&json!("completed"), &question["taskId"]));
    assert_eq!(done["contextId"], question["contextId"]);
    let more = json!({"agentId": "weather", "message": "Hello", "contextId": done["contextId"]});
    let more = call(more).await["structuredContent"].take();
    assert_eq!((&more["response"], &more["contextId"]), (&json!("Hello"), &done["contextId"]));
    assert_ne!(more["taskId"], done["taskId"]);

    let ended = call(json!({"agentId": "weather", "message": "Hello", "taskId": done["taskId"]})).await;
    assert_eq!(ended["isError"], true);
    assert!(ended["content"][0]["text"].as_str().unwrap().contains("BTN-2004"), "{ended}");

    let exported = "/agents/clock/mcp/exported";
    let params = json!({"name": "repeat", "arguments": {"words": "Good morning"}});
    let repeated = call_mcp(&app, exported, &[], "tools/call", params).await.1;
    assert_eq!(repeated["content"], json!([{"type": "text", "text": "Good morning"}]));
    let task = repeated["_meta"]["dev.baton/taskId"].as_str().unwrap();
    let task = raw(&app, "GET", &format!("/api/v1/tasks/{task}"), headers(&[]), "").await;
    assert_eq!(task.status(), 200, "the task can be read");
}

#[tokio::test]
async fn foreign_origins_and_rebound_hosts_are_rejected() {
    let app = served(&["weather", "clock"]);
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"},
    }});
    for path in ["/mcp", "/api/v1/mcp", "/agents/weather/mcp", "/agents/weather/mcp/exported"] {
        for given in [("origin", "http://evil.example"), ("origin", "null"), ("host", "evil.example:8700")] {
            let (status, reply) = call_mcp(&app, path, &[given], "tools/list", json!({})).await;
            assert_eq!((status, &reply["tools"]), (403, &Value::Null), "{path} {given:?}");
            let pairs =
                [("content-type", "application/json"), ("accept", "application/json, text/event-stream"), given];
            for (method, body) in [("POST", initialize.to_string()), ("GET", String::new()), ("DELETE", String::new())]
            {
                let response = raw(&app, method, path, headers(&pairs), body).await;
                assert_eq!(response.status(), 403, "{method} {path} {given:?}");
                assert!(response.headers().get("mcp-session-id").is_none());
            }
        }
        assert_eq!(call_mcp(&app, path, &[("host", "localhost:8700")], "tools/list", json!({})).await.0, 200, "{path}");
    }
}
