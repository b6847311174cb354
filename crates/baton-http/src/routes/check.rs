//! Access check before a handler.

use super::{RouteAccess, RouteAgentSource};
use crate::{
    app::HttpState,
    auth::{Caller, error_response_for},
    path_name::invalid_path,
};
use axum::{
    extract::{FromRequestParts as _, RawPathParams, Request},
    handler::Handler,
    response::Response,
};
use baton_rules::Access;
use baton_types::{AgentName, ErrorCode};
use baton_wire::a2a::v1::{Error, ErrorKind};
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
}

impl<H: Handler<T, Arc<HttpState>>, T: 'static> Handler<T, Arc<HttpState>> for AccessHandler<H> {
    type Future = Either<Ready<Response>, H::Future>;

    fn call(self, request: Request, shared: Arc<HttpState>) -> Self::Future {
        let (mut parts, body) = request.into_parts();
        match check(self.access, &shared, &mut parts) {
            Ok(()) => Either::Right(self.handler.call(Request::from_parts(parts, body), shared)),
            Err(error) => Either::Left(ready(error_response_for(&Request::from_parts(parts, ()), &error))),
        }
    }
}

fn check(access: RouteAccess, shared: &HttpState, parts: &mut Parts) -> Result<(), Error> {
    let caller = match access {
        RouteAccess::Open | RouteAccess::Card | RouteAccess::Registration => return Ok(()),
        RouteAccess::Metrics if shared.options.access.open_metrics => return Ok(()),
        _ => Caller::from_extensions(&parts.extensions)?,
    };
    match access {
        RouteAccess::Open | RouteAccess::Card | RouteAccess::Registration => Ok(()),
        RouteAccess::Authenticated | RouteAccess::Method => check_authenticated(&caller),
        RouteAccess::Read(agent_source) | RouteAccess::ReadOrCall(agent_source) => {
            may(shared, &caller, Access::Read, agent_source, parts)
        }
        RouteAccess::Call(agent_source) => may(shared, &caller, Access::Call, agent_source, parts),
        RouteAccess::Metrics | RouteAccess::TelemetryRead => caller.check_access_to_all(shared, Access::TelemetryRead),
        RouteAccess::Admin => caller.check_access(shared, Access::Admin, None),
        RouteAccess::AdminChange => {
            caller.check_access(shared, Access::Admin, None)?;
            caller.note_admin_change();
            Ok(())
        }
    }
}

fn may(
    shared: &HttpState,
    caller: &Caller,
    access: Access,
    agent_source: RouteAgentSource,
    parts: &mut Parts,
) -> Result<(), Error> {
    match agent_source {
        RouteAgentSource::Every => caller.check_access_to_all(shared, access),
        RouteAgentSource::Resource => {
            caller.check_access(shared, Access::Read, None)?;
            caller.check_access(shared, access, None)
        }
        RouteAgentSource::Path => {
            let agent = path_agent(parts)?;
            // A missing read scope is reported first.
            caller.check_access(shared, Access::Read, agent.as_ref())?;
            caller.check_access(shared, access, agent.as_ref())
        }
    }
}

/// Agent in the path, as its own segment or as a tenant.
fn path_agent(parts: &mut Parts) -> Result<Option<AgentName>, Error> {
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
fn check_authenticated(caller: &Caller) -> Result<(), Error> {
    if caller.is_anonymous() {
        let message = "the request has no token";
        return Err(Error::new(ErrorKind::Unauthenticated, ErrorCode::UNAUTHENTICATED, message));
    }
    Ok(())
}
