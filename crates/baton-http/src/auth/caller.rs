//! Who asks, as handlers know them.

use super::Came;
use crate::{app::Shared, reply};
use axum::{extract::FromRequestParts, response::Response};
use baton_ports::Identified;
use baton_rules::{Access, Missing, Scope, may};
use baton_types::{AgentName, ErrorCode, Principal, StreamId};
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::{Extensions, request::Parts};
use std::sync::{Arc, OnceLock};

/// Who asks; the gate puts one into every request.
#[derive(Clone)]
pub(crate) struct Caller(Arc<Known>);

struct Known {
    principal: Arc<Principal>,
    credential: Option<Arc<str>>,
    /// How the request came; not told where everybody is the owner, because nobody is turned away there.
    came: Option<Came>,
    /// The scope for want of which the request was refused.
    missing: OnceLock<Scope>,
}

impl Caller {
    /// The owner of this Baton.
    pub(super) fn local() -> Self {
        Self::unknown(Principal::local())
    }

    /// Somebody who asked for what is open to everybody, and may do nothing else.
    pub(super) fn anonymous() -> Self {
        Self::unknown(Principal { tenant: "".into(), subject: "".into(), scopes: Vec::new() })
    }

    fn unknown(principal: Principal) -> Self {
        let principal = Arc::new(principal);
        Self(Arc::new(Known { principal, credential: None, came: None, missing: OnceLock::new() }))
    }

    /// Somebody who showed credentials.
    pub(super) fn identified(identified: Identified, came: Came) -> Self {
        let Identified { principal, credential } = identified;
        Self(Arc::new(Known { principal, credential: Some(credential), came: Some(came), missing: OnceLock::new() }))
    }

    /// The caller of a request.
    pub(crate) fn of(extensions: &Extensions) -> Result<Self, Error> {
        extensions.get::<Self>().cloned().ok_or_else(|| {
            Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, "the request did not come through the gate")
        })
    }

    /// The first argument of every command and view.
    pub(crate) fn principal(&self) -> &Arc<Principal> {
        &self.0.principal
    }

    pub(super) fn credential(&self) -> Option<Arc<str>> {
        self.0.credential.clone()
    }

    /// The scope for want of which the request was refused.
    pub(super) fn missing(&self) -> Option<&Scope> {
        self.0.missing.get()
    }

    /// Refuses what the caller's scopes do not allow; without an agent, a scope for any one of them will do.
    pub(crate) fn may(&self, shared: &Shared, access: Access, agent: Option<&AgentName>) -> Result<(), Error> {
        let Err(missing) = may(self.principal(), access, agent) else { return Ok(()) };
        let reason = missing.to_string();
        if let Some(came) = &self.0.came {
            came.denied(&shared.options.access, ErrorCode::SCOPE_MISSING, &reason, Some(self));
        }
        let Missing { scope } = missing;
        // One request is refused for one scope.
        let _ = self.0.missing.set(scope);
        Err(Error::new(ErrorKind::Forbidden, ErrorCode::SCOPE_MISSING, reason))
    }

    /// Whether the caller may look at an agent.
    pub(crate) fn may_read(&self, agent: &AgentName) -> bool {
        may(self.principal(), Access::Read, Some(agent)).is_ok()
    }

    /// The caller was told that there is no such thing. If there is one and it belongs to somebody else, that goes
    /// into the audit log; it is found out beside the reply, so that nobody can tell by the time that it takes.
    pub(crate) fn not_found(&self, shared: &Shared, stream: StreamId, code: ErrorCode) {
        let (access, Some(came)) = (&shared.options.access, &self.0.came) else { return };
        if access.audit.is_none() {
            return;
        }
        let Ok(turn) = Arc::clone(&shared.lookups).try_acquire_owned() else {
            tracing::warn!("too many missing tasks are asked for to look whether they belong to somebody else");
            return;
        };
        let (engine, access, came, caller) = (shared.engine.clone(), access.clone(), came.clone(), self.clone());
        tokio::spawn(async move {
            match engine.is_foreign(caller.principal(), &stream).await {
                Ok(true) => came.denied(
                    &access,
                    code,
                    &format!("{} {} belongs to somebody else", stream.noun(), stream.id()),
                    Some(&caller),
                ),
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "whose it is could not be found out"),
            }
            drop(turn);
        });
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        Self::of(&parts.extensions).map_err(|error| reply::rest_error(&error))
    }
}
