//! Raw HTTP requests and replies.

use super::world::{World, ann};
use baton_mcp::McpReply;
use baton_types::Principal;
use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::sync::Arc;

/// A complete reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) session: Option<String>,
    pub(crate) kind: String,
    pub(crate) text: String,
}

impl Reply {
    /// The message of a JSON reply, or the last message of a stream.
    pub(crate) fn message(&self) -> Value {
        let line = match self.kind.as_str() {
            "text/event-stream" => self.text.lines().rev().find_map(|line| line.strip_prefix("data:")),
            _ => Some(self.text.as_str()),
        };
        serde_json::from_str(line.unwrap().trim()).unwrap()
    }
}

/// A raw request.
pub(crate) struct RawRequest {
    pub(crate) principal: Principal,
    pub(crate) method: Method,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl RawRequest {
    pub(crate) fn new(method: Method, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![
            ("host", "localhost".to_owned()),
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        Self { principal: ann(), method, headers, body: body.into() }
    }

    /// A complete request of the newest protocol.
    pub(crate) fn modern(method: &str, mut params: Value) -> Self {
        let name = ["name", "uri"].iter().find_map(|key| params[*key].as_str()).map(str::to_owned);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut ask = Self::new(Method::POST, body.to_string());
        ask.headers.push(("mcp-protocol-version", "2026-07-28".to_owned()));
        ask.headers.push(("mcp-method", method.to_owned()));
        if let Some(name) = name.filter(|_| ["tools/call", "prompts/get", "resources/read"].contains(&method)) {
            ask.headers.push(("mcp-name", name));
        }
        ask
    }

    /// A request within a session.
    pub(crate) fn legacy(session: &str, method: &str, params: Value) -> Self {
        let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        body["params"] = params;
        Self::new(Method::POST, body.to_string()).within(session)
    }

    pub(crate) fn initialize() -> Self {
        let body = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "raw", "version": "1"},
            },
        });
        Self::new(Method::POST, body.to_string())
    }

    pub(crate) fn within(mut self, session: &str) -> Self {
        self.headers.push(("mcp-session-id", session.to_owned()));
        self.headers.push(("mcp-protocol-version", "2025-11-25".to_owned()));
        self
    }

    pub(crate) fn by(mut self, principal: Principal) -> Self {
        self.principal = principal;
        self
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }
}

impl World {
    /// Sends the request and returns the reply before its body is read.
    pub(crate) async fn begin(&self, ask: RawRequest) -> McpReply {
        let RawRequest { principal, method, headers, body } = ask;
        let mut request = Request::builder().method(method).uri("/agents/weather/mcp");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Bytes::from(body)).unwrap();
        self.service().answer(&Arc::new(principal), request).await
    }

    pub(crate) async fn ask(&self, ask: RawRequest) -> Reply {
        let reply = self.begin(ask).await;
        let read = |name: &str| reply.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let (status, session) = (reply.status(), read("mcp-session-id"));
        let kind = read(header::CONTENT_TYPE.as_str()).unwrap_or_default();
        let body = reply.into_body().collect().await.unwrap().to_bytes();
        Reply { status, session, kind, text: String::from_utf8(body.to_vec()).unwrap() }
    }

    pub(crate) async fn session(&self, principal: Principal) -> String {
        let reply = self.ask(RawRequest::initialize().by(principal.clone())).await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        let session = reply.session.unwrap();
        let body = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let initialized = RawRequest::new(Method::POST, body.to_string()).within(&session).by(principal);
        assert_eq!(self.ask(initialized).await.status, StatusCode::ACCEPTED);
        session
    }
}
