//! Authentication gate: assigns a caller to every request or rejects it.

use super::{
    Caller, Came,
    bearer::bearer,
    came::remote_ip,
    form::Form,
    limits::{Limits, REMEMBERED},
    network::network,
    open::{Cards, Metrics, is_open},
    refused::{Refused, note_missing},
};
use crate::{app::Shared, cards::base_url};
use axum::{extract::Request, response::Response};
use baton_ports::{BoxFuture, Identity, Unidentified};
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
const FAILURES: RateLimit = RateLimit { per_second: 10, burst: 50 };

/// Description of an administrative change for the audit log, passed in the extensions of a reply.
#[derive(Clone, Debug)]
pub(crate) struct AdminNote(pub(crate) String);

/// Tower layer that puts the gate in front of every route.
#[derive(Clone)]
pub(crate) struct GateLayer(Arc<Gate>);

/// A route behind the gate.
#[derive(Clone)]
pub(crate) struct Gated<S> {
    inner: S,
    gate: Arc<Gate>,
}

struct Gate {
    shared: Arc<Shared>,
    local: Caller,
    anonymous: Caller,
    failures: Limits<Option<IpAddr>>,
}

impl GateLayer {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self(Arc::new(Gate {
            shared: Arc::clone(shared),
            local: Caller::local(),
            anonymous: Caller::anonymous(),
            failures: Limits::new(FAILURES, REMEMBERED),
        }))
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated { inner, gate: Arc::clone(&self.0) }
    }
}

impl<S> Service<Request> for Gated<S>
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
        let cards = if access.private_cards { Cards::Private } else { Cards::Public };
        let metrics = if access.open_metrics { Metrics::Public } else { Metrics::Private };
        let open = is_open(request.method(), request.uri().path(), cards, metrics);
        let caller = match &access.identity {
            None => &self.gate.local,
            Some(_) if open => &self.gate.anonymous,
            Some(identity) => {
                let (gate, identity) = (Arc::clone(&self.gate), Arc::clone(identity));
                // Call the service that was polled ready, not its clone.
                let ready = self.inner.clone();
                let inner = mem::replace(&mut self.inner, ready);
                return Either::Right(Box::pin(gate.pass(identity, inner, request)));
            }
        };
        if !open && let Err(refused) = self.gate.within_rate(caller) {
            let response = self.gate.turn_away(&request, &Came::of(&request), &refused, Some(caller));
            return Either::Right(Box::pin(ready(Ok(response))));
        }
        let caller = caller.clone().at(remote_ip(&request));
        request.extensions_mut().insert(caller);
        Either::Left(self.inner.call(request))
    }
}

impl Gate {
    async fn pass<S>(
        self: Arc<Self>,
        identity: Arc<dyn Identity>,
        mut inner: S,
        mut request: Request,
    ) -> Result<Response, Infallible>
    where
        S: Service<Request, Response = Response, Error = Infallible>,
    {
        let came = Came::of(&request);
        let identified = match bearer(request.headers()) {
            Ok(token) => match identity.identify(token).await {
                Ok(identified) => Ok(Caller::identified(identified, came.clone(), Arc::clone(&identity), token)),
                Err(unknown) => Err(Refused::Unidentified(unknown)),
            },
            Err(none) => Err(Refused::NoBearer(none)),
        };
        let caller = match identified {
            Ok(caller) => caller,
            Err(refused) => {
                let refused = self.counted(&came, refused);
                return Ok(self.turn_away(&request, &came, &refused, None));
            }
        };
        if let Err(refused) = self.within_rate(&caller) {
            return Ok(self.turn_away(&request, &came, &refused, Some(&caller)));
        }
        let base = base_url(&self.shared, request.headers());
        let is_look = request.method().is_safe();
        request.extensions_mut().insert(caller.clone());
        let mut response = inner.call(request).await?;
        if response.status() == StatusCode::FORBIDDEN
            && let Some(scope) = caller.missing()
        {
            note_missing(&mut response, &base, scope);
        }
        self.audit(&came, &caller, &mut response, is_look);
        Ok(response)
    }

    /// Writes denials and administrative changes to the audit log, whichever operation made them.
    fn audit(&self, came: &Came, caller: &Caller, response: &mut Response, is_look: bool) {
        let access = &self.shared.options.access;
        if let Some(code) = refusal_code(response)
            && !caller.was_denied()
        {
            came.denied(access, code, "the operation refused the request", Some(caller));
        }
        let note = response.extensions_mut().remove::<AdminNote>();
        if response.status().is_success() && !is_look {
            match note {
                Some(AdminNote(change)) => came.changed(access, change, caller),
                None if caller.is_admin_change() => came.changed(access, "changed".to_owned(), caller),
                None => {}
            }
        }
    }

    fn within_rate(&self, caller: &Caller) -> Result<(), Refused> {
        let Some(rates) = &self.shared.rates else { return Ok(()) };
        rates.take(caller).map_err(|wait| Refused::TooMany { wait, of: "requests" })
    }

    /// Counts a failure against the address of the client. Valid tokens are still accepted from that address, because
    /// other clients may share it.
    fn counted(&self, came: &Came, refused: Refused) -> Refused {
        if matches!(refused, Refused::Unidentified(Unidentified::KeysUnavailable(_))) {
            return refused;
        }
        match self.failures.take(came.remote.map(network)) {
            Ok(()) => refused,
            Err(wait) => Refused::TooMany { wait, of: "requests without valid credentials" },
        }
    }

    fn turn_away(&self, request: &Request, came: &Came, refused: &Refused, caller: Option<&Caller>) -> Response {
        if let Refused::Unidentified(Unidentified::KeysUnavailable(reason)) = refused {
            tracing::warn!(%reason, "could not verify a token: the keys of its issuer are unavailable");
        }
        if refused.is_denial() {
            let error = refused.error();
            came.denied(&self.shared.options.access, error.code, &error.message, caller);
        }
        refused.response(Form::of(request), &base_url(&self.shared, request.headers()))
    }
}

/// Error code of a denial for the audit log; `None` if the reply is not a denial.
fn refusal_code(response: &Response) -> Option<ErrorCode> {
    let grpc = response.headers().get("grpc-status").and_then(|status| status.to_str().ok());
    match (response.status(), grpc) {
        (StatusCode::UNAUTHORIZED, _) | (_, Some("16")) => Some(ErrorCode::UNAUTHENTICATED),
        (StatusCode::FORBIDDEN, _) | (_, Some("7")) => Some(ErrorCode::SCOPE_MISSING),
        (StatusCode::TOO_MANY_REQUESTS, _) | (_, Some("8")) => Some(ErrorCode::RATE_LIMITED),
        _ => None,
    }
}
