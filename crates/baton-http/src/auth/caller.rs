//! The caller of a request, as seen by handlers.

use super::{RequestOrigin, network::client_network};
use crate::{HttpContext, error_codes, reply};
use axum::{extract::FromRequestParts, response::Response};
use baton_api::{ApiError, ApiErrorKind};
use baton_ports::{AuthenticatedCaller, Authenticator, BoxFuture, TokenRejection};
use baton_rules::{Access, AccessScope, MissingScope, check_access, check_access_to_all};
use baton_types::{AgentName, ErrorCode, Principal, StreamId};
use http::{Extensions, request::Parts};
use std::{
    net::IpAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// The caller of a request; the authentication layer inserts one into every request.
#[derive(Clone)]
pub struct Caller(Arc<CallerState>, Option<IpAddr>);

/// Key of the limits that a request counts against.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LimitKey {
    /// An authenticated principal: its tenant and subject.
    Principal(Arc<str>, Arc<str>),
    /// Address of an unauthenticated client; for IPv6 its /64 network. `None` for requests from the same process.
    Address(Option<IpAddr>),
}

struct CallerState {
    principal: Arc<Principal>,
    credential: Option<Arc<str>>,
    /// Origin of the request; `None` if every caller is the owner, because no request is denied then.
    origin: Option<RequestOrigin>,
    /// Identity provider and presented token, kept for the duration of the request.
    presented_token: Option<(Arc<dyn Authenticator>, Box<str>)>,
    /// The missing scope, if the request was denied.
    missing_scope: OnceLock<AccessScope>,
    /// Whether the audit log already has an entry for the request.
    denied: AtomicBool,
    /// Whether the operation is an administrative change.
    is_admin_change: AtomicBool,
}

/// Interval at which the credentials of an open stream are checked again.
const CREDENTIAL_CHECK_INTERVAL: Duration = Duration::from_secs(5);

impl Caller {
    /// The owner of this Baton.
    pub(super) fn local() -> Self {
        Self::without_credentials(Principal::local())
    }

    /// A caller without credentials; has access to public resources only.
    pub(super) fn anonymous() -> Self {
        Self::without_credentials(Principal { tenant: "".into(), subject: "".into(), scopes: Vec::new() })
    }

    fn without_credentials(principal: Principal) -> Self {
        let principal = Arc::new(principal);
        Self::with(principal, None, None, None)
    }

    fn with(
        principal: Arc<Principal>,
        credential: Option<Arc<str>>,
        origin: Option<RequestOrigin>,
        shown: Option<(Arc<dyn Authenticator>, Box<str>)>,
    ) -> Self {
        let (denied, changes) = (AtomicBool::new(false), AtomicBool::new(false));
        Self(
            Arc::new(CallerState {
                principal,
                credential,
                origin,
                presented_token: shown,
                missing_scope: OnceLock::new(),
                denied,
                is_admin_change: changes,
            }),
            None,
        )
    }

    #[cfg(test)]
    pub(crate) fn from_address(address: IpAddr) -> Self {
        Self::local().with_address(Some(address))
    }

    /// The same caller with the address of its connection.
    pub(super) fn with_address(self, remote: Option<IpAddr>) -> Self {
        Self(self.0, remote)
    }

    /// Limit key of the caller: its principal, or its address if it presented no credentials.
    pub fn limit_key(&self) -> LimitKey {
        if self.0.credential.is_none() {
            return LimitKey::Address(self.1.map(client_network));
        }
        let principal = self.principal();
        LimitKey::Principal(Arc::clone(&principal.tenant), Arc::clone(&principal.subject))
    }

    /// A caller with valid credentials.
    pub(super) fn identified(
        identified: AuthenticatedCaller,
        origin: RequestOrigin,
        identity: Arc<dyn Authenticator>,
        token: &str,
    ) -> Self {
        let AuthenticatedCaller { principal, credential } = identified;
        Self::with(principal, Some(credential), Some(origin), Some((identity, token.into())))
    }

    /// Resolves when the caller's credentials become invalid because they were revoked or have expired.
    pub fn credentials_revoked(&self) -> BoxFuture<'static, ()> {
        let known = Arc::clone(&self.0);
        Box::pin(async move {
            let Some((identity, token)) = &known.presented_token else { return std::future::pending().await };
            loop {
                tokio::time::sleep(CREDENTIAL_CHECK_INTERVAL).await;
                match identity.authenticate(token).await {
                    // An unreachable issuer does not make the token invalid.
                    Ok(_) | Err(TokenRejection::KeysUnavailable(_)) => {}
                    Err(_) => return,
                }
            }
        })
    }

    /// Caller stored in the extensions of a request.
    pub fn from_extensions(extensions: &Extensions) -> Result<Self, ApiError> {
        extensions.get::<Self>().cloned().ok_or_else(|| {
            ApiError::new(ApiErrorKind::Internal, ErrorCode::INTERNAL, "the request was not authenticated")
        })
    }

    /// Principal of the caller, passed to every engine command and query.
    pub fn principal(&self) -> &Arc<Principal> {
        &self.0.principal
    }

    /// Whether the caller has no credentials.
    pub fn is_anonymous(&self) -> bool {
        self.0.principal.tenant.is_empty() && self.0.principal.subject.is_empty()
    }

    /// Records that the audit log has an entry for this request.
    pub(super) fn note_denial(&self) {
        self.0.denied.store(true, Ordering::Relaxed);
    }

    /// Whether the audit log has an entry for this request.
    pub(super) fn was_denied(&self) -> bool {
        self.0.denied.load(Ordering::Relaxed)
    }

    /// Marks the operation as an administrative change, which is audited if it succeeds.
    pub fn note_admin_change(&self) {
        // If every caller is the owner, all requests share one caller, and nothing is audited.
        if self.0.origin.is_some() {
            self.0.is_admin_change.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the operation is an administrative change.
    pub(super) fn is_admin_change(&self) -> bool {
        self.0.is_admin_change.load(Ordering::Relaxed)
    }

    /// Writes a denial to the audit log that the status of the reply does not show.
    pub fn audit_hidden_denial(&self, context: &HttpContext, code: ErrorCode, reason: &str) {
        if let Some(origin) = &self.0.origin {
            origin.log_denial(&context.options.access, code, reason, Some(self));
        }
    }

    pub(super) fn credential(&self) -> Option<Arc<str>> {
        self.0.credential.clone()
    }

    /// The missing scope, if the request was denied.
    pub(super) fn missing_scope(&self) -> Option<&AccessScope> {
        self.0.missing_scope.get()
    }

    /// Checks that the caller's scopes allow the access; without an agent, a scope for any agent suffices.
    pub fn check_access(
        &self,
        context: &HttpContext,
        access: Access,
        agent: Option<&AgentName>,
    ) -> Result<(), ApiError> {
        check_access(self.principal(), access, agent).map_err(|missing| self.missing_scope_error(context, missing))
    }

    /// Checks that the caller's scopes allow the access for all agents.
    pub fn check_access_to_all(&self, context: &HttpContext, access: Access) -> Result<(), ApiError> {
        check_access_to_all(self.principal(), access).map_err(|missing| self.missing_scope_error(context, missing))
    }

    /// Writes a denial to the audit log.
    pub fn audit_denial(&self, context: &HttpContext, code: ErrorCode, reason: &str) {
        if let Some(origin) = &self.0.origin {
            origin.log_denial(&context.options.access, code, reason, Some(self));
        }
    }

    fn missing_scope_error(&self, context: &HttpContext, missing: MissingScope) -> ApiError {
        let reason = missing.to_string();
        self.audit_denial(context, error_codes::SCOPE_MISSING, &reason);
        let MissingScope { scope } = missing;
        // A request is denied for one scope only.
        let _ = self.0.missing_scope.set(scope);
        ApiError::new(ApiErrorKind::Forbidden, error_codes::SCOPE_MISSING, reason)
    }

    /// Whether the caller has read access to an agent.
    pub fn may_read(&self, agent: &AgentName) -> bool {
        check_access(self.principal(), Access::Read, Some(agent)).is_ok()
    }

    /// Audits a not-found reply if the resource exists but has another owner. The lookup runs in the background, so
    /// that response times do not reveal whether it exists.
    pub fn audit_not_found(&self, context: &HttpContext, stream: StreamId, code: ErrorCode) {
        let (access, Some(origin)) = (&context.options.access, &self.0.origin) else { return };
        if access.audit.is_none() {
            return;
        }
        let Ok(turn) = Arc::clone(&context.lookups).try_acquire_owned() else {
            tracing::warn!("too many requests for missing resources; the owner of this one is not checked");
            return;
        };
        let (owners, access) = (Arc::clone(&context.ownership), access.clone());
        let (origin, caller) = (origin.clone(), self.clone());
        tokio::spawn(async move {
            match owners.is_foreign(caller.principal(), &stream).await {
                Ok(true) => origin.log_denial(
                    &access,
                    code,
                    &format!("{} {} belongs to another caller", stream.kind(), stream.id()),
                    Some(&caller),
                ),
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "could not determine the owner"),
            }
            drop(turn);
        });
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        Self::from_extensions(&parts.extensions).map_err(|error| reply::error(&error))
    }
}
