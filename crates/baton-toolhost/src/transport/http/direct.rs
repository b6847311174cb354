//! Tool calls posted without the MCP library.
//!
//! The library passes each message through its service task and its transport task. A call that is answered with JSON
//! is one exchange and needs neither. Any other outcome is handed to the library, which continues with the reply as if
//! it had posted the call itself: it follows event streams, reports errors and requires logins.

use super::{
    MAX_MESSAGE, RemoteError, RemoteServer,
    remote::{ContentClass, content_class},
};
use baton_outbound::GuardedBody;
use baton_ports::BoxFuture;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientJsonRpcMessage, ClientRequest, GetExtensions as _,
    GetMeta as _, Implementation, JsonRpcMessage, JsonRpcVersion2_0, NumberOrString, ProgressToken, ProtocolVersion,
    RequestId, RequestMetaObject,
};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// Reply to a posted call.
type CallReply = Result<Response<GuardedBody>, RemoteError>;

/// First id of a direct call, far from the ids that the library counts from zero.
const FIRST_ID: i64 = 1 << 30;

const METHOD: &str = "tools/call";
const TOOL_NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Posts tool calls to one server of the newest protocol, which has no sessions.
pub(crate) struct DirectCalls {
    remote: RemoteServer,
    headers: HeaderMap,
    /// Members of the metadata that are the same for all calls.
    meta: RequestMetaObject,
    next: AtomicI64,
}

/// A call that is not posted yet.
pub(crate) struct DirectCall {
    calls: Arc<DirectCalls>,
    number: i64,
    tool: HeaderValue,
    request: CallToolRequest,
    meta: RequestMetaObject,
}

/// Outcome of a direct call.
pub(crate) enum DirectOutcome {
    /// The complete result.
    Answered(CallToolResult),
    /// Anything else: the request for the library, with the [`PostedReply`] in its extensions.
    Handed(Box<ClientRequest>),
}

/// Reply to a request that was already posted, for the transport of the library to continue with.
#[derive(Clone)]
pub(crate) struct PostedReply {
    number: i64,
    reply: Arc<Mutex<Option<CallReply>>>,
}

impl DirectCalls {
    /// Calls to this server by a client of this name.
    pub(crate) fn new(remote: RemoteServer, version: ProtocolVersion, client: Implementation) -> Arc<Self> {
        let headers = [
            (header::ACCEPT, "application/json, text/event-stream"),
            (header::CONTENT_TYPE, "application/json"),
            (HeaderName::from_static("mcp-method"), METHOD),
        ];
        let mut headers: HeaderMap =
            headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect();
        if let Ok(version) = HeaderValue::from_str(version.as_str()) {
            headers.insert("mcp-protocol-version", version);
        }
        let mut meta = RequestMetaObject::new();
        meta.set_protocol_version(version);
        meta.set_client_info(client);
        Arc::new(Self { remote, headers, meta, next: AtomicI64::new(FIRST_ID) })
    }

    /// A call with this request and additional metadata; `tool` is the name of the tool as a header.
    pub(crate) fn call(
        self: &Arc<Self>,
        request: CallToolRequest,
        meta: RequestMetaObject,
        tool: HeaderValue,
    ) -> DirectCall {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        DirectCall { calls: Arc::clone(self), number, tool, request, meta }
    }
}

impl DirectCall {
    /// Id and progress token of the request.
    pub(crate) fn identifiers(&self) -> (RequestId, ProgressToken) {
        identifiers(self.number)
    }

    /// Posts the call and reads its reply; dropping the future cancels the call by closing its connection.
    pub(crate) fn post(self) -> BoxFuture<'static, DirectOutcome> {
        Box::pin(async move {
            let reply = match self.exchange().await {
                Ok(response) if is_json(&response) => {
                    let (head, body) = response.into_parts();
                    let body = body.read(MAX_MESSAGE).await;
                    if let Some(result) = body.as_ref().ok().and_then(|body| read_result(body, self.number)) {
                        return DirectOutcome::Answered(result);
                    }
                    Ok(Response::from_parts(head, GuardedBody::from_read(body)))
                }
                reply => reply,
            };
            self.hand_over(reply)
        })
    }

    async fn exchange(&self) -> CallReply {
        let meta = PostedMeta { base: &self.calls.meta, more: &self.meta, number: self.number };
        let params = PostedParams { meta, params: &self.request.params };
        let message = PostedCall { jsonrpc: JsonRpcVersion2_0, id: self.number, method: METHOD, params };
        let body = serde_json::to_vec(&message).map_err(|error| RemoteError::Unwritable(error.to_string()))?;
        let mut headers = self.calls.headers.clone();
        headers.insert(TOOL_NAME, self.tool.clone());
        let remote = &self.calls.remote;
        remote.exchange(Method::POST, &remote.url(), &headers, &Bytes::from(body)).await
    }

    fn hand_over(self, reply: CallReply) -> DirectOutcome {
        let mut request = ClientRequest::CallToolRequest(self.request);
        *request.get_meta_mut() = self.meta;
        let reply = Arc::new(Mutex::new(Some(reply)));
        request.extensions_mut().insert(PostedReply { number: self.number, reply });
        DirectOutcome::Handed(Box::new(request))
    }
}

impl PostedReply {
    /// The posted reply of a message, if it was posted.
    pub(crate) fn from_message(message: &ClientJsonRpcMessage) -> Option<&Self> {
        match message {
            JsonRpcMessage::Request(request) => request.request.extensions().get(),
            _ => None,
        }
    }

    /// Id and progress token under which the request was posted.
    pub(crate) fn identifiers(&self) -> (RequestId, ProgressToken) {
        identifiers(self.number)
    }

    /// The reply, once.
    pub(super) fn take(&self) -> Option<CallReply> {
        self.reply.lock().take()
    }
}

/// A call as posted.
#[derive(Serialize)]
struct PostedCall<'a> {
    jsonrpc: JsonRpcVersion2_0,
    id: i64,
    method: &'static str,
    params: PostedParams<'a>,
}

#[derive(Serialize)]
struct PostedParams<'a> {
    #[serde(rename = "_meta")]
    meta: PostedMeta<'a>,
    #[serde(flatten)]
    params: &'a CallToolRequestParams,
}

/// Metadata of a call, merged while it is written.
struct PostedMeta<'a> {
    base: &'a RequestMetaObject,
    more: &'a RequestMetaObject,
    number: i64,
}

impl Serialize for PostedMeta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        for (name, value) in self.base.iter().filter(|(name, _)| !self.more.contains_key(*name)) {
            members.serialize_entry(name, value)?;
        }
        for (name, value) in self.more.iter() {
            members.serialize_entry(name, value)?;
        }
        members.serialize_entry("progressToken", &self.number)?;
        members.end()
    }
}

fn identifiers(number: i64) -> (RequestId, ProgressToken) {
    (RequestId::Number(number), ProgressToken(NumberOrString::Number(number)))
}

fn is_json(response: &Response<GuardedBody>) -> bool {
    response.status() == StatusCode::OK && content_class(response.headers()) == ContentClass::Json
}

/// The result, if the body is a response with the complete result of the call.
fn read_result(body: &[u8], number: i64) -> Option<CallToolResult> {
    #[derive(Deserialize)]
    struct CallResponse {
        #[serde(rename = "jsonrpc")]
        _version: JsonRpcVersion2_0,
        id: i64,
        result: CallToolResult,
    }
    let response: CallResponse = serde_json::from_slice(body).ok()?;
    (response.id == number).then_some(response.result)
}
