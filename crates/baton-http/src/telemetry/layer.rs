//! Outermost layer: a span for each request.

use super::{
    request_span::parse_traceparent,
    route::{OTHER, method},
    stream::{TracedBody, grpc_status},
    untraced::is_untraced,
};
use crate::HttpOptions;
use axum::{body::Body, extract::Request, response::Response};
use baton_ports::BoxFuture;
use baton_telemetry::{SharedSpan, Tracer, in_span, names};
use baton_types::SpanKind;
use futures_util::future::Either;
use hyper::body::Body as _;
use std::{
    convert::Infallible,
    task::{Context, Poll},
};
use tower::{Layer, Service};

/// Starts a span for each request; does nothing if tracing is off.
#[derive(Clone)]
pub(crate) struct RequestTraceLayer {
    tracer: Tracer,
    scheme: &'static str,
}

/// Service with request spans.
#[derive(Clone)]
pub(crate) struct RequestTraceService<S> {
    inner: S,
    layer: RequestTraceLayer,
}

impl RequestTraceLayer {
    pub(crate) fn new(options: &HttpOptions) -> Self {
        Self { tracer: options.tracer.clone(), scheme: if options.tls { "https" } else { "http" } }
    }
}

impl<S> Layer<S> for RequestTraceLayer {
    type Service = RequestTraceService<S>;

    fn layer(&self, inner: S) -> RequestTraceService<S> {
        RequestTraceService { inner, layer: self.clone() }
    }
}

impl<S> Service<Request> for RequestTraceService<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let RequestTraceLayer { tracer, scheme } = &self.layer;
        if !tracer.is_on() || is_untraced(request.uri().path()) {
            return Either::Left(self.inner.call(request));
        }
        let method = method(request.method());
        let name = if method == OTHER { "HTTP" } else { method };
        let mut span = tracer.start(SpanKind::Server, name, parse_traceparent(request.headers()));
        span.set(names::HTTP_REQUEST_METHOD, method);
        span.set(names::URL_SCHEME, *scheme);
        let (context, span) = (span.context(), SharedSpan::new(span));
        request.extensions_mut().insert(span.clone());
        let answering = self.inner.call(request);
        Either::Right(Box::pin(async move {
            let answered = in_span(context, answering).await;
            answered.map(|response| end_with_response(span, response))
        }))
    }
}

/// Ends the span: immediately, or when a streamed response ends or is dropped.
fn end_with_response(span: SharedSpan, response: Response) -> Response {
    let status = response.status();
    // A gRPC response without a message carries its status in the headers.
    let grpc = response.headers().get("grpc-status").and_then(|status| grpc_status(status.as_bytes()));
    span.edit(|span| {
        span.set_some(names::RPC_RESPONSE_STATUS_CODE, grpc);
        span.set(names::HTTP_RESPONSE_STATUS_CODE, u32::from(status.as_u16()));
        if status.is_server_error() && !span.has_failed() {
            span.fail(status.as_str().to_owned(), status.canonical_reason().unwrap_or_default());
        }
    });
    if response.body().size_hint().exact().is_some() {
        span.end();
        return response;
    }
    response.map(|body| Body::new(TracedBody::new(body, span)))
}
