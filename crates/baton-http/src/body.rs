//! The only way in which a request body is read: bounded in size and time, each and all together.

use crate::{
    HttpOptions,
    app::Shared,
    reply::{check_content_type, readable},
};
use axum::{body::Body, extract::Request};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use serde::de::DeserializeOwned;
use std::{sync::Arc, time::Duration};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How much of a refused body is read and thrown away, so that its sender gets to see the refusal.
const DISCARDED: usize = 64 * 1024 * 1024;
const DISCARD_TIME: Duration = Duration::from_secs(10);

/// What one permit of the common budget stands for.
const PERMIT: usize = 1024;

/// The JSON body of a request, and the headers that it came with.
pub(crate) async fn json<T: DeserializeOwned>(shared: &Shared, request: Request) -> Result<(HeaderMap, T), Error> {
    let (parts, body) = request.into_parts();
    check_content_type(&parts.headers).map_err(|essence| {
        let message = format!("Content-Type must be application/json, not '{essence}'");
        Error::new(ErrorKind::UnsupportedMediaType, ErrorCode::INVALID_REQUEST, message)
    })?;
    let received = shared.bodies.read(&parts.headers, body).await?;
    let value = serde_json::from_str(readable(&received.bytes)?)
        .map_err(|error| Error::new(ErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, error.to_string()))?;
    Ok((parts.headers, value))
}

/// Reads bodies within the bounds of each and of all together.
pub(crate) struct Bodies {
    limit: usize,
    time: Duration,
    total: u32,
    budget: Arc<Semaphore>,
}

/// A whole body and its share of the budget, which is free again when this is dropped.
pub(crate) struct Received {
    pub(crate) bytes: Bytes,
    share: Share,
}

/// What a body has of the common budget. It grows with what has arrived, not with what was announced: those who send
/// nothing must not keep others out.
struct Share {
    budget: Arc<Semaphore>,
    total: u32,
    held: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Makes room for so many bytes in all; a body larger than the whole budget gets all of it.
    fn grow(&mut self, bytes: usize) -> Result<(), Stopped> {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = (permits(bytes).min(self.total) as usize).saturating_sub(held);
        if wanted == 0 {
            return Ok(());
        }
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let more = Arc::clone(&self.budget).try_acquire_many_owned(wanted).map_err(|_| Stopped::TooMany)?;
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        Ok(())
    }
}

impl Received {
    /// The same share, for that part of the bytes which is still of interest.
    pub(crate) fn narrowed(self, bytes: Bytes) -> Self {
        Self { bytes, ..self }
    }

    /// Makes the share larger, for what is made of the body while it is kept: so many bytes in all.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.share.grow(bytes).map_err(|_| too_many())
    }
}

impl Bodies {
    pub(crate) fn new(options: &HttpOptions) -> Self {
        let total = permits(options.max_bodies_total);
        let budget = Arc::new(Semaphore::new(total as usize));
        Self { limit: options.max_body, time: options.body_timeout, total, budget }
    }

    /// All of the body, or why not.
    pub(crate) async fn read(&self, headers: &HeaderMap, mut body: Body) -> Result<Received, Error> {
        let stopped = match self.receive(&mut body).await {
            Ok(received) => return Ok(received),
            Err(stopped) => stopped,
        };
        // A client that asks before it sends has nothing under way.
        if matches!(stopped, Stopped::TooLarge | Stopped::TooMany) && !headers.contains_key(header::EXPECT) {
            let _ = tokio::time::timeout(DISCARD_TIME, discard(&mut body)).await;
        }
        Err(self.refusal(&stopped))
    }

    async fn receive(&self, body: &mut Body) -> Result<Received, Stopped> {
        let announced = body.size_hint();
        if usize::try_from(announced.lower()).unwrap_or(usize::MAX) > self.limit {
            return Err(Stopped::TooLarge);
        }
        let mut share = Share { budget: Arc::clone(&self.budget), total: self.total, held: None };
        let collected = tokio::time::timeout(self.time, collect(body, self.limit, &mut share)).await;
        Ok(Received { bytes: collected.unwrap_or(Err(Stopped::TooSlow))?, share })
    }

    fn refusal(&self, stopped: &Stopped) -> Error {
        let (kind, code, message) = match stopped {
            Stopped::TooLarge => (
                ErrorKind::BodyTooLarge,
                ErrorCode::BODY_TOO_LARGE,
                format!("the body is larger than {} bytes", self.limit),
            ),
            Stopped::TooMany => return too_many(),
            Stopped::TooSlow => (
                ErrorKind::InvalidRequest,
                ErrorCode::INVALID_REQUEST,
                format!("the body did not arrive within {} s", self.time.as_secs()),
            ),
            Stopped::Broken => (ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, "the body broke off".to_owned()),
        };
        Error::new(kind, code, message)
    }
}

fn too_many() -> Error {
    Error::new(ErrorKind::Unavailable, ErrorCode::BUSY, "too many request bodies are arriving at the same time")
}

/// Permits for so many bytes: at least one, so that no body is free.
fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(PERMIT).clamp(1, Semaphore::MAX_PERMITS)).unwrap_or(u32::MAX)
}

enum Stopped {
    TooLarge,
    TooMany,
    TooSlow,
    Broken,
}

async fn collect(body: &mut Body, limit: usize, share: &mut Share) -> Result<Bytes, Stopped> {
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if first.len() > limit {
        return Err(Stopped::TooLarge);
    }
    share.grow(first.len())?;
    let Some(second) = next(body).await? else { return Ok(first) };
    let mut all = BytesMut::with_capacity((first.len() + second.len()) * 2);
    all.extend_from_slice(&first);
    let mut more = Some(second);
    while let Some(piece) = more {
        if all.len() + piece.len() > limit {
            return Err(Stopped::TooLarge);
        }
        share.grow(all.len() + piece.len())?;
        all.extend_from_slice(&piece);
        more = next(body).await?;
    }
    Ok(all.freeze())
}

async fn next(body: &mut Body) -> Result<Option<Bytes>, Stopped> {
    while let Some(frame) = body.frame().await {
        match frame.map_err(|_| Stopped::Broken)?.into_data() {
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
        if seen > DISCARDED {
            return;
        }
    }
}
