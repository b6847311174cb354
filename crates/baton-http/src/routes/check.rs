//! Access check before a handler.

use super::{RouteAccess, RouteAgentSource};
use crate::{HttpContext, auth::Caller, error_format::RequestHead, path_name::invalid_path};
use axum::{
    extract::{FromRequestParts as _, RawPathParams, Request},
    handler::Handler,
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind};
use baton_rules::Access;
use baton_types::{AgentName, ErrorCode};
use futures_util::{
    FutureExt as _,
    future::{Either, Ready, ready},
};
use http::request::Parts;
use std::sync::Arc;

/// Handler that is called only for authorized callers.
#[derive(Clone)]
pub(super) struct AccessHandler<H> {
    pub(super) handler: H,
    pub(super) access: RouteAccess,
    pub(super) context: Arc<HttpContext>,
}

impl<H: Handler<T, S>, T: 'static, S> Handler<T, S> for AccessHandler<H> {
    type Future = Either<Ready<Response>, H::Future>;

    fn call(self, request: Request, state: S) -> Self::Future {
        let (mut parts, body) = request.into_parts();
        match check(self.access, &self.context, &mut parts) {
            Ok(()) => Either::Right(self.handler.call(Request::from_parts(parts, body), state)),
            Err(error) => {
                let request = Request::from_parts(parts, ());
                Either::Left(ready(self.context.formats.error_response(RequestHead::from_request(&request), &error)))
            }
        }
    }
}

fn check(access: RouteAccess, context: &HttpContext, parts: &mut Parts) -> Result<(), ApiError> {
    let caller = match access {
        RouteAccess::Open | RouteAccess::Card | RouteAccess::Registration => return Ok(()),
        RouteAccess::Metrics if context.options.access.open_metrics => return Ok(()),
        _ => Caller::from_extensions(&parts.extensions)?,
    };
    match access {
        RouteAccess::Open | RouteAccess::Card | RouteAccess::Registration => Ok(()),
        RouteAccess::Authenticated | RouteAccess::Method => check_authenticated(&caller),
        RouteAccess::Read(agent_source) | RouteAccess::ReadOrCall(agent_source) => {
            may(context, &caller, Access::Read, agent_source, parts)
        }
        RouteAccess::Call(agent_source) => may(context, &caller, Access::Call, agent_source, parts),
        RouteAccess::Metrics | RouteAccess::TelemetryRead => caller.check_access_to_all(context, Access::TelemetryRead),
        RouteAccess::Admin => caller.check_access(context, Access::Admin, None),
        RouteAccess::AdminChange => {
            caller.check_access(context, Access::Admin, None)?;
            caller.note_admin_change();
            Ok(())
        }
    }
}

fn may(
    context: &HttpContext,
    caller: &Caller,
    access: Access,
    agent_source: RouteAgentSource,
    parts: &mut Parts,
) -> Result<(), ApiError> {
    match agent_source {
        RouteAgentSource::Every => caller.check_access_to_all(context, access),
        RouteAgentSource::Resource => {
            caller.check_access(context, Access::Read, None)?;
            caller.check_access(context, access, None)
        }
        RouteAgentSource::Path => {
            let agent = path_agent(parts)?;
            // A missing read scope is reported first.
            caller.check_access(context, Access::Read, agent.as_ref())?;
            caller.check_access(context, access, agent.as_ref())
        }
    }
}

/// Agent in the path, as its own segment or as a tenant.
fn path_agent(parts: &mut Parts) -> Result<Option<AgentName>, ApiError> {
    let names = RawPathParams::from_request_parts(parts, &()).now_or_never();
    let names = match names {
        Some(Ok(names)) => names,
        Some(Err(error)) => return Err(invalid_path(&error.body_text())),
        None => return Err(invalid_path("its parameters are missing")),
    };
    let named = |param: &str| names.iter().find(|(name, _)| *name == param).map(|(_, agent)| AgentName::from(agent));
    Ok(named("agent").or_else(|| named("tenant")))
}

/// The gate already rejects anonymous requests on paths that are not open; this check covers a path that only the gate
/// treats as open.
fn check_authenticated(caller: &Caller) -> Result<(), ApiError> {
    if caller.is_anonymous() {
        let message = "the request has no token";
        return Err(ApiError::new(ApiErrorKind::Unauthenticated, ErrorCode::UNAUTHENTICATED, message));
    }
    Ok(())
}
