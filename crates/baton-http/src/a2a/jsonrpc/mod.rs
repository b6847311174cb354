//! JSON-RPC binding: reads a request and dispatches its method. The method name determines the dialect.

mod batch;
mod contextcore;
mod envelope;
mod method;
mod v03;
mod v1;

use super::{
    call::{Call, explain},
    extensions,
    spoken::{self, Spoken},
    version::{self, Version},
};
use crate::{app::Shared, auth::Caller, body::Received, named::Named, reply, telemetry::RequestSpan};
use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use baton_rules::Access;
use baton_telemetry::names;
use baton_types::{AgentName, PushDialect};
use baton_wire::a2a::v1::{Error, PROTOCOL_VERSION};
use envelope::Envelope;
use http::{StatusCode, header, request::Parts};
use method::Method;
use serde_json::value::RawValue;
use std::{pin::pin, sync::Arc};

/// `POST /agents/{agent}`.
pub(crate) async fn named(State(shared): State<Arc<Shared>>, Named(agent): Named, request: Request) -> Response {
    answer(&shared, Some(agent.into()), request).await
}

/// `POST /`: the only agent, or the agent that the parameters name as tenant.
pub(crate) async fn sole(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(&shared, None, request).await
}

async fn answer(shared: &Arc<Shared>, agent: Option<AgentName>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let span = RequestSpan::of(&parts.extensions, &parts.headers);
    // Checked first: web pages can send other content types without a CORS preflight.
    let received = match reply::check_json(&parts.headers) {
        Ok(()) => shared.bodies.read(&parts, body).await,
        Err(error) => Err(error),
    };
    let received = match received {
        Ok(received) => received,
        Err(error) => {
            span.named_by_route(&parts.method, &parts.extensions);
            return refused(&span, None, &error);
        }
    };
    let bytes = received.bytes.len();
    let answered = pin!(respond(shared, agent, &parts, &span, received));
    shared.large_requests.drive(bytes, answered).await
}

/// Answers a body that is one request or a batch.
async fn respond(
    shared: &Arc<Shared>,
    agent: Option<AgentName>,
    parts: &Parts,
    span: &RequestSpan,
    received: Received,
) -> Response {
    if received.bytes.trim_ascii_start().starts_with(b"[") {
        span.named_by_route(&parts.method, &parts.extensions);
        return batch::respond(shared, agent.as_ref(), parts, span, received).await;
    }
    let envelope = match Envelope::read(received) {
        Ok(envelope) => envelope,
        Err((id, error)) => {
            span.named_by_route(&parts.method, &parts.extensions);
            return refused(span, id.as_deref(), &error);
        }
    };
    match &envelope.method {
        Ok(method) => begin(span, *method, parts),
        Err(_) => span.named_by_route(&parts.method, &parts.extensions),
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
    shared: &Arc<Shared>,
    agent: Option<AgentName>,
    parts: &Parts,
    span: &RequestSpan,
    envelope: Envelope,
) -> Response {
    let Envelope { id, method, params, .. } = envelope;
    let id = id.as_deref();
    let found = Caller::of(&parts.extensions).and_then(|caller| {
        let agent = agent.map_or_else(|| shared.routed(&caller, params.tenant().as_deref()), Ok)?;
        caller.may(shared, Access::Read, Some(&agent))?;
        // The method name determines the required access; the parameters are parsed after this check.
        if let Ok(method) = &method {
            caller.may(shared, method.operation().access(), Some(&agent))?;
        }
        Ok((caller, agent))
    });
    let (caller, agent) = match found {
        Ok(found) => found,
        Err(error) => return refused(span, id, &error),
    };
    let method = match method.and_then(|method| check_version(shared, parts, method)) {
        Ok(method) => method,
        Err(error) => return refused(span, id, &explain(shared, &caller, &agent, error)),
    };
    span.is_for(&agent);
    let dialect = if matches!(method, Method::V03(_)) { PushDialect::V03 } else { PushDialect::V1 };
    let call = Call { shared, caller: &caller, agent: &agent, headers: &parts.headers, dialect, span };
    let answered = match method {
        Method::V1(method) => v1::answer(&call, id, method, params).await,
        Method::V03(method) => v03::answer(&call, id, method, params).await,
        Method::ContextCore(method) => contextcore::answer(&call, id, method, params).await,
    };
    match answered {
        Ok(mut response) => {
            extensions::acknowledge(&call, response.headers_mut());
            response
        }
        Err(error) => {
            let error = explain(shared, &caller, &agent, error);
            let response = refused(span, id, &error);
            match method {
                Method::V03(_) => v03::refusal(id, &error),
                Method::V1(_) | Method::ContextCore(_) => response,
            }
        }
    }
}

/// Names the span after the 1.0 method in every dialect.
fn begin(span: &RequestSpan, method: Method, parts: &Parts) {
    let version = match method {
        Method::V1(_) => Some(PROTOCOL_VERSION),
        Method::V03(_) => Some(spoken::V03),
        Method::ContextCore(_) => None,
    };
    Spoken { system: Some("jsonrpc"), version }.begin(span, method.operation(), &parts.extensions);
}

/// Records the error on the span and returns the error reply.
fn refused(span: &RequestSpan, id: Id<'_>, error: &Error) -> Response {
    span.refused(error);
    span.say(|span| span.set(names::RPC_RESPONSE_STATUS_CODE, error.kind.rpc_code().to_string()));
    reply::rpc_error(id, error)
}

fn check_version(shared: &Shared, parts: &Parts, method: Method) -> Result<Method, Error> {
    let spoken = match method {
        Method::V1(_) => Version::V1,
        Method::V03(_) => Version::V03,
        // The dotted names are unique to ContextCore, and its clients declare no version.
        Method::ContextCore(_) => return Ok(method),
    };
    version::check(&parts.headers, Some(&parts.uri), spoken, shared.options.a2a.version_rule).map(|()| method)
}

/// Id of the request that a reply belongs to.
type Id<'a> = Option<&'a RawValue>;
