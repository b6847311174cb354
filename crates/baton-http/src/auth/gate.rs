//! Authentication gate: assigns a caller to every request or rejects it.

use super::{
    Caller, RequestOrigin,
    bearer::bearer,
    limits::{KeyedRateLimiter, MAX_TRACKED_KEYS},
    network::client_network,
    public_paths::{CardVisibility, MetricsVisibility, is_public},
    rejection::{GateRejection, add_scope_challenge},
    request_origin::remote_ip,
};
use crate::{HttpContext, base_url, error_codes, error_format::RequestHead};
use axum::{extract::Request, response::Response};
use baton_ports::{Authenticator, BoxFuture, TokenRejection};
use baton_rules::RateLimit;
use baton_types::ErrorCode;
use futures_util::future::Either;
use http::StatusCode;
use std::{
    convert::Infallible,
    future::ready,
    mem,
    net::IpAddr,
    sync::Arc,
    task::{Context, Poll},
};
use tower::{Layer, Service};

/// Rate limit for invalid tokens from one address.
const FAILURE_RATE_LIMIT: RateLimit = RateLimit { per_second: 10, burst: 50 };

/// Description of an administrative change for the audit log, passed in the extensions of a reply.
#[derive(Clone, Debug)]
pub struct AdminNote(pub String);

/// Tower layer that puts the gate in front of every route.
#[derive(Clone)]
pub(crate) struct GateLayer(Arc<AuthGate>);

/// A route behind the gate.
#[derive(Clone)]
pub(crate) struct GateService<S> {
    inner: S,
    gate: Arc<AuthGate>,
}

struct AuthGate {
    shared: Arc<HttpContext>,
    local: Caller,
    anonymous: Caller,
    failures: KeyedRateLimiter<Option<IpAddr>>,
}

impl GateLayer {
    pub(crate) fn new(shared: &Arc<HttpContext>) -> Self {
        Self(Arc::new(AuthGate {
            shared: Arc::clone(shared),
            local: Caller::local(),
            anonymous: Caller::anonymous(),
            failures: KeyedRateLimiter::new(FAILURE_RATE_LIMIT, MAX_TRACKED_KEYS),
        }))
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = GateService<S>;

    fn layer(&self, inner: S) -> GateService<S> {
        GateService { inner, gate: Arc::clone(&self.0) }
    }
}

impl<S> Service<Request> for GateService<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let access = &self.gate.shared.options.access;
        let cards = if access.private_cards { CardVisibility::Private } else { CardVisibility::Public };
        let metrics = if access.open_metrics { MetricsVisibility::Public } else { MetricsVisibility::Private };
        let open = is_public(request.method(), request.uri().path(), cards, metrics);
        let caller = match &access.identity {
            None => &self.gate.local,
            Some(_) if open => &self.gate.anonymous,
            Some(identity) => {
                let (gate, identity) = (Arc::clone(&self.gate), Arc::clone(identity));
                // Call the service that was polled ready, not its clone.
                let ready = self.inner.clone();
                let inner = mem::replace(&mut self.inner, ready);
                return Either::Right(Box::pin(gate.authenticate(identity, inner, request)));
            }
        };
        if !open && let Err(refused) = self.gate.check_rate(caller) {
            let response = self.gate.reject(&request, &RequestOrigin::from_request(&request), &refused, Some(caller));
            return Either::Right(Box::pin(ready(Ok(response))));
        }
        let caller = caller.clone().with_address(remote_ip(&request));
        request.extensions_mut().insert(caller);
        Either::Left(self.inner.call(request))
    }
}

impl AuthGate {
    async fn authenticate<S>(
        self: Arc<Self>,
        identity: Arc<dyn Authenticator>,
        mut inner: S,
        mut request: Request,
    ) -> Result<Response, Infallible>
    where
        S: Service<Request, Response = Response, Error = Infallible>,
    {
        let origin = RequestOrigin::from_request(&request);
        let identified = match bearer(request.headers()) {
            Ok(token) => match identity.authenticate(token).await {
                Ok(identified) => Ok(Caller::identified(identified, origin.clone(), Arc::clone(&identity), token)),
                Err(unknown) => Err(GateRejection::Unidentified(unknown)),
            },
            Err(none) => Err(GateRejection::NoBearer(none)),
        };
        let caller = match identified {
            Ok(caller) => caller,
            Err(refused) => {
                let refused = self.count_failure(&origin, refused);
                return Ok(self.reject(&request, &origin, &refused, None));
            }
        };
        if let Err(refused) = self.check_rate(&caller) {
            return Ok(self.reject(&request, &origin, &refused, Some(&caller)));
        }
        let base = base_url(&self.shared, request.headers());
        let is_look = request.method().is_safe();
        request.extensions_mut().insert(caller.clone());
        let mut response = inner.call(request).await?;
        if response.status() == StatusCode::FORBIDDEN
            && let Some(scope) = caller.missing_scope()
        {
            add_scope_challenge(&mut response, &base, scope);
        }
        self.audit(&origin, &caller, &mut response, is_look);
        Ok(response)
    }

    /// Writes denials and administrative changes to the audit log, whichever operation made them.
    fn audit(&self, origin: &RequestOrigin, caller: &Caller, response: &mut Response, is_look: bool) {
        let access = &self.shared.options.access;
        if let Some(code) = denial_code(response)
            && !caller.was_denied()
        {
            origin.log_denial(access, code, "the operation refused the request", Some(caller));
        }
        let note = response.extensions_mut().remove::<AdminNote>();
        if response.status().is_success() && !is_look {
            match note {
                Some(AdminNote(change)) => origin.log_admin_change(access, change, caller),
                None if caller.is_admin_change() => origin.log_admin_change(access, "changed".to_owned(), caller),
                None => {}
            }
        }
    }

    fn check_rate(&self, caller: &Caller) -> Result<(), GateRejection> {
        let Some(rates) = &self.shared.rates else { return Ok(()) };
        rates.take(caller).map_err(|wait| GateRejection::RateLimited { wait, of: "requests" })
    }

    /// Counts a failure against the address of the client. Valid tokens are still accepted from that address, because
    /// other clients may share it.
    fn count_failure(&self, origin: &RequestOrigin, refused: GateRejection) -> GateRejection {
        if matches!(refused, GateRejection::Unidentified(TokenRejection::KeysUnavailable(_))) {
            return refused;
        }
        match self.failures.take(origin.remote.map(client_network)) {
            Ok(()) => refused,
            Err(wait) => GateRejection::RateLimited { wait, of: "requests without valid credentials" },
        }
    }

    fn reject(
        &self,
        request: &Request,
        origin: &RequestOrigin,
        refused: &GateRejection,
        caller: Option<&Caller>,
    ) -> Response {
        if let GateRejection::Unidentified(TokenRejection::KeysUnavailable(reason)) = refused {
            tracing::warn!(%reason, "could not verify a token: the keys of its issuer are unavailable");
        }
        if refused.is_denial() {
            let error = refused.error();
            origin.log_denial(&self.shared.options.access, error.code, &error.message, caller);
        }
        let head = RequestHead::from_request(request);
        refused.response(&self.shared.formats, head, &base_url(&self.shared, request.headers()))
    }
}

/// Error code of a denial for the audit log; `None` if the reply is not a denial.
fn denial_code(response: &Response) -> Option<ErrorCode> {
    let grpc = response.headers().get("grpc-status").and_then(|status| status.to_str().ok());
    match (response.status(), grpc) {
        (StatusCode::UNAUTHORIZED, _) | (_, Some("16")) => Some(ErrorCode::UNAUTHENTICATED),
        (StatusCode::FORBIDDEN, _) | (_, Some("7")) => Some(error_codes::SCOPE_MISSING),
        (StatusCode::TOO_MANY_REQUESTS, _) | (_, Some("8")) => Some(error_codes::RATE_LIMITED),
        _ => None,
    }
}
