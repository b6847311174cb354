//! Outermost layer: a protocol may rewrite its requests and number its replies.

use axum::{extract::Request, response::Response};
use futures_util::future::Either;
use http::{HeaderName, HeaderValue};
use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower::{Layer, Service};

/// Header with the request id, for callers and logs.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A protocol's handling of requests before any other layer.
pub trait RequestEdge: Send + Sync + 'static {
    /// Rewrites a request of the protocol, and returns the id of its reply; `None` for other requests.
    fn enter(&self, request: &mut Request) -> Option<HeaderValue>;
}

/// Tower layer around all routes.
#[derive(Clone)]
pub(crate) struct EdgeLayer(Option<Arc<dyn RequestEdge>>);

impl EdgeLayer {
    pub(crate) fn new(edge: Option<Arc<dyn RequestEdge>>) -> Self {
        Self(edge)
    }
}

impl<S> Layer<S> for EdgeLayer {
    type Service = Edge<S>;

    fn layer(&self, inner: S) -> Edge<S> {
        Edge { inner, edge: self.0.clone() }
    }
}

/// Service behind the edge.
#[derive(Clone)]
pub(crate) struct Edge<S> {
    inner: S,
    edge: Option<Arc<dyn RequestEdge>>,
}

type BoxedReply = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

impl<S> Service<Request> for Edge<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, BoxedReply>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let Some(id) = self.edge.as_ref().and_then(|edge| edge.enter(&mut request)) else {
            return Either::Left(self.inner.call(request));
        };
        let answer = self.inner.call(request);
        Either::Right(Box::pin(async move {
            let mut response = answer.await?;
            response.headers_mut().entry(REQUEST_ID).or_insert(id);
            Ok(response)
        }))
    }
}
