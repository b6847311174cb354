//! Requests in every binding and dialect, and their replies in one format.

mod old;
mod reply;
mod request;

pub(crate) use reply::{Events, Reply, framed};

use crate::openapi::check_response;
use axum::{Router, body::Body};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header};
use serde_json::Value;
use tower::ServiceExt as _;

/// Protocol binding and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    JsonRpc,
    Rest,
    Grpc,
    OldJsonRpc,
    OldRest,
    OldGrpc,
}

impl Binding {
    pub(crate) const ALL: [Self; 6] =
        [Self::JsonRpc, Self::Rest, Self::Grpc, Self::OldJsonRpc, Self::OldRest, Self::OldGrpc];
    pub(crate) const CURRENT: [Self; 3] = [Self::JsonRpc, Self::Rest, Self::Grpc];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => "json-rpc",
            Self::Rest => "rest",
            Self::Grpc => "grpc",
            Self::OldJsonRpc => "json-rpc 0.3",
            Self::OldRest => "rest 0.3",
            Self::OldGrpc => "grpc 0.3",
        }
    }

    pub(crate) fn is_grpc(self) -> bool {
        matches!(self, Self::Grpc | Self::OldGrpc)
    }

    pub(crate) fn is_old(self) -> bool {
        matches!(self, Self::OldJsonRpc | Self::OldRest | Self::OldGrpc)
    }
}

/// A2A operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
    CreatePush,
    GetPush,
    ListPush,
    DeletePush,
    Card,
}

impl Op {
    pub(crate) const ALL: [Self; 11] = [
        Self::Send,
        Self::Stream,
        Self::Get,
        Self::List,
        Self::Cancel,
        Self::Subscribe,
        Self::CreatePush,
        Self::GetPush,
        Self::ListPush,
        Self::DeletePush,
        Self::Card,
    ];

    /// Method name in JSON-RPC and gRPC of 1.0.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Send => "SendMessage",
            Self::Stream => "SendStreamingMessage",
            Self::Get => "GetTask",
            Self::List => "ListTasks",
            Self::Cancel => "CancelTask",
            Self::Subscribe => "SubscribeToTask",
            Self::CreatePush => "CreateTaskPushNotificationConfig",
            Self::GetPush => "GetTaskPushNotificationConfig",
            Self::ListPush => "ListTaskPushNotificationConfigs",
            Self::DeletePush => "DeleteTaskPushNotificationConfig",
            Self::Card => "GetExtendedAgentCard",
        }
    }
}

/// Headers or gRPC metadata.
pub(crate) type Headers<'a> = &'a [(&'a str, &'a str)];

/// An encoded request.
pub(crate) struct WireRequest {
    method: &'static str,
    path: String,
    content_type: Option<&'static str>,
    body: Vec<u8>,
}

/// Sends a request to the agent `weather`; `params` are those of 1.0. `None` if the dialect lacks the operation.
pub(crate) async fn ask(app: &Router, binding: Binding, op: Op, params: &Value, headers: Headers<'_>) -> Option<Reply> {
    Some(Reply::read(binding, op, open(app, binding, op, params, headers).await?).await)
}

/// Like [`ask`], but leaves the body of the response unread.
pub(crate) async fn open(
    app: &Router,
    binding: Binding,
    op: Op,
    params: &Value,
    headers: Headers<'_>,
) -> Option<Response<Body>> {
    let WireRequest { method, path, content_type, body } = request::encode(binding, op, params)?;
    let mut all = HeaderMap::new();
    all.extend(content_type.map(|value| (header::CONTENT_TYPE, HeaderValue::from_static(value))));
    for (name, value) in headers {
        all.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    Some(raw(app, method, &path, all, body).await)
}

/// Sends an arbitrary HTTP request.
pub(crate) async fn raw(
    app: &Router,
    method: &str,
    path: &str,
    headers: HeaderMap,
    body: impl Into<Body>,
) -> Response<Body> {
    let mut request = Request::builder().method(method).uri(path).body(body.into()).unwrap();
    *request.headers_mut() = headers;
    request.headers_mut().entry(header::HOST).or_insert(HeaderValue::from_static("localhost"));
    let response = app.clone().oneshot(request).await.unwrap();
    check_response(method, path, response).await
}

pub(crate) fn headers(pairs: Headers<'_>) -> HeaderMap {
    let pairs = pairs.iter().map(|(name, value)| {
        (HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
    });
    pairs.collect()
}
