//! Common handling of OpenAI API requests: trailing slashes are removed from paths, and every reply has a request id.

use super::is_openai_path;
use crate::app::HttpState;
use axum::{extract::Request, response::Response};
use futures_util::future::Either;
use http::{HeaderName, HeaderValue, Uri, uri::PathAndQuery};
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

/// Tower layer around all routes.
#[derive(Clone)]
pub(crate) struct EdgeLayer(Arc<HttpState>);

impl EdgeLayer {
    pub(crate) fn new(shared: &Arc<HttpState>) -> Self {
        Self(Arc::clone(shared))
    }
}

impl<S> Layer<S> for EdgeLayer {
    type Service = Edge<S>;

    fn layer(&self, inner: S) -> Edge<S> {
        Edge { inner, shared: Arc::clone(&self.0) }
    }
}

/// Service with trailing-slash handling and request ids.
#[derive(Clone)]
pub(crate) struct Edge<S> {
    inner: S,
    shared: Arc<HttpState>,
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
        if !is_openai_path(request.uri().path()) {
            return Either::Left(self.inner.call(request));
        }
        if let Some(uri) = without_slash(request.uri()) {
            *request.uri_mut() = uri;
        }
        let id = HeaderValue::from_str(&format!("req_{}", self.shared.engine.fresh_id()));
        let answer = self.inner.call(request);
        Either::Right(Box::pin(async move {
            let mut response = answer.await?;
            if let Ok(id) = id {
                response.headers_mut().entry(REQUEST_ID).or_insert(id);
            }
            Ok(response)
        }))
    }
}

/// URI without trailing slashes in its path; `None` if there are none.
fn without_slash(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    let trimmed = path.trim_end_matches('/');
    if trimmed.len() == path.len() || trimmed.is_empty() {
        return None;
    }
    let path_and_query = match uri.query() {
        Some(query) => format!("{trimmed}?{query}"),
        None => trimmed.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path_and_query).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_at_the_end_go_and_queries_stay() {
        for (given, expect) in [
            ("/v1/responses/", Some("/v1/responses")),
            ("/v1/responses//?a=/", Some("/v1/responses?a=/")),
            ("http://host:1/v1/models/", Some("http://host:1/v1/models")),
            ("/v1/responses", None),
            ("/", None),
        ] {
            let shown = without_slash(&given.parse().unwrap()).map(|uri| uri.to_string());
            assert_eq!(shown.as_deref(), expect, "{given}");
        }
    }
}
