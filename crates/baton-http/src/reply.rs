//! The only place where errors become replies.

use crate::app::Shared;
use axum::{body::Body, response::Response};
use baton_engine::EngineError;
use baton_ports::JournalError;
use baton_types::ErrorCode;
use baton_wire::{
    FieldViolation,
    a2a::v1::{Error, ErrorKind, RestError},
    jsonrpc,
};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::value::RawValue;

/// What clients of any language are told about a refused command.
pub(crate) fn from_engine(error: EngineError) -> Error {
    let (code, message) = (error.code(), error.to_string());
    let kind = match error {
        EngineError::AgentNotFound(_) => ErrorKind::AgentNotFound,
        EngineError::TaskNotFound(_) | EngineError::Journal(JournalError::Missing { .. }) => ErrorKind::TaskNotFound,
        EngineError::TaskFinished { .. } => ErrorKind::UnsupportedOperation,
        EngineError::NotCancelable { .. } => ErrorKind::TaskNotCancelable,
        EngineError::Invalid { field, detail, .. } => {
            return Error::invalid_params(FieldViolation { field, description: detail }.into()).with_code(code);
        }
        EngineError::ShuttingDown
        | EngineError::Journal(
            JournalError::Busy
            | JournalError::Unavailable(_)
            | JournalError::Conflict { .. }
            | JournalError::StaleEpoch { .. }
            | JournalError::Leased { .. },
        ) => ErrorKind::Unavailable,
        EngineError::Journal(_) => ErrorKind::Internal,
    };
    if matches!(kind, ErrorKind::Internal) {
        tracing::error!(code = code.code, %message, "a command failed");
    }
    Error::new(kind, code, message)
}

/// A 200 with JSON that is written already.
pub(crate) fn json_bytes(bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A 200 with a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => json_bytes(bytes),
        Err(error) => rest_error(&Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string())),
    }
}

/// An error inside a JSON-RPC envelope.
pub(crate) fn rpc_error(id: Option<&RawValue>, error: &Error) -> Response {
    let mut bytes = Vec::with_capacity(512);
    jsonrpc::write_error(&mut bytes, id, error);
    with_status(json_bytes(bytes), error.kind.rpc_http_status())
}

/// An error outside JSON-RPC.
pub(crate) fn rest_error(error: &Error) -> Response {
    let bytes = serde_json::to_vec(&RestError::from(error)).unwrap_or_else(|_| b"{}".to_vec());
    with_status(json_bytes(bytes), error.kind.http_status())
}

fn with_status(mut response: Response, status: u16) -> Response {
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if status == StatusCode::SERVICE_UNAVAILABLE.as_u16() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// There is no such agent; says who is there.
pub(crate) fn no_such_agent(shared: &Shared, name: Option<&str>) -> Error {
    let agents = shared.engine.agents();
    let names: Vec<&str> = agents.iter().take(20).map(|agent| agent.name.as_str()).collect();
    let served = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let message = match name {
        Some(name) => format!("there is no agent '{name}'; served: {served}"),
        None => format!("{} agents are served, so name one: /agents/NAME; served: {served}", agents.len()),
    };
    Error::new(ErrorKind::AgentNotFound, ErrorCode::AGENT_NOT_FOUND, message)
}

/// The answer of paths that do not exist.
pub(crate) async fn no_such_page(uri: http::Uri) -> Response {
    let message = format!("there is nothing at {}", uri.path());
    rest_error(&Error::new(ErrorKind::PageNotFound, ErrorCode::INVALID_REQUEST, message))
}

/// The answer of paths that exist for other methods.
pub(crate) async fn no_such_method(method: http::Method, uri: http::Uri) -> Response {
    let message = format!("{} does not answer {method}", uri.path());
    rest_error(&Error::new(ErrorKind::MethodNotAllowed, ErrorCode::INVALID_REQUEST, message))
}
