//! Calls answered without the transport.
//!
//! The transport serves each request of the newest protocol like a session, with tasks and channels, so that the server
//! can send messages before the answer. Most calls need only the answer, so the handler is called directly. Any request
//! with special features is left to the transport, which implements the whole protocol.

use super::{
    McpReply,
    caller::SESSION_HEADER,
    late_reply::reply_or_stream,
    streaming::{AbandonPolicy, CallAnswer, CallWork},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Full};
use rmcp::{
    Peer, RoleServer, ServerHandler, Service as _,
    model::{
        CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientRequest, ErrorCode, JsonObject,
        JsonRpcMessage, JsonRpcVersion2_0, ProtocolVersion, RequestId, ServerCapabilities, ServerJsonRpcMessage,
    },
    service::{RequestContext, serve_directly},
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

const METHOD: &str = "tools/call";
/// Time limit for an immediate answer.
pub(super) const IMMEDIATE_ANSWER_TIMEOUT: Duration = Duration::from_millis(50);
/// Schema keyword for arguments that are also sent in a header.
const PARAM_HEADER: &str = "x-mcp-header";
/// Maximum schema depth; more deeply nested schemas are left to the transport.
const MAX_SCHEMA_DEPTH: usize = 16;

/// Answers calls of one endpoint.
pub(super) struct DirectDispatcher<H> {
    handler: Arc<dyn Fn() -> H + Send + Sync>,
    /// Peer without a client; messages to it are discarded.
    null_peer: OnceLock<Peer<RoleServer>>,
    shutdown: CancellationToken,
}

/// A call that can be answered directly.
pub(super) struct DirectCall<H> {
    handler: H,
    id: RequestId,
    params: CallToolRequestParams,
}

/// A `tools/call` message, deserialized directly: the library accepts every message type and buffers first.
#[derive(Deserialize)]
pub(super) struct ToolCallMessage {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    pub(super) id: RequestId,
    #[serde(rename = "method")]
    _method: CallToolRequestMethod,
    pub(super) params: CallToolRequestParams,
}

impl ToolCallMessage {
    pub(super) fn read(message: &[u8]) -> Option<Self> {
        serde_json::from_slice(message).ok()
    }
}

/// Passes a call to a handler; the request's metadata moves into its context.
pub(super) async fn call_handler(
    handler: &impl ServerHandler,
    mut params: CallToolRequestParams,
    mut context: RequestContext<RoleServer>,
) -> CallAnswer {
    context.meta = params.meta.take().unwrap_or_default();
    handler.handle_request(ClientRequest::CallToolRequest(CallToolRequest::new(params)), context).await
}

impl<H: ServerHandler> DirectDispatcher<H> {
    pub(super) fn new(handler: Arc<dyn Fn() -> H + Send + Sync>, shutdown: CancellationToken) -> Self {
        Self { handler, null_peer: OnceLock::new(), shutdown }
    }

    /// Capabilities that the endpoint declares.
    pub(super) fn capabilities(&self) -> ServerCapabilities {
        (self.handler)().get_info().capabilities
    }

    /// The call of a request without special features.
    pub(super) fn call(&self, request: &Request<Bytes>) -> Option<DirectCall<H>> {
        let headers = request.headers();
        let is_plain = request.method() == Method::POST
            && !headers.contains_key(SESSION_HEADER)
            && single_header(headers, "mcp-protocol-version")? == ProtocolVersion::V_2026_07_28.as_str()
            && single_header(headers, "mcp-method")? == METHOD
            && single_header(headers, header::CONTENT_TYPE.as_str())?.starts_with("application/json")
            && accepts_both(single_header(headers, header::ACCEPT.as_str())?);
        if !is_plain {
            return None;
        }
        let ToolCallMessage { id, params, .. } = ToolCallMessage::read(request.body())?;
        let meta = params.meta.as_ref()?;
        let wants_more = meta.get_progress_token().is_some() || meta.log_level().is_some();
        let is_whole = meta.protocol_version() == Some(ProtocolVersion::V_2026_07_28)
            && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
            && single_header(headers, "mcp-name")? == params.name;
        let handler = (self.handler)();
        let tool = handler.get_tool(&params.name).filter(|_| is_whole && !wants_more)?;
        (!has_param_headers(&tool.input_schema, 0)).then_some(DirectCall { handler, id, params })
    }

    /// Answers the call, after `keep_alive` with a stream. A client that disconnects before the answer cancels the
    /// call.
    pub(super) async fn answer(&self, call: DirectCall<H>, parts: Parts, keep_alive: Duration) -> McpReply {
        let DirectCall { handler, id, params } = call;
        let null_peer = self.null_peer.get_or_init(|| {
            let silence = (tokio::io::empty(), tokio::io::sink());
            serve_directly((self.handler)(), silence, None).peer().clone()
        });
        let mut context = RequestContext::new(id.clone(), null_peer.clone());
        context.extensions.insert(parts);
        let ct = context.ct.clone();
        let work = async move { call_handler(&handler, params, context).await };
        let mut work = CallWork::new(work, ct.clone(), AbandonPolicy::Cancel);
        if let Ok(answered) = timeout(IMMEDIATE_ANSWER_TIMEOUT, &mut work).await {
            return reply(id, answered, status);
        }
        // Cloned only for slow calls, because all calls share it.
        let shutdown = self.shutdown.clone();
        let slow = Box::pin(async move {
            tokio::select! {
                answered = &mut work => reply(id, answered, status),
                () = shutdown.cancelled() => {
                    ct.cancel();
                    reply(id, work.await, status)
                }
            }
        });
        reply_or_stream(keep_alive, slow).await
    }
}

/// Value of a header that occurs exactly once.
pub(super) fn single_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

pub(super) fn accepts_both(accept: &str) -> bool {
    accept.contains("application/json") && accept.contains("text/event-stream")
}

/// Whether arguments must also be sent in headers.
pub(super) fn has_param_headers(schema: &JsonObject, depth: usize) -> bool {
    let Some(Value::Object(properties)) = schema.get("properties") else { return false };
    depth == MAX_SCHEMA_DEPTH
        || properties.values().any(|property| {
            property
                .as_object()
                .is_some_and(|property| property.contains_key(PARAM_HEADER) || has_param_headers(property, depth + 1))
        })
}

/// The answer as JSON; `status` maps an error code to the HTTP status.
pub(super) fn reply(id: RequestId, answered: CallAnswer, status: impl FnOnce(ErrorCode) -> StatusCode) -> McpReply {
    let (code, message): (StatusCode, ServerJsonRpcMessage) = match answered {
        Ok(result) => (StatusCode::OK, JsonRpcMessage::response(result, id)),
        Err(error) => (status(error.code), JsonRpcMessage::error(error, Some(id))),
    };
    let (code, bytes) = match serde_json::to_vec(&message) {
        Ok(bytes) => (code, bytes),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string().into_bytes()),
    };
    let mut reply = Response::new(Full::new(Bytes::from(bytes)).boxed_unsync());
    *reply.status_mut() = code;
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

/// HTTP status of an error code in the newest protocol.
fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::Tool;
    use serde_json::json;

    /// A server with one plain tool and one with a header annotation on a nested argument.
    struct TwoToolServer;

    impl ServerHandler for TwoToolServer {
        fn get_tool(&self, name: &str) -> Option<Tool> {
            let inner = json!({"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}});
            let annotated = json!({"type": "object", "properties": {"at": inner}});
            let schema = match name {
                "plain" => json!({"type": "object", "properties": {"at": {"type": "string"}}}),
                "annotated" => annotated,
                _ => return None,
            };
            Some(Tool::new(name.to_owned(), "", schema.as_object().cloned().unwrap_or_default()))
        }
    }

    fn request(name: &str, change: impl FnOnce(&mut Request<Value>)) -> Request<Bytes> {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": METHOD,
            "params": {"name": name, "arguments": {}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            }},
        });
        let mut built = Request::builder()
            .method(Method::POST)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", METHOD)
            .header("mcp-name", name)
            .body(body)
            .unwrap();
        change(&mut built);
        built.map(|body| Bytes::from(body.to_string()))
    }

    fn header(name: &'static str, value: &'static str) -> impl Fn(&mut Request<Value>) {
        move |request| {
            request.headers_mut().insert(name, HeaderValue::from_static(value));
        }
    }

    fn member(name: &'static str, value: Value) -> impl FnOnce(&mut Request<Value>) {
        move |request| request.body_mut()["params"]["_meta"][name] = value
    }

    #[test]
    fn only_plain_calls_are_answered_directly() {
        let direct = DirectDispatcher::new(Arc::new(|| TwoToolServer), CancellationToken::new());
        let is_direct = |request: Request<Bytes>| direct.call(&request).is_some();
        assert!(is_direct(request("plain", |_| {})));
        assert!(is_direct(request("plain", header("traceparent", "00-1-2-01"))));
        for (why, request) in [
            ("arguments in headers", request("annotated", |_| {})),
            ("no such tool", request("other", |_| {})),
            ("a session", request("plain", header(SESSION_HEADER, "s"))),
            ("an older version", request("plain", header("mcp-protocol-version", "2025-11-25"))),
            ("another method in the header", request("plain", header("mcp-method", "tools/list"))),
            ("another name in the header", request("plain", header("mcp-name", "annotated"))),
            ("a kind that is not JSON", request("plain", header("content-type", "text/plain"))),
            ("no streams", request("plain", header("accept", "application/json"))),
            ("a GET", request("plain", |request| *request.method_mut() = Method::GET)),
            ("progress", request("plain", member("progressToken", json!(1)))),
            ("log lines", request("plain", member("io.modelcontextprotocol/logLevel", json!("info")))),
            (
                "another version",
                request("plain", member("io.modelcontextprotocol/protocolVersion", json!("2025-11-25"))),
            ),
            ("no capabilities", request("plain", member("io.modelcontextprotocol/clientCapabilities", Value::Null))),
            ("a name twice", {
                request("plain", |request| {
                    request.headers_mut().append("mcp-name", HeaderValue::from_static("plain"));
                })
            }),
            ("another method", request("plain", |request| request.body_mut()["method"] = json!("tools/list"))),
            ("no id", request("plain", |request| request.body_mut()["id"] = Value::Null)),
        ] {
            assert!(!is_direct(request), "{why}");
        }
    }
}
