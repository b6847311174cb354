//! Requests for existing resources, one for each operation of the route table.

use super::{
    isolation::{CONTEXT, PUSH, create_resources},
    server::{TestServer, bearer, token},
    tool_permissions::{AGENT, SERVERS, StaticToolHost},
    walk_fixtures::{StaticExports, StubPeerRegistry},
};
use crate::{
    bindings::{framed, headers, raw},
    mcp_endpoints, meters,
    world::{StaticAgents, agent, definitions, engine},
};
use baton_engine::NoPeers;
use baton_http::{RouteAccess, RouteEntry};
use baton_http_api::{DefinitionPorts, PeerPorts, ToolPorts};
use baton_http_telemetry::{ExportPorts, MeterPorts, SpanPorts};
use baton_ports::AgentSource;
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_types::Digest;
use http::HeaderMap;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::sync::Arc;

/// Entries of the collections of a definition.
const COLLECTIONS: &str = "rules:
  - { name: tone, text: Be kind. }
references:
  - { name: sky, text: The sky is blue. }
exports:
  - { name: sum, description: Sums up, prompt: Sum up }
providers:
  openai: { rpm: 7 }
";

/// A server with one resource of each kind, owned by `acme/ann`; the agent is `weather`.
pub(super) struct World {
    pub(super) server: TestServer,
    task: String,
    /// Path of the pending approval.
    approval: String,
    handoff: String,
    pub(super) response: String,
    pub(super) conversation: String,
    pub(super) item: String,
    /// Output item of the response.
    pub(super) output: String,
}

impl World {
    pub(super) async fn new(owner: Digest) -> Self {
        let names = ["clock", "weather"];
        let agents: Arc<dyn AgentSource> = Arc::new(StaticAgents(names.map(|name| Arc::new(agent(name))).to_vec()));
        let definition = format!("{AGENT}{COLLECTIONS}");
        let repository = definitions(&[("agent.yaml", &definition), ("mcp.json", SERVERS)]).await;
        let server = TestServer::with_options(
            |access| access.owner = Some(owner),
            |options| {
                options.mcp = Some(mcp_endpoints::ports(&agents, Arc::new(engine(&names))));
                options.api.tools = Some(ToolPorts { host: Arc::new(StaticToolHost) });
                let registry = Arc::new(StubPeerRegistry);
                options.api.peers = Some(PeerPorts { registry, peers: Arc::new(NoPeers) });
                options.api.definitions = Some(DefinitionPorts { repository });
                options.telemetry.exports = Some(ExportPorts { exports: Arc::new(StaticExports) });
                options.telemetry.meters = Some(MeterPorts { meters: meters::meters(), now: || 2_000 });
                let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
                options.telemetry.spans = Some(SpanPorts { store });
            },
        );
        let owned = create_resources(&server).await;
        let mut world = Self {
            server,
            task: owned.tasks[0].clone(),
            approval: format!("{}/", owned.tasks[1]),
            handoff: owned.handoff,
            response: String::new(),
            conversation: String::new(),
            item: String::new(),
            output: String::new(),
        };
        let pending = world.send("GET", "/api/v1/approvals", &Value::Null).await;
        let pending = pending["approvals"].as_array().unwrap().iter().map(|one| text(&one["id"]));
        world.approval = pending.into_iter().find(|id| id.starts_with(&world.approval)).unwrap();
        let settings = json!({"settings": {"max_turns": 3}, "title": "Weather"});
        world.send("PATCH", &format!("/api/v1/sessions/{CONTEXT}?agent=weather"), &settings).await;
        world.conversation = text(&world.send("POST", "/v1/conversations", &json!({})).await["id"]);
        let asked = json!({"model": "weather", "input": "Hello", "conversation": world.conversation});
        let answered = world.send("POST", "/v1/responses", &asked).await;
        (world.response, world.output) = (text(&answered["id"]), text(&answered["output"][0]["id"]));
        let items = world.send("GET", &format!("/v1/conversations/{}/items", world.conversation), &Value::Null).await;
        world.item = text(&items["data"][0]["id"]);
        let made = json!({"name": "ci"});
        let admin = headers(&[("authorization", &bearer(&token("acme", "ann", "admin"))), JSON]);
        let created = raw(&world.server.app, "POST", "/api/v1/tokens", admin, made.to_string()).await;
        assert_eq!(created.status(), 201);
        world.server.audit.take();
        world.server.audit.take_changes();
        world
    }

    /// Headers of the resources' owner.
    pub(super) fn owner(&self) -> HeaderMap {
        headers(&[("authorization", &bearer(&token("acme", "ann", "call"))), JSON])
    }

    /// Sends a request as the owner and returns the reply.
    pub(super) async fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = raw(&self.server.app, method, path, self.owner(), body).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        assert!(status.is_success(), "{method} {path} {status} {bytes:?}");
        serde_json::from_slice(&bytes).unwrap()
    }

    /// The path with its parameters replaced by existing ids.
    fn filled(&self, path: &str) -> String {
        let path = path.replace("{task}/{call}", &self.approval);
        [
            ("{agent}", "weather"),
            ("{tenant}", "weather"),
            ("{model}", "weather"),
            ("{task}", &self.task),
            ("{handoff}", &self.handoff),
            ("{context}", CONTEXT),
            ("{response}", &self.response),
            ("{conversation}", &self.conversation),
            ("{item}", &self.item),
            ("{config}", PUSH),
            ("{token}", "t1"),
            ("{tool}", "get_weather"),
            ("{trace}", "1"),
            ("{tag}", "name"),
            ("{server}", "files"),
            ("{rule}", "tone"),
            ("{reference}", "sky"),
            ("{export}", "sum"),
            ("{provider}", "openai"),
            ("{registration}", "nothing"),
            ("{*resource}", "agents"),
        ]
        .iter()
        .fold(path, |path, (name, value)| path.replace(name, value))
    }
}

const JSON: (&str, &str) = ("content-type", "application/json");

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Transport of a request.
pub(super) enum Kind {
    Http { content_type: &'static str, body: Vec<u8> },
    Mcp { method: &'static str, params: Value },
}

pub(super) struct Request {
    /// Name of the operation in the table.
    pub(super) name: String,
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) kind: Kind,
}

/// Requests of an operation: one, or one for each method that its body or path can select.
pub(super) fn requests(entry: &RouteEntry, world: &World) -> Vec<Request> {
    let RouteEntry { method, path, access, .. } = entry;
    let plain = |suffix: &str, verb: &str, body: Vec<u8>, content_type| Request {
        name: format!("{method} {path}{suffix}{verb}"),
        method: if *method == "ANY" { "GET" } else { method },
        path: format!("{}{verb}{}", world.filled(path), query(method, path)),
        kind: Kind::Http { content_type, body },
    };
    let json = |body: Value| if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    if path.contains("/mcp") {
        let call = match path.trim_end_matches('/') {
            "/mcp" | "/api/v1/mcp" => {
                json!({"name": "call_agent", "arguments": {"agentId": "weather", "message": "Hello"}})
            }
            _ => json!({"name": "get_weather", "arguments": {"city": "Oakland"}}),
        };
        let told = |method: &'static str, params| Request {
            name: format!("ANY {path} {method}"),
            method: "POST",
            path: world.filled(path),
            kind: Kind::Mcp { method, params },
        };
        return vec![plain("", "", Vec::new(), ""), told("tools/list", json!({})), told("tools/call", call)];
    }
    if let Some((service, _)) = path.split_once("{method}") {
        let names = if service.contains("lf.a2a") { GRPC } else { OLD_GRPC };
        let told = |name: &&str| Request {
            name: format!("{method} {service}{name}"),
            method,
            path: format!("{service}{name}"),
            kind: Kind::Http { content_type: "application/grpc", body: framed(&[]) },
        };
        return names.iter().map(told).collect();
    }
    if *access == RouteAccess::Method {
        let names = if path == "/agents/{agent}" { JSON_RPC } else { &JSON_RPC[..1] };
        let told = |name: &&str| {
            let mut params = params(name, world);
            if !path.contains("{agent}") {
                params["tenant"] = json!("weather");
            }
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": name, "params": params});
            plain(&format!(" {name}"), "", json(call), "application/json")
        };
        return names.iter().map(told).collect();
    }
    if matches!(access, RouteAccess::ReadOrCall(_)) {
        let verbs = [":cancel", ":subscribe"];
        return verbs.iter().map(|verb| plain("", verb, Vec::new(), "application/json")).collect();
    }
    if path.ends_with("TraceService/Export") {
        return vec![plain("", "", framed(&[]), "application/grpc")];
    }
    let body = if matches!(*method, "GET" | "DELETE") { Value::Null } else { body(path) };
    let mut all = vec![plain("", "", json(body), "application/json")];
    if (*method, path.as_str()) == ("POST", "/api/v1/agents") {
        let remote = json!({"url": "https://abroad.example.com"}).to_string();
        all.push(plain(" remote", "", remote.into_bytes(), "application/json"));
    }
    all
}

/// Query without which the operation cannot succeed.
fn query(method: &str, path: &str) -> &'static str {
    match (method, path) {
        ("DELETE", "/api/v1/sessions/{context}") => "?force=true",
        _ => "",
    }
}

fn body(path: &str) -> Value {
    let asked = json!({"model": "weather", "input": "Hello"});
    match path.strip_prefix("/agents/{agent}").unwrap_or(path) {
        "/v1/responses" | "/v1/responses/compact" | "/v1/responses/input_tokens" => asked,
        "/v1/chat/completions" => json!({"model": "weather", "messages": [{"role": "user", "content": "Hello"}]}),
        "/v1/conversations/{conversation}/items" => json!({"items": [{"role": "user", "content": "x"}]}),
        "/v1/conversations/{conversation}" => json!({"metadata": {"a": "b"}}),
        path if path.contains("message:") => {
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}})
        }
        "/api/v1/tokens" => json!({"name": "another"}),
        "/api/v1/sessions/{context}" => json!({"title": "Weather"}),
        "/api/v1/sessions" => json!({
            "format": "baton.session/1", "agent": "weather",
            "messages": [{"at": null, "message": {"role": "ROLE_USER", "parts": [{"text": "Hello"}]}}],
        }),
        "/api/v1/approvals/{task}/{call}" => json!({"text": "Lisbon"}),
        "/api/v1/agents" => json!({"name": "bob", "title": "Bob", "description": "Helps.", "prompt": "Be brief."}),
        "/api/v1/agents/{agent}" => json!({"title": "Weather"}),
        "/api/v1/agents/{agent}/clone" => json!({"name": "rob"}),
        "/api/v1/agents/{agent}/rules/{rule}" => json!({"text": "Be calm."}),
        "/api/v1/agents/{agent}/references/{reference}" => json!({"text": "It is grey."}),
        "/api/v1/agents/{agent}/exports/{export}" => json!({"prompt": "Sum it up"}),
        "/api/v1/agents/{agent}/servers/{server}" => json!({"url": "https://mcp.example.com/mcp"}),
        "/api/v1/agents/{agent}/providers/{provider}" => json!({"rpm": 8}),
        "/api/v1/agents/{agent}/tools/{tool}/answers" => json!({"answers": []}),
        path if path.ends_with("/permission") => json!({"permission": "ask"}),
        _ => json!({}),
    }
}

fn params(method: &str, world: &World) -> Value {
    let is = |word: &str| method.to_lowercase().contains(word);
    if is("message") {
        return json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}});
    }
    json!({"id": world.task, "taskId": world.task})
}

const JSON_RPC: &[&str] = &[
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/cancel",
    "tasks/resubscribe",
    "tasks/pushNotificationConfig/set",
    "tasks/pushNotificationConfig/get",
    "tasks/pushNotificationConfig/list",
    "tasks/pushNotificationConfig/delete",
    "agent/getAuthenticatedExtendedCard",
    "message.send",
    "tasks.get",
    "tasks.list",
    "tasks.cancel",
    "agent.getExtendedAgentCard",
];

const GRPC: &[&str] = &[
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];

const OLD_GRPC: &[&str] = &[
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "CancelTask",
    "TaskSubscription",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfig",
    "DeleteTaskPushNotificationConfig",
    "GetAgentCard",
];
