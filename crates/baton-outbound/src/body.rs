//! Streamed response bodies.

use crate::{OutboundError, Target, pooled_body::PooledBody};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Body of a reply, read in chunks; dropping it closes the connection.
#[derive(Debug)]
pub struct GuardedBody {
    body: BodySource,
    until: Option<(Instant, Duration)>,
}

#[derive(Debug)]
enum BodySource {
    Connection {
        body: PooledBody,
        from: Target,
        idle: Duration,
    },
    /// The only item of a body that was already read.
    Read(Option<Result<Bytes, OutboundError>>),
}

impl GuardedBody {
    pub(crate) fn new(body: PooledBody, from: Target, idle: Duration) -> Self {
        Self { body: BodySource::Connection { body, from, idle }, until: None }
    }

    /// A body that was already read, for a reader that expects one: its only item is the result of reading it.
    pub fn from_read(read: Result<Bytes, OutboundError>) -> Self {
        Self { body: BodySource::Read(Some(read)), until: None }
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
            let (body, from, idle) = match &mut self.body {
                BodySource::Connection { body, from, idle } => (body, from, *idle),
                BodySource::Read(read) => return read.take(),
            };
            let silence = (Instant::now() + idle, idle);
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
                    return Some(Err(OutboundError::Interrupted { target: from.to_string(), reason }));
                }
                Err(_) => return Some(Err(OutboundError::BodyTimeout { target: from.to_string(), limit })),
            }
        }
    }

    /// Scheme, host and port of the server.
    fn source(&self) -> String {
        match &self.body {
            BodySource::Connection { from, .. } => from.to_string(),
            BodySource::Read(_) => String::new(),
        }
    }

    /// Reads the whole body; an error if it exceeds `most` bytes.
    pub async fn read(mut self, limit: usize) -> Result<Bytes, OutboundError> {
        let (mut first, mut all) = (Bytes::new(), BytesMut::new());
        while let Some(piece) = self.next().await {
            let piece = piece?;
            if piece.len() > limit - first.len() - all.len() {
                return Err(OutboundError::TooLarge { target: self.source(), limit });
            }
            // Most bodies are one chunk, which is not copied.
            if first.is_empty() && all.is_empty() {
                first = piece;
            } else {
                all.extend_from_slice(&std::mem::take(&mut first));
                all.extend_from_slice(&piece);
            }
        }
        Ok(if all.is_empty() { first } else { all.freeze() })
    }
}
