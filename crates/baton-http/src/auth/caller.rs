//! Who asks, as handlers know them.

use super::{Came, network::network};
use crate::{app::Shared, reply};
use axum::{extract::FromRequestParts, response::Response};
use baton_ports::{BoxFuture, Identified, Identity, Unidentified};
use baton_rules::{Access, Missing, Scope, may, may_everywhere};
use baton_types::{AgentName, ErrorCode, Principal, StreamId};
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::{Extensions, request::Parts};
use std::{
    net::IpAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Who asks; the gate puts one into every request.
#[derive(Clone)]
pub(crate) struct Caller(Arc<Known>, Option<IpAddr>);

/// Whose limits a request counts against.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LimitKey {
    /// An authenticated principal: its tenant and subject.
    Principal(Arc<str>, Arc<str>),
    /// A client address without authentication; for IPv6 its network of 64 bits. `None` in the same process.
    Address(Option<IpAddr>),
}

struct Known {
    principal: Arc<Principal>,
    credential: Option<Arc<str>>,
    /// How the request came; not told where everybody is the owner, because nobody is turned away there.
    came: Option<Came>,
    /// What was shown, and who judges it; kept for as long as the request lasts.
    shown: Option<(Arc<dyn Identity>, Box<str>)>,
    /// The scope for want of which the request was refused.
    missing: OnceLock<Scope>,
    /// Whether the audit log has a line about the request already.
    denied: AtomicBool,
    /// Whether the operation changes something that only administrators may.
    changes: AtomicBool,
}

/// How often it is looked whether the credentials of an open stream still hold.
const RECHECK: Duration = Duration::from_secs(5);

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
        Self::with(principal, None, None, None)
    }

    fn with(
        principal: Arc<Principal>,
        credential: Option<Arc<str>>,
        came: Option<Came>,
        shown: Option<(Arc<dyn Identity>, Box<str>)>,
    ) -> Self {
        let (denied, changes) = (AtomicBool::new(false), AtomicBool::new(false));
        Self(Arc::new(Known { principal, credential, came, shown, missing: OnceLock::new(), denied, changes }), None)
    }

    #[cfg(test)]
    pub(crate) fn from_address(address: IpAddr) -> Self {
        Self::local().at(Some(address))
    }

    /// The same caller, on a connection from that address.
    pub(super) fn at(self, remote: Option<IpAddr>) -> Self {
        Self(self.0, remote)
    }

    /// Whose limits its requests count against: those of its principal, or of its address if it showed no credentials.
    pub(crate) fn limit_key(&self) -> LimitKey {
        if self.0.credential.is_none() {
            return LimitKey::Address(self.1.map(network));
        }
        let principal = self.principal();
        LimitKey::Principal(Arc::clone(&principal.tenant), Arc::clone(&principal.subject))
    }

    /// Somebody who showed credentials.
    pub(super) fn identified(identified: Identified, came: Came, identity: Arc<dyn Identity>, token: &str) -> Self {
        let Identified { principal, credential } = identified;
        Self::with(principal, Some(credential), Some(came), Some((identity, token.into())))
    }

    /// Resolves when what the caller showed no longer holds: it was revoked, or has expired.
    pub(crate) fn no_longer(&self) -> BoxFuture<'static, ()> {
        let known = Arc::clone(&self.0);
        Box::pin(async move {
            let Some((identity, token)) = &known.shown else { return std::future::pending().await };
            loop {
                tokio::time::sleep(RECHECK).await;
                match identity.identify(token).await {
                    // That an issuer is away says nothing about the token.
                    Ok(_) | Err(Unidentified::KeysUnavailable(_)) => {}
                    Err(_) => return,
                }
            }
        })
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

    /// Whether the request showed no credentials because it needs none.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.0.principal.tenant.is_empty() && self.0.principal.subject.is_empty()
    }

    /// The audit log has a line about this request.
    pub(super) fn note_denial(&self) {
        self.0.denied.store(true, Ordering::Relaxed);
    }

    /// Whether the audit log has a line about this request.
    pub(super) fn was_denied(&self) -> bool {
        self.0.denied.load(Ordering::Relaxed)
    }

    /// The operation changes something that only administrators may; when it succeeds, the audit log says so.
    pub(crate) fn note_admin_change(&self) {
        // Where everybody is the owner, one caller stands for all requests, and nothing is written down.
        if self.0.came.is_some() {
            self.0.changes.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the operation changes something that only administrators may.
    pub(super) fn is_admin_change(&self) -> bool {
        self.0.changes.load(Ordering::Relaxed)
    }

    /// Writes a refusal into the audit log that the reply does not show by its status.
    pub(crate) fn log_refusal(&self, shared: &Shared, code: ErrorCode, reason: &str) {
        if let Some(came) = &self.0.came {
            came.denied(&shared.options.access, code, reason, Some(self));
        }
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
        may(self.principal(), access, agent).map_err(|missing| self.refused(shared, missing))
    }

    /// Refuses what the caller's scopes do not allow with every agent.
    pub(crate) fn may_everywhere(&self, shared: &Shared, access: Access) -> Result<(), Error> {
        may_everywhere(self.principal(), access).map_err(|missing| self.refused(shared, missing))
    }

    /// Writes into the audit log that the caller was refused something.
    pub(crate) fn deny(&self, shared: &Shared, code: ErrorCode, reason: &str) {
        if let Some(came) = &self.0.came {
            came.denied(&shared.options.access, code, reason, Some(self));
        }
    }

    fn refused(&self, shared: &Shared, missing: Missing) -> Error {
        let reason = missing.to_string();
        self.deny(shared, ErrorCode::SCOPE_MISSING, &reason);
        let Missing { scope } = missing;
        // One request is refused for one scope.
        let _ = self.0.missing.set(scope);
        Error::new(ErrorKind::Forbidden, ErrorCode::SCOPE_MISSING, reason)
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
