//! Access check before a handler.

use super::{AgentPlace, RouteAccess};
use crate::{
    app::Shared,
    auth::{Caller, refusal_for},
    named::unreadable,
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

impl<H: Handler<T, Arc<Shared>>, T: 'static> Handler<T, Arc<Shared>> for AccessHandler<H> {
    type Future = Either<Ready<Response>, H::Future>;

    fn call(self, request: Request, shared: Arc<Shared>) -> Self::Future {
        let (mut parts, body) = request.into_parts();
        match check(self.access, &shared, &mut parts) {
            Ok(()) => Either::Right(self.handler.call(Request::from_parts(parts, body), shared)),
            Err(error) => Either::Left(ready(refusal_for(&Request::from_parts(parts, ()), &error))),
        }
    }
}

fn check(access: RouteAccess, shared: &Shared, parts: &mut Parts) -> Result<(), Error> {
    let caller = match access {
        RouteAccess::Open | RouteAccess::Card | RouteAccess::Registration => return Ok(()),
        RouteAccess::Metrics if shared.options.access.open_metrics => return Ok(()),
        _ => Caller::of(&parts.extensions)?,
    };
    match access {
        RouteAccess::Open | RouteAccess::Card | RouteAccess::Registration => Ok(()),
        RouteAccess::Authenticated | RouteAccess::Method => known(&caller),
        RouteAccess::Read(place) | RouteAccess::ReadOrCall(place) => may(shared, &caller, Access::Read, place, parts),
        RouteAccess::Call(place) => may(shared, &caller, Access::Call, place, parts),
        RouteAccess::Metrics | RouteAccess::TelemetryRead => caller.may_everywhere(shared, Access::TelemetryRead),
        RouteAccess::Admin => caller.may(shared, Access::Admin, None),
        RouteAccess::AdminChange => {
            caller.may(shared, Access::Admin, None)?;
            caller.note_admin_change();
            Ok(())
        }
    }
}

fn may(shared: &Shared, caller: &Caller, access: Access, place: AgentPlace, parts: &mut Parts) -> Result<(), Error> {
    match place {
        AgentPlace::Every => caller.may_everywhere(shared, access),
        AgentPlace::Resource => {
            caller.may(shared, Access::Read, None)?;
            caller.may(shared, access, None)
        }
        AgentPlace::Path => {
            let agent = agent_of(parts)?;
            // A missing read scope is reported first.
            caller.may(shared, Access::Read, agent.as_ref())?;
            caller.may(shared, access, agent.as_ref())
        }
    }
}

/// Agent in the path, as its own segment or as a tenant.
fn agent_of(parts: &mut Parts) -> Result<Option<AgentName>, Error> {
    let names = RawPathParams::from_request_parts(parts, &()).now_or_never();
    let names = match names {
        Some(Ok(names)) => names,
        Some(Err(error)) => return Err(unreadable(&error.body_text())),
        None => return Err(unreadable("its parameters are missing")),
    };
    let named = |wanted: &str| names.iter().find(|(name, _)| *name == wanted).map(|(_, agent)| AgentName::from(agent));
    Ok(named("agent").or_else(|| named("tenant")))
}

/// The gate already rejects anonymous requests on paths that are not open; this check covers a path that only the gate
/// treats as open.
fn known(caller: &Caller) -> Result<(), Error> {
    if caller.is_anonymous() {
        let message = "the request shows no token";
        return Err(Error::new(ErrorKind::Unauthenticated, ErrorCode::UNAUTHENTICATED, message));
    }
    Ok(())
}
