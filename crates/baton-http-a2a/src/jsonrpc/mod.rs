//! JSON-RPC binding: reads a request and dispatches its method. The method name determines the dialect.

mod batch;
mod contextcore;
mod envelope;
mod method;
mod v03;
mod v1;

use super::{
    call::{A2aCall, prefer_agent_not_found},
    extensions,
    span_attributes::{self, RequestProtocol},
    version::{self, A2aVersion},
};
use crate::{error::from_api, reply, span_attributes::A2aSpan as _, state::A2aState};
use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use baton_http::{Caller, PathName, RequestSpan, body::ReceivedBody};
use baton_rules::Access;
use baton_telemetry::names;
use baton_types::{AgentName, PushDialect};
use baton_wire::a2a::v1::{Error, PROTOCOL_VERSION};
use envelope::JsonRpcEnvelope;
use http::{StatusCode, header, request::Parts};
use method::JsonRpcMethod;
use serde_json::value::RawValue;
use std::{pin::pin, sync::Arc};

/// `POST /agents/{agent}`.
pub(crate) async fn handle_named_agent(
    State(shared): State<Arc<A2aState>>,
    PathName(agent): PathName,
    request: Request,
) -> Response {
    answer(&shared, Some(agent.into()), request).await
}

/// `POST /`: the only agent, or the agent that the parameters name as tenant.
pub(crate) async fn handle_sole_agent(State(shared): State<Arc<A2aState>>, request: Request) -> Response {
    answer(&shared, None, request).await
}

async fn answer(shared: &Arc<A2aState>, agent: Option<AgentName>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let span = RequestSpan::from_request(&parts.extensions, &parts.headers);
    // Checked first: web pages can send other content types without a CORS preflight.
    let received = match reply::check_json(&parts.headers) {
        Ok(()) => shared.http.bodies.read(&parts, body).await.map_err(from_api),
        Err(error) => Err(error),
    };
    let received = match received {
        Ok(received) => received,
        Err(error) => {
            span.record_route_name(&parts.method, &parts.extensions);
            return error_reply(&span, None, &error);
        }
    };
    let bytes = received.bytes.len();
    let answered = pin!(respond(shared, agent, &parts, &span, received));
    shared.http.large_requests.drive(bytes, answered).await
}

/// Answers a body that is one request or a batch.
async fn respond(
    shared: &Arc<A2aState>,
    agent: Option<AgentName>,
    parts: &Parts,
    span: &RequestSpan,
    received: ReceivedBody,
) -> Response {
    if received.bytes.trim_ascii_start().starts_with(b"[") {
        span.record_route_name(&parts.method, &parts.extensions);
        return batch::respond(shared, agent.as_ref(), parts, span, received).await;
    }
    let envelope = match JsonRpcEnvelope::read(received) {
        Ok(envelope) => envelope,
        Err((id, error)) => {
            span.record_route_name(&parts.method, &parts.extensions);
            return error_reply(span, id.as_deref(), &error);
        }
    };
    match &envelope.method {
        Ok(method) => record_method(span, *method, parts),
        Err(_) => span.record_route_name(&parts.method, &parts.extensions),
    }
    let is_notification = envelope.is_notification();
    let response = answer_request(shared, agent, parts, span, envelope).await;
    if is_notification { without_body(response) } else { response }
}

/// Reply to a notification: only the status.
fn without_body(mut response: Response) -> Response {
    *response.body_mut() = Body::empty();
    response.headers_mut().remove(header::CONTENT_TYPE);
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

async fn answer_request(
    shared: &Arc<A2aState>,
    agent: Option<AgentName>,
    parts: &Parts,
    span: &RequestSpan,
    envelope: JsonRpcEnvelope,
) -> Response {
    let JsonRpcEnvelope { id, method, params, .. } = envelope;
    let id = id.as_deref();
    let found = Caller::from_extensions(&parts.extensions).and_then(|caller| {
        let agent = agent.map_or_else(|| shared.http.resolve_agent(&caller, params.tenant().as_deref()), Ok)?;
        caller.check_access(&shared.http, Access::Read, Some(&agent))?;
        // The method name determines the required access; the parameters are parsed after this check.
        if let Ok(method) = &method {
            caller.check_access(&shared.http, method.operation().access(), Some(&agent))?;
        }
        Ok((caller, agent))
    });
    let (caller, agent) = match found {
        Ok(found) => found,
        Err(error) => return error_reply(span, id, &from_api(error)),
    };
    let method = match method.and_then(|method| check_version(shared, parts, method)) {
        Ok(method) => method,
        Err(error) => return error_reply(span, id, &prefer_agent_not_found(shared, &caller, &agent, error)),
    };
    span.set_agent(&agent);
    let dialect = if matches!(method, JsonRpcMethod::V03(_)) { PushDialect::V03 } else { PushDialect::V1 };
    let call = A2aCall { shared, caller: &caller, agent: &agent, headers: &parts.headers, dialect, span };
    let answered = match method {
        JsonRpcMethod::V1(method) => v1::answer(&call, id, method, params).await,
        JsonRpcMethod::V03(method) => v03::answer(&call, id, method, params).await,
        JsonRpcMethod::ContextCore(method) => contextcore::answer(&call, id, method, params).await,
    };
    match answered {
        Ok(mut response) => {
            extensions::acknowledge(&call, response.headers_mut());
            response
        }
        Err(error) => {
            let error = prefer_agent_not_found(shared, &caller, &agent, error);
            let response = error_reply(span, id, &error);
            match method {
                JsonRpcMethod::V03(_) => v03::refusal(id, &error),
                JsonRpcMethod::V1(_) | JsonRpcMethod::ContextCore(_) => response,
            }
        }
    }
}

/// Names the span after the 1.0 method in every dialect.
fn record_method(span: &RequestSpan, method: JsonRpcMethod, parts: &Parts) {
    let version = match method {
        JsonRpcMethod::V1(_) => Some(PROTOCOL_VERSION),
        JsonRpcMethod::V03(_) => Some(span_attributes::V03_VERSION),
        JsonRpcMethod::ContextCore(_) => None,
    };
    RequestProtocol { system: Some("jsonrpc"), version }.record_operation(span, method.operation(), &parts.extensions);
}

/// Records the error on the span and returns the error reply.
fn error_reply(span: &RequestSpan, id: JsonRpcId<'_>, error: &Error) -> Response {
    span.record_rejection(error);
    span.edit(|span| span.set(names::RPC_RESPONSE_STATUS_CODE, error.kind.rpc_code().to_string()));
    reply::rpc_error(id, error)
}

fn check_version(shared: &A2aState, parts: &Parts, method: JsonRpcMethod) -> Result<JsonRpcMethod, Error> {
    let protocol_version = match method {
        JsonRpcMethod::V1(_) => A2aVersion::V1,
        JsonRpcMethod::V03(_) => A2aVersion::V03,
        // The dotted names are unique to ContextCore, and its clients declare no version.
        JsonRpcMethod::ContextCore(_) => return Ok(method),
    };
    version::check(&parts.headers, Some(&parts.uri), protocol_version, shared.options.version_rule).map(|()| method)
}

/// Id of the request that a reply belongs to.
type JsonRpcId<'a> = Option<&'a RawValue>;
