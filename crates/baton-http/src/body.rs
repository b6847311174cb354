//! Reads request bodies, with bounds on size and time per body, per principal and in total.

use crate::{
    HttpContext, HttpOptions,
    auth::Caller,
    error_codes,
    inflate::{BodyEncoding, InflateLimits, gunzip},
    large_requests::LargeRequests,
    reply::{check_json, parse_text},
    share_pool::{SharePermit, Shares},
};
use axum::{body::Body, extract::Request};
use baton_api::{ApiError, ApiErrorKind};
use baton_types::ErrorCode;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header, request::Parts};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use serde::de::DeserializeOwned;
use std::{pin::pin, time::Duration};

/// Maximum bytes of a rejected body that are read and discarded, so that the client receives the error.
const MAX_DISCARD_BYTES: usize = 64 * 1024 * 1024;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes per unit of the shared budget.
const UNIT_BYTES: usize = 1024;

/// Parses the JSON body of a request; returns it with the headers.
pub async fn json<T: DeserializeOwned>(context: &HttpContext, request: Request) -> Result<(HeaderMap, T), ApiError> {
    let (parts, body) = request.into_parts();
    check_json(&parts.headers)?;
    let received = context.bodies.read(&parts, body).await?;
    let parsed = async {
        serde_json::from_str(parse_text(&received.bytes)?)
            .map_err(|error| ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, error.to_string()))
    };
    let value = context.large_requests.drive(received.bytes.len(), pin!(parsed)).await?;
    Ok((parts.headers, value))
}

/// Body reader with limits per body, per principal and in total.
pub struct BodyReader {
    limit: usize,
    time: Duration,
    budget: Shares,
    large_requests: LargeRequests,
}

/// A complete body and its budget share, which is released on drop.
pub struct ReceivedBody {
    /// The body.
    pub bytes: Bytes,
    /// Its share of the budget.
    pub share: BodyShare,
}

impl AsRef<[u8]> for ReceivedBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reserved bytes of the shared budget. The share grows with the bytes received, not with the announced length: an idle
/// sender must not block others.
#[derive(Debug)]
pub struct BodyShare {
    permit: SharePermit,
    /// Maximum units per principal; a larger body is charged this maximum.
    max_units: usize,
}

impl BodyShare {
    /// Raises the reservation to `bytes` in total.
    pub fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        self.permit.grow_to(units(bytes).min(self.max_units)).map_err(|refusal| refusal.error("KB of request bodies"))
    }

    /// Reduces the reservation to `bytes`.
    pub fn shrink(&mut self, bytes: usize) {
        self.permit.shrink_to(bytes.div_ceil(UNIT_BYTES));
    }
}

impl ReceivedBody {
    /// Keeps the share but replaces the bytes by a part of them.
    pub fn with_bytes(self, bytes: Bytes) -> Self {
        Self { bytes, ..self }
    }

    /// Raises the reservation to `bytes` in total, for data derived from the body.
    pub fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        self.share.grow(bytes)
    }
}

impl BodyReader {
    /// A reader with these limits.
    pub fn new(options: &HttpOptions, large_requests: LargeRequests) -> Self {
        let budget =
            Shares::with_percent(units(options.max_bodies_total), options.principal_share, units(options.max_body));
        Self { limit: options.max_body, time: options.body_timeout, budget, large_requests }
    }

    /// Maximum body size in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Error for a body above the maximum size.
    pub fn too_large(&self) -> ApiError {
        self.refusal(BodyReadError::TooLarge)
    }

    /// Rejects request content above the maximum body size, regardless of its transport.
    pub fn check_size(&self, bytes: usize) -> Result<(), ApiError> {
        if bytes > self.limit { Err(self.too_large()) } else { Ok(()) }
    }

    /// An empty share, for content that is not sent as an HTTP body.
    pub fn share(&self, caller: &Caller) -> BodyShare {
        BodyShare { permit: self.budget.empty_permit(caller), max_units: self.budget.per_principal() }
    }

    /// Reads and decompresses the whole body.
    pub async fn read(&self, parts: &Parts, body: Body) -> Result<ReceivedBody, ApiError> {
        let encoding = BodyEncoding::from_headers(&parts.headers)?;
        let received = self.read_encoded(parts, body).await?;
        if encoding == BodyEncoding::Identity || received.bytes.is_empty() {
            return Ok(received);
        }
        let (arrived, limits) = (received.bytes.len(), InflateLimits::tenfold(self.limit));
        let decompressed = async { gunzip(received, 0, &limits) };
        self.large_requests.drive(arrived.saturating_mul(10), pin!(decompressed)).await
    }

    /// Reads the whole body without decompressing it.
    pub async fn read_encoded(&self, parts: &Parts, mut body: Body) -> Result<ReceivedBody, ApiError> {
        let share = self.share(&Caller::from_extensions(&parts.extensions)?);
        let stopped = match self.receive(&mut body, share).await {
            Ok(received) => return Ok(received),
            Err(stopped) => stopped,
        };
        // A client that sent `Expect` has not started to send the body.
        if matches!(stopped, BodyReadError::TooLarge | BodyReadError::OverBudget(_))
            && !parts.headers.contains_key(header::EXPECT)
        {
            let _ = tokio::time::timeout(DISCARD_TIMEOUT, discard(&mut body)).await;
        }
        Err(self.refusal(stopped))
    }

    async fn receive(&self, body: &mut Body, mut share: BodyShare) -> Result<ReceivedBody, BodyReadError> {
        let announced = body.size_hint();
        if usize::try_from(announced.lower()).unwrap_or(usize::MAX) > self.limit {
            return Err(BodyReadError::TooLarge);
        }
        let collected = tokio::time::timeout(self.time, collect(body, self.limit, &mut share)).await;
        Ok(ReceivedBody { bytes: collected.unwrap_or(Err(BodyReadError::TooSlow))?, share })
    }

    fn refusal(&self, stopped: BodyReadError) -> ApiError {
        let (kind, code, message) = match stopped {
            BodyReadError::TooLarge => (
                ApiErrorKind::BodyTooLarge,
                error_codes::BODY_TOO_LARGE,
                format!("the body is larger than {} bytes", self.limit),
            ),
            BodyReadError::OverBudget(error) => return error,
            BodyReadError::TooSlow => (
                ApiErrorKind::InvalidRequest,
                ErrorCode::INVALID_REQUEST,
                format!("the body did not arrive within {} s", self.time.as_secs()),
            ),
            BodyReadError::Aborted => {
                (ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, "the body ended early".to_owned())
            }
        };
        ApiError::new(kind, code, message)
    }
}

/// Budget units for `bytes`; at least one, so that every body is counted.
fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES).max(1)
}

enum BodyReadError {
    TooLarge,
    OverBudget(ApiError),
    TooSlow,
    Aborted,
}

async fn collect(body: &mut Body, limit: usize, share: &mut BodyShare) -> Result<Bytes, BodyReadError> {
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if first.len() > limit {
        return Err(BodyReadError::TooLarge);
    }
    share.grow(first.len()).map_err(BodyReadError::OverBudget)?;
    let Some(second) = next(body).await? else { return Ok(first) };
    let mut all = BytesMut::with_capacity((first.len() + second.len()) * 2);
    all.extend_from_slice(&first);
    let mut more = Some(second);
    while let Some(piece) = more {
        if all.len() + piece.len() > limit {
            return Err(BodyReadError::TooLarge);
        }
        share.grow(all.len() + piece.len()).map_err(BodyReadError::OverBudget)?;
        all.extend_from_slice(&piece);
        more = next(body).await?;
    }
    Ok(all.freeze())
}

async fn next(body: &mut Body) -> Result<Option<Bytes>, BodyReadError> {
    while let Some(frame) = body.frame().await {
        match frame.map_err(|_| BodyReadError::Aborted)?.into_data() {
            Ok(data) if data.is_empty() => {}
            Ok(data) => return Ok(Some(data)),
            Err(_trailers) => {}
        }
    }
    Ok(None)
}

async fn discard(body: &mut Body) {
    let mut seen = 0;
    while let Ok(Some(piece)) = next(body).await {
        seen += piece.len();
        if seen > MAX_DISCARD_BYTES {
            return;
        }
    }
}
