//! Gzip compression of responses for clients that accept it.
//!
//! Only responses that are already in memory are compressed. Streams are sent unbuffered.

use crate::{large_requests::LargeRequests, reply};
use axum::{body::Body, extract::Request, response::Response};
use baton_api::{ApiError, ApiErrorKind};
use baton_ports::BoxFuture;
use baton_types::ErrorCode;
use flate2::{Compression, write::GzEncoder};
use futures_util::future::Either;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use std::{
    convert::Infallible,
    io::{self, Write as _},
    mem,
    pin::pin,
    task::{Context, Poll},
};
use tower::{Layer, Service};

/// Smaller responses fit into one packet uncompressed.
const MIN_SIZE: u64 = 1024;

/// Larger responses are sent uncompressed.
const MAX_SIZE: u64 = 64 * 1024 * 1024;

/// Compresses responses of the inner routes.
#[derive(Clone)]
pub(crate) struct CompressLayer {
    large_requests: LargeRequests,
}

/// Service that compresses responses on request.
#[derive(Clone)]
pub(crate) struct CompressService<S> {
    inner: S,
    large_requests: LargeRequests,
}

impl CompressLayer {
    /// Large responses are compressed on the same threads as large bodies are parsed.
    pub(crate) fn new(large_requests: LargeRequests) -> Self {
        Self { large_requests }
    }
}

impl<S> Layer<S> for CompressLayer {
    type Service = CompressService<S>;

    fn layer(&self, inner: S) -> CompressService<S> {
        CompressService { inner, large_requests: self.large_requests.clone() }
    }
}

impl<S> Service<Request> for CompressService<S>
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

    fn call(&mut self, request: Request) -> Self::Future {
        if !accepts_gzip(request.headers()) {
            return Either::Left(self.inner.call(request));
        }
        let (response, large_requests) = (self.inner.call(request), self.large_requests.clone());
        Either::Right(Box::pin(async move { Ok(compress(response.await?, &large_requests).await) }))
    }
}

/// Whether the client accepts gzip and does not prefer the identity encoding.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let (mut gzip, mut any, mut identity) = (None, None, None);
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        for item in value.to_str().unwrap_or_default().split(',') {
            let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
            let parameters = parameters.trim().to_ascii_lowercase();
            let quality = parameters.strip_prefix("q=").map_or(Some(1.0), |q| q.trim().parse::<f32>().ok());
            let quality = quality.unwrap_or_default();
            match name.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => gzip = Some(quality),
                "*" => any = Some(quality),
                "identity" => identity = Some(quality),
                _ => {}
            }
        }
    }
    let gzip: f32 = gzip.or(any).unwrap_or_default();
    gzip > 0.0 && gzip >= identity.unwrap_or_default()
}

async fn compress(mut response: Response, large_requests: &LargeRequests) -> Response {
    if !is_compressible(&response) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if !response.body().size_hint().exact().is_some_and(|size| (MIN_SIZE..=MAX_SIZE).contains(&size)) {
        return response;
    }
    let body = mem::take(response.body_mut());
    let Ok(body) = body.collect().await else {
        let message = "the reply could not be read";
        return reply::error(&ApiError::new(ApiErrorKind::Internal, ErrorCode::INTERNAL, message));
    };
    let plain = body.to_bytes();
    let compressed = async { gzip(&plain) };
    match large_requests.drive(plain.len(), pin!(compressed)).await {
        Ok(compressed) if compressed.len() < plain.len() => {
            weaken_tag(response.headers_mut());
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(header::CONTENT_LENGTH, compressed.len().into());
            *response.body_mut() = Body::from(compressed);
        }
        Ok(_) | Err(_) => *response.body_mut() = Body::from(plain),
    }
    response
}

/// True for JSON, text and protocol buffers without an encoding. Event streams and gRPC have their own framing.
fn is_compressible(response: &Response) -> bool {
    let headers = response.headers();
    if headers.contains_key(header::CONTENT_ENCODING)
        || headers.contains_key(header::CONTENT_RANGE)
        || response.status() == StatusCode::SWITCHING_PROTOCOLS
    {
        return false;
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.split_once('/') {
        Some(("text", subtype)) => subtype != "event-stream",
        Some(("application", subtype)) => {
            subtype.ends_with("json")
                || matches!(subtype, "protobuf" | "x-protobuf" | "openmetrics-text" | "javascript")
        }
        _ => false,
    }
}

fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len().div_euclid(4)), Compression::fast());
    encoder.write_all(plain)?;
    encoder.finish()
}

/// Makes a strong ETag weak, because the compressed bytes differ from those it was computed from.
fn weaken_tag(headers: &mut HeaderMap) {
    let Some(tag) = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()) else { return };
    if tag.starts_with("W/") {
        return;
    }
    if let Ok(weak) = HeaderValue::from_str(&format!("W/{tag}")) {
        headers.insert(header::ETAG, weak);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_used_only_if_accepted() {
        for (given, expect) in [
            (&[][..], false),
            (&[""], false),
            (&["gzip"], true),
            (&["GZIP"], true),
            (&["gzip, deflate, br, zstd"], true),
            (&["deflate", "gzip;q=0.5"], true),
            (&["gzip;q=0"], false),
            (&["gzip; q=0.0"], false),
            (&["*"], true),
            (&["*;q=0"], false),
            (&["*;q=0, gzip"], true),
            (&["*, gzip;q=0"], false),
            (&["identity"], false),
            (&["identity, gzip"], true),
            (&["identity;q=1, gzip;q=0.5"], false),
            (&["gzip;q=often"], false),
            (&["br"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in given {
                headers.append(header::ACCEPT_ENCODING, value.parse().unwrap());
            }
            assert_eq!(accepts_gzip(&headers), expect, "{given:?}");
        }
    }
}
