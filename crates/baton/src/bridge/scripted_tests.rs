//! The bridge against a scripted endpoint, including responses that no valid server sends.

use super::{
    endpoint::BridgeEndpoint,
    output::{InputLine, LineOutput},
    pump::Bridge,
};
use crate::screen::{Screen, ScreenFormat};
use baton_client::Client;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex},
};
use tokio::sync::mpsc;

const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

/// One reply: status, content type, session, body.
type Reply = (u16, &'static str, Option<&'static str>, String);

/// The received requests: method, relevant headers, body.
type RequestLog = Arc<Mutex<Vec<String>>>;

struct ScriptedBridge {
    lines: mpsc::Sender<InputLine>,
    heard: mpsc::Receiver<String>,
    seen: RequestLog,
    done: tokio::task::JoinHandle<()>,
}

/// POST and DELETE requests are answered in order from `posts`, GET streams from `streams`.
fn scripted(posts: Vec<Reply>, streams: Vec<Reply>) -> ScriptedBridge {
    let seen = RequestLog::default();
    let (posts, streams) = (Mutex::new(VecDeque::from(posts)), Mutex::new(VecDeque::from(streams)));
    let scripts = Arc::new((posts, streams));
    let watching = Arc::clone(&seen);
    let endpoint = tower::service_fn(move |request: Request<Full<bytes::Bytes>>| {
        let (scripts, watching) = (Arc::clone(&scripts), Arc::clone(&watching));
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            let names = ["mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name", "last-event-id"];
            let params =
                parts.headers.keys().map(http::HeaderName::as_str).filter(|name| name.starts_with("mcp-param-"));
            let shown: Vec<String> = names
                .into_iter()
                .chain(params)
                .filter_map(|name| Some(format!("{name}={}", parts.headers.get(name)?.to_str().ok()?)))
                .collect();
            let message: Value = serde_json::from_slice(&body).unwrap_or_default();
            let what = message["method"].as_str().unwrap_or_default();
            watching.lock().unwrap().push(format!("{} {what} {}", parts.method, shown.join(" ")).replace("  ", " "));
            let script = if parts.method == Method::GET { &scripts.1 } else { &scripts.0 };
            let next = script.lock().unwrap().pop_front();
            let (status, kind, session, text) = next.unwrap_or((405, JSON, None, String::new()));
            let mut reply = Response::builder().status(status).header("content-type", kind);
            if let Some(session) = session {
                reply = reply.header("mcp-session-id", session);
            }
            Ok::<_, Infallible>(reply.body(Full::new(bytes::Bytes::from(text))).unwrap())
        }
    });
    let screen = Screen::new(ScreenFormat::Text);
    let (give, heard) = mpsc::channel(100);
    let reach = BridgeEndpoint::new(Client::in_memory(endpoint), "/mcp".to_owned(), None, screen);
    let (lines, reading) = mpsc::channel(100);
    let bridge = Bridge::new(reach, LineOutput::to(give), screen);
    let done = tokio::spawn(bridge.run(reading));
    ScriptedBridge { lines, heard, seen, done }
}

impl ScriptedBridge {
    async fn send(&self, message: Value) {
        self.lines.send(InputLine::Text(message.to_string())).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.heard.recv().await.unwrap()).unwrap()
    }

    /// Closes the input; returns the remaining messages and all received requests.
    async fn finish(mut self) -> (Vec<String>, Vec<String>) {
        drop(self.lines);
        self.done.await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.heard.recv().await {
            rest.push(line);
        }
        let seen = self.seen.lock().unwrap().clone();
        (rest, seen)
    }
}

fn event(id: &str, data: &Value) -> String {
    format!("id: {id}\ndata: {data}\n\n")
}

fn opened(session: &'static str) -> Reply {
    let result = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18"}});
    (200, STREAM, Some(session), event("0", &result))
}

fn accepted() -> Reply {
    (202, JSON, None, String::new())
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
}

#[tokio::test(start_paused = true)]
async fn lost_session_is_reopened_with_the_same_settings() {
    let ok = |id: &str| (200, JSON, None, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    let reopened = json!({"jsonrpc": "2.0", "id": "baton-bridge-1", "result": {"protocolVersion": "2025-06-18"}});
    let mut talk = scripted(
        vec![
            opened("one"),
            accepted(),
            ok("1"),
            (404, "text/plain", None, "Not Found: Session not found".to_owned()),
            (200, JSON, Some("two"), reopened.to_string()),
            accepted(),
            ok("\"baton-bridge-2-0\""),
            ok("2"),
            accepted(),
        ],
        Vec::new(),
    );
    talk.send(initialize()).await;
    assert_eq!(talk.receive().await["id"], 0);
    talk.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    talk.send(json!({"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "info"}})).await;
    assert_eq!(talk.receive().await["id"], 1);
    talk.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    assert_eq!(talk.receive().await["id"], 2, "the client notices nothing");
    let (rest, seen) = talk.finish().await;
    assert_eq!(rest, Vec::<String>::new());
    let posts: Vec<&str> = seen.iter().map(String::as_str).filter(|seen| !seen.starts_with("GET")).collect();
    let of = |session: &str| format!("mcp-session-id={session} mcp-protocol-version=2025-06-18");
    let (one, two) = (of("one"), of("two"));
    assert_eq!(
        posts,
        [
            "POST initialize ",
            &format!("POST notifications/initialized {one}"),
            &format!("POST logging/setLevel {one}"),
            &format!("POST tools/list {one}"),
            "POST initialize ",
            &format!("POST notifications/initialized {two}"),
            &format!("POST logging/setLevel {two}"),
            &format!("POST tools/list {two}"),
            &format!("DELETE {two}"),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn interrupted_answer_resumes_after_the_last_event_id() {
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
    let unasked = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let mut talk = scripted(
        vec![
            opened("one"),
            accepted(),
            // A retry interval, and an end without the answer.
            (200, STREAM, None, format!("id: 7/3\nretry: 1000\ndata:\n\n{}", event("8/3", &progress))),
            accepted(),
        ],
        vec![(200, STREAM, None, event("1", &unasked)), (200, STREAM, None, event("9/3", &answer))],
    );
    talk.send(initialize()).await;
    talk.receive().await;
    talk.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    assert_eq!(talk.receive().await["method"], "notifications/tools/list_changed");
    talk.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}})).await;
    assert_eq!(talk.receive().await["method"], "notifications/progress");
    let next = talk.receive().await;
    assert_eq!(next["id"], 1, "{next}");
    let (_, seen) = talk.finish().await;
    assert!(seen.iter().any(|seen| seen.starts_with("GET") && seen.ends_with("last-event-id=8/3")), "{seen:#?}");
}

#[tokio::test(start_paused = true)]
async fn every_request_gets_one_answer_with_its_own_id() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let tools = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "sail", "inputSchema": {
        "type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}}]}});
    let nobody = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32020, "message": "headers"}});
    let mut talk = scripted(
        vec![
            (200, JSON, None, tools.to_string()),
            (400, JSON, None, nobody.to_string()),
            (500, "text/html", None, "<p>oh no</p>".to_owned()),
            (202, JSON, None, String::new()),
            (200, STREAM, None, "data: what?\n\n".to_owned()),
            (404, JSON, None, json!({"error": {"code": 404, "message": "there is no agent 'x'"}}).to_string()),
            (401, JSON, None, json!({"error": {"code": 401, "message": "no token"}}).to_string()),
        ],
        Vec::new(),
    );
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    talk.send(list).await;
    talk.receive().await;
    let mut answers = Vec::new();
    for id in ["a", "b", "c", "d", "e", "f"] {
        let params = json!({"name": "sail", "arguments": {"region": "Ærø"}, "_meta": meta});
        talk.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
        let heard = talk.receive().await;
        assert_eq!(heard["id"], id, "{heard}");
        answers.push(heard["error"]["message"].as_str().unwrap().to_owned());
    }
    let (rest, seen) = talk.finish().await;
    assert_eq!(
        answers,
        [
            "headers",
            "Baton refused the message (status 500): <p>oh no</p>",
            "Baton refused the message (status 202): an empty reply",
            "Baton ended the call without an answer; the call may have been executed",
            "Baton refused the message (status 404): there is no agent 'x'",
            "Baton refused the message (status 401): no token; pass a token with --token or BATON_TOKEN",
        ]
    );
    assert_eq!((rest.len(), seen.len()), (0, 7), "{seen:#?}");
    let call = "POST tools/call mcp-protocol-version=2026-07-28 mcp-method=tools/call mcp-name=sail";
    assert_eq!(seen[1], format!("{call} mcp-param-region==?base64?w4Zyw7g=?="));
}
