//! A2A 1.0 over JSON-RPC: one request from its bytes to its method.

mod cancel;
mod extensions;
mod get;
mod list;
mod send;
mod sse;
mod stream;
mod subscribe;
mod version;

use crate::{app::Shared, body, reply};
use axum::{
    extract::{Path, Request, State},
    response::Response,
};
use baton_types::{AgentName, ErrorCode, MAX_JSON_DEPTH};
use baton_wire::{
    a2a::v1::{Error, ErrorKind},
    depth_within, jsonrpc,
};
use http::{HeaderMap, header, request::Parts};
use std::sync::Arc;

/// One request that reached its method.
struct Call<'a> {
    shared: &'a Arc<Shared>,
    agent: &'a AgentName,
    headers: &'a HeaderMap,
    rpc: jsonrpc::Request<'a>,
}

/// `POST /agents/{agent}`.
pub(crate) async fn named(State(shared): State<Arc<Shared>>, Path(agent): Path<String>, request: Request) -> Response {
    answer(&shared, &agent.into(), request).await
}

/// `POST /`, when exactly one agent is served.
pub(crate) async fn sole(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    match shared.sole_agent() {
        Some(agent) => answer(&shared, &agent.name, request).await,
        None => reply::rpc_error(None, &reply::no_such_agent(&shared, None)),
    }
}

async fn answer(shared: &Arc<Shared>, agent: &AgentName, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = match check_content_type(&parts.headers) {
        Ok(()) => body::read(&parts.headers, body, shared.options.max_body, shared.options.body_timeout).await,
        Err(error) => Err(error),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return reply::rpc_error(None, &error),
    };
    let text = match readable(&bytes) {
        Ok(text) => text,
        Err(error) => return reply::rpc_error(None, &error),
    };
    let rpc = match jsonrpc::Request::read(text) {
        Ok(rpc) => rpc,
        Err(refused) => return reply::rpc_error(refused.id, &refused.error),
    };
    match dispatch(shared, agent, &parts, rpc).await {
        Ok(response) => response,
        Err(error) => reply::rpc_error(rpc.id, &explain(shared, agent, error)),
    }
}

async fn dispatch(
    shared: &Arc<Shared>,
    agent: &AgentName,
    parts: &Parts,
    rpc: jsonrpc::Request<'_>,
) -> Result<Response, Error> {
    let call = Call { shared, agent, headers: &parts.headers, rpc };
    let known = Method::named(rpc.method);
    version::check(parts, known.is_some(), shared.options.version_rule)?;
    match known {
        Some(Method::Send) => send::send(&call).await,
        Some(Method::Stream) => stream::stream(&call).await,
        Some(Method::Get) => get::get(&call).await,
        Some(Method::List) => list::list(&call).await,
        Some(Method::Cancel) => cancel::cancel(&call).await,
        Some(Method::Subscribe) => subscribe::subscribe(&call).await,
        Some(Method::Push) => Err(push_not_supported()),
        Some(Method::ExtendedCard) => {
            let message = "this agent has no extended card";
            Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::INVALID_REQUEST, message))
        }
        None => {
            let message = format!("there is no method '{}'", rpc.method.chars().take(64).collect::<String>());
            Err(Error::new(ErrorKind::MethodNotFound, ErrorCode::INVALID_REQUEST, message))
        }
    }
}

enum Method {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
    Push,
    ExtendedCard,
}

impl Method {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "SendMessage" => Self::Send,
            "SendStreamingMessage" => Self::Stream,
            "GetTask" => Self::Get,
            "ListTasks" => Self::List,
            "CancelTask" => Self::Cancel,
            "SubscribeToTask" => Self::Subscribe,
            "CreateTaskPushNotificationConfig"
            | "GetTaskPushNotificationConfig"
            | "ListTaskPushNotificationConfigs"
            | "DeleteTaskPushNotificationConfig" => Self::Push,
            "GetExtendedAgentCard" => Self::ExtendedCard,
            _ => return None,
        })
    }
}

fn push_not_supported() -> Error {
    let message = "this agent does not push; stream or subscribe instead";
    Error::new(ErrorKind::PushNotificationNotSupported, ErrorCode::INVALID_REQUEST, message)
}

/// Web pages can send other types without asking first, so this comes before everything.
fn check_content_type(headers: &HeaderMap) -> Result<(), Error> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if ["application/json", "application/a2a+json"].iter().any(|json| json.eq_ignore_ascii_case(essence)) {
        return Ok(());
    }
    let message = format!("Content-Type must be application/json, not '{essence}'");
    Err(Error::new(ErrorKind::ContentTypeNotSupported, ErrorCode::INVALID_REQUEST, message))
}

fn readable(bytes: &[u8]) -> Result<&str, Error> {
    if !depth_within(bytes, MAX_JSON_DEPTH) {
        let message = format!("the JSON is nested deeper than {MAX_JSON_DEPTH} levels");
        return Err(Error::new(ErrorKind::InvalidRequest, ErrorCode::TOO_DEEP, message));
    }
    std::str::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorKind::Parse, ErrorCode::INVALID_REQUEST, "the body is not UTF-8"))
}

/// A task that is missing under an agent that is missing: the agent is what to tell about.
fn explain(shared: &Shared, agent: &AgentName, error: Error) -> Error {
    let lost = matches!(error.kind, ErrorKind::TaskNotFound | ErrorKind::AgentNotFound);
    if lost && shared.agent(agent.as_str()).is_none() {
        return reply::no_such_agent(shared, Some(agent.as_str()));
    }
    error
}
