//! Streamed response bodies.

use crate::OutboundError;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Body of a reply, read in chunks; dropping it closes the connection.
#[derive(Debug)]
pub struct GuardedBody {
    body: BodySource,
    from: String,
    idle: Duration,
    until: Option<(Instant, Duration)>,
}

#[derive(Debug)]
enum BodySource {
    Connection(Incoming),
    /// The only item of a body that was already read.
    Read(Option<Result<Bytes, OutboundError>>),
}

impl GuardedBody {
    pub(crate) fn new(body: Incoming, from: String, idle: Duration) -> Self {
        Self { body: BodySource::Connection(body), from, idle, until: None }
    }

    /// A body that was already read, for a reader that expects one: its only item is the result of reading it.
    pub fn from_read(read: Result<Bytes, OutboundError>) -> Self {
        Self { body: BodySource::Read(Some(read)), from: String::new(), idle: Duration::MAX, until: None }
    }

    /// Sets a timeout for the whole body, counted from now.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.until = Some((Instant::now() + limit, limit));
        self
    }

    /// The next chunk, `None` at the end; an error if the connection was lost or the timeout expired.
    ///
    /// Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<Bytes, OutboundError>> {
        loop {
            let body = match &mut self.body {
                BodySource::Connection(body) => body,
                BodySource::Read(read) => return read.take(),
            };
            let silence = (Instant::now() + self.idle, self.idle);
            let (deadline, limit) = self.until.map_or(silence, |until| until.min(silence));
            match timeout_at(deadline, body.frame()).await {
                Ok(None) => return None,
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Some(Ok(data));
                    }
                }
                Ok(Some(Err(error))) => {
                    let reason = error.to_string();
                    return Some(Err(OutboundError::Interrupted { target: self.from.clone(), reason }));
                }
                Err(_) => return Some(Err(OutboundError::BodyTimeout { target: self.from.clone(), limit })),
            }
        }
    }

    /// Reads the whole body; an error if it exceeds `most` bytes.
    pub async fn read(mut self, limit: usize) -> Result<Bytes, OutboundError> {
        let mut all = BytesMut::new();
        while let Some(piece) = self.next().await {
            let piece = piece?;
            if piece.len() > limit - all.len() {
                return Err(OutboundError::TooLarge { target: self.from, limit });
            }
            all.extend_from_slice(&piece);
        }
        Ok(all.freeze())
    }
}
