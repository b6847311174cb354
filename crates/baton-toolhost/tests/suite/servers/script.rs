//! A scripted server that receives every line of the host and writes the lines of the script.

use baton_ports::BoxFuture;
use baton_toolhost::{BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, ServerConnector};
use rmcp::{RoleClient, transport::async_rw::AsyncRwTransport};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

/// The server's end of a connection.
pub(super) struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    /// Number of earlier connections.
    pub(super) nth: usize,
}

impl Wire {
    /// The next message of the host; `None` after it disconnected.
    pub(super) async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next message with this method; others before it are skipped.
    pub(super) async fn until(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await.unwrap_or_else(|| panic!("the host disconnected before it sent {method}"));
            if message["method"] == method {
                return message;
            }
        }
    }

    /// Sends a message.
    pub(super) async fn send(&mut self, message: Value) {
        let _ = self.output.write_all(format!("{message}\n").as_bytes()).await;
    }

    pub(super) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    /// Answers a request with an error.
    pub(super) async fn refuse(&mut self, request: &Value, code: i64) {
        let error = json!({"code": code, "message": "no"});
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    }

    /// Negotiates the newer protocol and lists these tools.
    pub(super) async fn modern(&mut self, tools: Value) {
        let discover = self.until("server/discover").await;
        self.answer(&discover, discovered(&["2026-07-28"])).await;
        self.list(tools).await;
    }

    /// Negotiates the older protocol and lists these tools.
    pub(super) async fn legacy(&mut self, tools: Value) {
        let first = self.next().await.unwrap();
        let initialize = if first["method"] == "server/discover" {
            self.refuse(&first, -32601).await;
            self.until("initialize").await
        } else {
            first
        };
        self.answer(&initialize, initialized()).await;
        self.list(tools).await;
    }

    /// Answers one `tools/list`.
    pub(super) async fn list(&mut self, tools: Value) {
        let list = self.until("tools/list").await;
        self.answer(&list, json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools}))
            .await;
    }

    /// Sends nothing until the host disconnects.
    pub(super) async fn wait(mut self) {
        while self.next().await.is_some() {}
    }
}

/// A valid result of `server/discover`.
pub(crate) fn discovered(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "supportedVersions": versions, "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "script", "version": "1"}},
    })
}

/// A valid result of `initialize`.
pub(super) fn initialized() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}, "logging": {}},
        "serverInfo": {"name": "script", "version": "1"},
    })
}

/// A tool without arguments.
pub(super) fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}})
}

/// A tool result with this text.
pub(super) fn text(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

type ScriptFn = dyn Fn(Wire) -> BoxFuture<'static, ()> + Send + Sync;

/// Connects to a script and counts the connections.
#[derive(Clone)]
pub(super) struct Script {
    play: Arc<ScriptFn>,
    pub(super) opened: Arc<AtomicUsize>,
}

impl Script {
    pub(super) fn new<F: Future<Output = ()> + Send + 'static>(
        play: impl Fn(Wire) -> F + Send + Sync + 'static,
    ) -> Self {
        Self { play: Arc::new(move |wire| Box::pin(play(wire))), opened: Arc::default() }
    }

    /// Number of connections.
    pub(super) fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    pub(super) fn link(&self) -> BoxedTransport {
        let (here, there) = tokio::io::duplex(64 << 10);
        let (input, output) = tokio::io::split(there);
        let nth = self.opened.fetch_add(1, Ordering::SeqCst);
        tokio::spawn((self.play)(Wire { lines: BufReader::new(input).lines(), output, nth }));
        let (read, write) = tokio::io::split(here);
        BoxedTransport::new(AsyncRwTransport::<RoleClient, _, _>::new_client(read, write))
    }
}

impl ServerConnector for Script {
    fn open<'a>(
        &'a self,
        _: ConnectTarget<'a>,
        _: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>> {
        Box::pin(async move { Ok(self.link()) })
    }
}
