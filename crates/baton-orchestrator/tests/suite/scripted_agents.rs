//! A server of scripted agents with their Environments.

use axum::{
    Json, Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::net::TcpListener;

/// Reply of an agent, from the turn (from 0) and the message that started it.
type Turn = Box<dyn Fn(usize, &Value) -> AgentReply + Send + Sync>;
/// Result of a tool for the parameters of a call.
type ToolFn = Box<dyn Fn(Value) -> BoxFuture<'static, Value> + Send + Sync>;

pub(crate) enum AgentReply {
    Done(String),
    /// The data part of a task that waits for input.
    NeedsInput(Value),
    /// No reply.
    Silence,
}

/// Tool calls in the flat format.
pub(crate) fn calls(calls: &[(&str, &str, Value)]) -> AgentReply {
    let calls: Vec<Value> =
        calls.iter().map(|(id, name, args)| json!({"call_id": id, "name": name, "arguments": args})).collect();
    AgentReply::NeedsInput(json!({ "tool_calls": calls }))
}

/// The tool results in a message.
pub(crate) fn results(message: &Value) -> Value {
    let data = message["parts"].as_array().unwrap().iter().find_map(|part| part.get("data"));
    data.map(|data| data["tool_results"].clone()).unwrap_or_default()
}

pub(crate) fn text(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

#[derive(Default)]
pub(crate) struct Script {
    turns: BTreeMap<String, Turn>,
    tools: BTreeMap<String, BTreeMap<String, ToolFn>>,
    /// Environment URL in the cards; `{url}/mcp` is served in any case.
    named: Option<String>,
}

impl Script {
    pub(crate) fn agent(
        mut self,
        name: &str,
        turn: impl Fn(usize, &Value) -> AgentReply + Send + Sync + 'static,
    ) -> Self {
        self.turns.insert(name.to_owned(), Box::new(turn));
        self
    }

    pub(crate) fn tool<F: Future<Output = Value> + Send + 'static>(
        mut self,
        agent: &str,
        name: &str,
        run: impl Fn(Value) -> F + Send + Sync + 'static,
    ) -> Self {
        let run: ToolFn = Box::new(move |params| Box::pin(run(params)));
        self.tools.entry(agent.to_owned()).or_default().insert(name.to_owned(), run);
        self
    }

    pub(crate) fn with_environment_url(mut self, url: &str) -> Self {
        self.named = Some(url.to_owned());
        self
    }

    pub(crate) async fn serve(self) -> ScriptedAgents {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared =
            Arc::new(SharedState { script: self, url: url.clone(), said: Mutex::default(), seen: Mutex::default() });
        let app = Router::new()
            .route("/{agent}/.well-known/agent-card.json", get(card))
            .route("/{agent}", post(a2a))
            .route("/{agent}/mcp", post(mcp))
            .route("/{agent}/elsewhere", post(mcp))
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        ScriptedAgents { url, shared }
    }
}

pub(crate) struct ScriptedAgents {
    url: String,
    shared: Arc<SharedState>,
}

struct SharedState {
    script: Script,
    url: String,
    /// The messages of each task.
    said: Mutex<BTreeMap<String, Vec<Value>>>,
    /// Received requests, with the relevant headers.
    seen: Mutex<Vec<Value>>,
}

impl ScriptedAgents {
    pub(crate) fn at(&self, agent: &str) -> String {
        format!("{}/{agent}", self.url)
    }

    /// Received requests of a method, oldest first.
    pub(crate) fn seen(&self, method: &str) -> Vec<Value> {
        self.shared.seen.lock().unwrap().iter().filter(|one| one["method"] == method).cloned().collect()
    }
}

impl SharedState {
    fn note(&self, agent: &str, headers: &HeaderMap, request: &Value) {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        self.seen.lock().unwrap().push(json!({
            "agent": agent, "method": request["method"], "params": request["params"],
            "authorization": header("authorization"), "depth": header("baton-handoff-depth"),
        }));
    }
}

async fn card(State(shared): State<Arc<SharedState>>, Path(agent): Path<String>) -> Result<Json<Value>, StatusCode> {
    if !shared.script.turns.contains_key(&agent) {
        return Err(StatusCode::NOT_FOUND);
    }
    let url = format!("{}/{agent}", shared.url);
    let named = shared.script.named.as_ref().map(|named| {
        let url = named.replace("{url}", &url);
        json!({"uri": "https://baton.dev/extensions/environment/v1", "params": {"url": url}})
    });
    Ok(Json(json!({
        "name": agent, "description": "Scripted.", "version": "1",
        "supportedInterfaces": [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": false, "extensions": named.into_iter().collect::<Vec<_>>()},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
    })))
}

async fn a2a(
    State(shared): State<Arc<SharedState>>,
    Path(agent): Path<String>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Json<Value> {
    shared.note(&agent, &headers, &request);
    if request["method"] != "SendMessage" {
        let task = json!({"id": request["params"]["id"], "contextId": "c", "status": {"state": "TASK_STATE_CANCELED"}});
        return Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": task}));
    }
    let message = &request["params"]["message"];
    let context = message["contextId"].as_str().unwrap_or("context").to_owned();
    let (id, history, turn) = {
        let mut said = shared.said.lock().unwrap();
        let id = message["taskId"].as_str().map_or_else(|| format!("task-{}", said.len() + 1), str::to_owned);
        let history = said.entry(id.clone()).or_default();
        history.push(message.clone());
        (id, history.clone(), history.len() - 1)
    };
    let (state, parts) = match shared.script.turns[&agent](turn, message) {
        AgentReply::Done(text) => ("TASK_STATE_COMPLETED", json!([{ "text": text }])),
        AgentReply::NeedsInput(data) => ("TASK_STATE_INPUT_REQUIRED", json!([{"text": ""}, {"data": data}])),
        AgentReply::Silence => std::future::pending().await,
    };
    let says = json!({"messageId": format!("{id}-{turn}"), "role": "ROLE_AGENT", "parts": parts});
    let status = json!({"state": state, "message": says});
    let task = json!({"id": id, "contextId": context, "status": status, "history": history});
    Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": {"task": task}}))
}

async fn mcp(
    State(shared): State<Arc<SharedState>>,
    Path(agent): Path<String>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    let tools = shared.script.tools.get(&agent).ok_or(StatusCode::NOT_FOUND)?;
    shared.note(&agent, &headers, &request);
    let complete = |mut result: Value| {
        result["resultType"] = "complete".into();
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "private".into();
        result
    };
    let result = match request["method"].as_str().unwrap() {
        "server/discover" => complete(json!({
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "fake", "version": "1"}},
        })),
        "tools/list" => {
            let tool = |name: &String| json!({"name": name, "description": "", "inputSchema": {"type": "object"}});
            complete(json!({"tools": tools.keys().map(tool).collect::<Vec<_>>()}))
        }
        "tools/call" => match tools.get(request["params"]["name"].as_str().unwrap()) {
            Some(run) => run(request["params"].clone()).await,
            None => {
                let error = json!({"code": -32602, "message": "Unknown tool"});
                return Ok(Json(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})));
            }
        },
        _ => return Err(StatusCode::ACCEPTED),
    };
    Ok(Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})))
}
