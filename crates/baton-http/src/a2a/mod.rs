//! A2A 1.0 over JSON-RPC: one request from its bytes to its method.

mod cancel;
mod envelope;
mod extensions;
mod get;
mod list;
mod send;
mod sse;
mod stream;
mod subscribe;
mod version;

use crate::{app::Shared, reply};
use axum::{
    extract::{Path, Request, State},
    response::Response,
};
use baton_types::{AgentName, ErrorCode};
use baton_wire::a2a::v1::{Error, ErrorKind};
use envelope::{Envelope, Params};
use http::{HeaderMap, header, request::Parts};
use serde_json::value::RawValue;
use std::sync::Arc;

/// One request that reached its method.
struct Call<'a> {
    shared: &'a Arc<Shared>,
    agent: &'a AgentName,
    headers: &'a HeaderMap,
    id: Option<&'a RawValue>,
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
    let received = match check_content_type(&parts.headers) {
        Ok(()) => shared.bodies.read(&parts.headers, body).await,
        Err(error) => Err(error),
    };
    let received = match received {
        Ok(received) => received,
        Err(error) => return reply::rpc_error(None, &error),
    };
    let Envelope { id, method, params } = match Envelope::read(received) {
        Ok(envelope) => envelope,
        Err((id, error)) => return reply::rpc_error(id.as_deref(), &error),
    };
    let call = Call { shared, agent, headers: &parts.headers, id: id.as_deref() };
    match dispatch(&call, &parts, method, params).await {
        Ok(response) => response,
        Err(error) => reply::rpc_error(call.id, &explain(shared, agent, error)),
    }
}

async fn dispatch(
    call: &Call<'_>,
    parts: &Parts,
    method: Result<Method, Error>,
    params: Params,
) -> Result<Response, Error> {
    version::check(parts, method.is_ok(), call.shared.options.version_rule)?;
    match method? {
        Method::Send => send::send(call, params).await,
        Method::Stream => stream::stream(call, params).await,
        Method::Get => get::get(call, params).await,
        Method::List => list::list(call, params).await,
        Method::Cancel => cancel::cancel(call, params).await,
        Method::Subscribe => subscribe::subscribe(call, params).await,
        Method::Push => Err(push_not_supported()),
        Method::ExtendedCard => {
            let message = "this agent has no extended card";
            Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::INVALID_REQUEST, message))
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
    fn named(name: &str) -> Result<Self, Error> {
        Ok(match name {
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
            _ => {
                let message = format!("there is no method '{}'", name.chars().take(64).collect::<String>());
                return Err(Error::new(ErrorKind::MethodNotFound, ErrorCode::INVALID_REQUEST, message));
            }
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

/// A task that is missing under an agent that is missing: the agent is what to tell about.
fn explain(shared: &Shared, agent: &AgentName, error: Error) -> Error {
    let lost = matches!(error.kind, ErrorKind::TaskNotFound | ErrorKind::AgentNotFound);
    if lost && shared.agent(agent.as_str()).is_none() {
        return reply::no_such_agent(shared, Some(agent.as_str()));
    }
    error
}
