//! Calls to servers of the newest protocol: posted directly if the tool is plain, otherwise through the MCP library.

use super::{
    provider::settings,
    world::{ReceivedRequest, Reply, Server, event},
};
use crate::servers::{
    script::discovered,
    world::{Agents, name, server, tools},
};
use baton_toolhost::{
    CallObserver, CallOptions, ConnectorRegistry, HostSettings, McpServers, RemoteConnector, ServerError, ServerReply,
    TransportKind,
};
use baton_types::{McpServer, McpTransport};
use bytes::Bytes;
use http::Method;
use rmcp::model::ProgressNotificationParam;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::mpsc;

/// Posted directly.
const PLAIN: &str = "plain";
/// Posted by the library, because an argument is also sent in a header.
const ANNOTATED: &str = "annotated";

/// The servers of an agent with one server, whose reply to calls is scripted.
async fn start(call: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static) -> (Server, McpServers) {
    let server_side = Server::start(move |got| {
        let result = match got.message()["method"].as_str() {
            Some("server/discover") => discovered(&["2026-07-28"]),
            Some("tools/list") => listed(),
            _ => return call(got),
        };
        answer(got, &result)
    })
    .await;
    let transport = McpTransport::Http { url: server_side.url("/mcp"), headers: BTreeMap::new() };
    let agents = Agents::with_servers(vec![McpServer { transport, ..server("s") }]);
    let connectors = ConnectorRegistry::new().with(TransportKind::Http, Arc::new(RemoteConnector::new(settings(None))));
    let servers = McpServers::new(Arc::new(agents), connectors, HostSettings::default());
    assert_eq!(tools(&servers).await, ["s__annotated", "s__plain"]);
    (server_side, servers)
}

fn listed() -> Value {
    let tool = |name: &str, city: Value| json!({ "name": name, "inputSchema": { "type": "object", "properties": { "city": city } } });
    let tools =
        [tool(PLAIN, json!({"type": "string"})), tool(ANNOTATED, json!({"type": "string", "x-mcp-header": "City"}))];
    json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools })
}

fn answer(got: &ReceivedRequest, result: &Value) -> Reply {
    Reply::json(&response(got, result))
}

fn response(got: &ReceivedRequest, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": got.message()["id"], "result": result })
}

fn progress(got: &ReceivedRequest) -> Value {
    let token = &got.message()["params"]["_meta"]["progressToken"];
    let params = json!({ "progressToken": token, "progress": 1.0, "message": "half" });
    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
}

fn seen() -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": "seen" }], "structuredContent": {"n": 1} })
}

#[derive(Default)]
struct ProgressRecorder(Mutex<Vec<Option<String>>>);

impl CallObserver for ProgressRecorder {
    fn progress(&self, progress: ProgressNotificationParam) {
        self.0.lock().unwrap().push(progress.message);
    }
}

/// The outcome of a call and the progress that it reported, as text.
async fn call(servers: &McpServers, tool: &str) -> (Result<ServerReply, ServerError>, Vec<Option<String>>) {
    let recorder = Arc::new(ProgressRecorder::default());
    let arguments = json!({ "city": "Bonn" }).as_object().cloned();
    let options = CallOptions {
        arguments,
        events: Some(Arc::clone(&recorder) as _),
        trace: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        ..CallOptions::default()
    };
    let outcome = servers.call_tool(&name(), "s", tool, options).await;
    let progress = std::mem::take(&mut *recorder.0.lock().unwrap());
    (outcome, progress)
}

fn calls_of(server: &Server, tool: &str) -> Vec<ReceivedRequest> {
    let is_call = |got: &ReceivedRequest| got.is_method("tools/call") && got.message()["params"]["name"] == tool;
    server.requests().into_iter().filter(is_call).collect()
}

type CallScript = fn(&ReceivedRequest) -> Reply;

/// Replies of servers, and a part of the outcome of a call.
const REPLIES: [(&str, CallScript, &str); 19] = [
    ("a result", |got| answer(got, &seen()), "seen"),
    ("a failure", |got| answer(got, &json!({"content": [], "isError": true})), "is_error: Some(true)"),
    ("an empty result", |got| answer(got, &json!({})), "content: []"),
    ("an unknown result", |got| answer(got, &json!({"color": "red"})), "color"),
    ("a question", |got| answer(got, &question()), "Which city?"),
    (
        "an id as text",
        |got| {
            let id = got.message()["id"].to_string();
            Reply::json(&json!({"jsonrpc": "2.0", "id": id, "result": seen()}))
        },
        "seen",
    ),
    (
        "an error",
        |got| {
            let error = json!({"code": -32602, "message": "no such city"});
            Reply::json(&json!({"jsonrpc": "2.0", "id": got.message()["id"], "error": error}))
        },
        "no such city",
    ),
    (
        "an error with a status",
        |got| {
            let error = json!({"code": -32602, "message": "no such city"});
            let mut reply = Reply::json(&json!({"jsonrpc": "2.0", "id": got.message()["id"], "error": error}));
            reply.set_status(400);
            reply
        },
        "no such city",
    ),
    ("a stream", |got| Reply::events(vec![Ok(event(&response(got, &seen())))]), "seen"),
    (
        "a stream with progress",
        |got| Reply::events(vec![Ok(event(&progress(got))), Ok(event(&response(got, &seen())))]),
        "half",
    ),
    (
        "a resumed stream",
        |got| match got.method {
            Method::GET => {
                Reply::events(vec![Ok(event(&json!({"jsonrpc": "2.0", "id": resumed_id(got), "result": seen()})))])
            }
            _ => {
                let id = got.message()["id"].to_string();
                let start = format!("id: {id}\nretry: 10\ndata:\n\n");
                Reply::events(vec![Ok(Bytes::from(start)), Err(io::Error::other("cut"))])
            }
        },
        "seen",
    ),
    ("a stream without a result", |got| Reply::events(vec![Ok(event(&progress(got)))]), "Broken"),
    ("a text", |_| Reply::status(200).with("content-type", "text/plain"), "text/plain"),
    ("no JSON", |_| broken_json(vec![Ok(Bytes::from_static(b"{"))]), "not a JSON-RPC message"),
    ("a cut body", |_| broken_json(vec![Ok(Bytes::from_static(b"{")), Err(io::Error::other("cut"))]), "Broken"),
    ("a long body", |got| answer(got, &json!({"content": "x".repeat(16 << 20)})), "the answer was refused"),
    ("a server error", |_| Reply::status(500), "HTTP 500"),
    ("no access", |_| Reply::status(401), "401"),
    ("no endpoint", |_| Reply::status(404), "404"),
];

fn question() -> Value {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let params = json!({"mode": "form", "message": "Which city?", "requestedSchema": schema});
    let requests = json!({"city": {"method": "elicitation/create", "params": params}});
    json!({"resultType": "input_required", "inputRequests": requests, "requestState": "s1"})
}

fn resumed_id(got: &ReceivedRequest) -> Value {
    serde_json::from_str(got.header("last-event-id").unwrap()).unwrap()
}

fn broken_json(pieces: Vec<io::Result<Bytes>>) -> Reply {
    Reply::pieces(pieces).with("content-type", "application/json")
}

#[tokio::test]
async fn direct_calls_end_like_calls_of_the_library() {
    for (kind, script, part) in REPLIES {
        let (server, servers) = start(script).await;
        let direct = call(&servers, PLAIN).await;
        let (server_of_library, servers) = start(script).await;
        let library = call(&servers, ANNOTATED).await;
        let origin = |text: String, server: &Server| text.replace(&server.origin, "http://server");
        let direct = origin(format!("{direct:?}"), &server);
        assert_eq!(direct, origin(format!("{library:?}"), &server_of_library), "{kind}");
        assert!(direct.contains(part), "{kind}: {direct}");
        assert_eq!(calls_of(&server, PLAIN).len(), 1, "{kind}: the call is posted once");
        assert_eq!(calls_of(&server_of_library, ANNOTATED).len(), 1, "{kind}");
    }
}

#[tokio::test]
async fn direct_calls_are_posted_like_calls_of_the_library() {
    let (server, servers) = start(|got| answer(got, &seen())).await;
    for tool in [PLAIN, ANNOTATED, PLAIN] {
        call(&servers, tool).await.0.unwrap();
    }
    let [first, second] = &calls_of(&server, PLAIN)[..] else { panic!("two direct calls") };
    let library = &calls_of(&server, ANNOTATED)[0];
    assert_eq!(library.header("mcp-param-city"), Some("Bonn"));
    let normal = |got: &ReceivedRequest| {
        let mut message = got.message();
        let id = message["id"].take();
        let token = message["params"]["_meta"]["progressToken"].take();
        assert!(id.is_number() && !token.is_null());
        message["params"]["name"] = Value::Null;
        let mut headers = got.headers.clone();
        for name in ["mcp-param-city", "content-length"] {
            headers.remove(name);
        }
        assert_eq!(headers.remove("mcp-name").unwrap(), got.message()["params"]["name"].as_str().unwrap());
        (message, headers)
    };
    assert_eq!(normal(first), normal(library));
    assert_ne!(first.message()["id"], second.message()["id"]);
}

#[tokio::test]
async fn call_of_a_caller_that_left_is_closed() {
    let bodies: [fn(mpsc::Receiver<Bytes>) -> Reply; 2] = [Reply::live_json, Reply::live];
    for body in bodies {
        let (streams, mut opened) = mpsc::channel(1);
        let (_server, servers) = start(move |_| {
            let (stream, live) = mpsc::channel(1);
            streams.try_send(stream).unwrap();
            body(live)
        })
        .await;
        let calling = tokio::spawn(async move { call(&servers, PLAIN).await });
        let stream = opened.recv().await.unwrap();
        calling.abort();
        tokio::time::timeout(Duration::from_secs(10), stream.closed()).await.expect("the connection is closed");
    }
}

#[tokio::test]
async fn connections_of_concurrent_calls_are_kept() {
    let (server, servers) = start(|got| answer(got, &seen())).await;
    for _ in 0..3 {
        futures_util::future::join_all((0..16).map(|_| call(&servers, PLAIN))).await;
    }
    assert_eq!(calls_of(&server, PLAIN).len(), 48);
    assert!(server.connections() <= 17, "{} connections", server.connections());
}
