//! Event stream of a body that ends instead of failing.
//!
//! rmcp reopens a stream immediately when it fails, and after a delay when it ends. A server whose streams always break
//! must not be called again without delay, so a failure is reported as an end.

use super::limit::EventLimit;
use baton_outbound::{GuardedBody, OutboundError};
use futures_util::{StreamExt as _, stream, stream::BoxStream};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

/// Reason for which an event stream was cut off.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum StreamCutoff {
    /// An event exceeds the size limit.
    #[error("an event has more than {0} bytes")]
    TooLarge(usize),
    /// The connection failed.
    #[error(transparent)]
    Broken(#[from] OutboundError),
    /// The body is not an event stream.
    #[error("it does not send an event stream: {0}")]
    Malformed(String),
}

/// The events of a body. When it is cut off, the callback may supply a final event.
pub(crate) fn events(
    body: GuardedBody,
    max_size: usize,
    on_cutoff: impl FnOnce(&StreamCutoff) -> Option<Sse> + Send + 'static,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let pieces = LimitedBody { body: Some(body), limit: EventLimit::new(max_size), max_size };
    let bytes = stream::unfold(pieces, |mut pieces| async move { Some((pieces.next().await?, pieces)) });
    let parsed = SseStream::from_bytes_stream(bytes).boxed();
    let reading = EventReader { parsed: Some(parsed), on_cutoff: Some(on_cutoff) };
    stream::unfold(reading, |mut reading| async move { Some((Ok(reading.next().await?), reading)) }).boxed()
}

struct LimitedBody {
    body: Option<GuardedBody>,
    limit: EventLimit,
    max_size: usize,
}

impl LimitedBody {
    async fn next(&mut self) -> Option<Result<bytes::Bytes, StreamCutoff>> {
        let cut = match self.body.as_mut()?.next().await? {
            Ok(piece) if self.limit.accepts(&piece) => return Some(Ok(piece)),
            Ok(_) => StreamCutoff::TooLarge(self.max_size),
            Err(error) => StreamCutoff::Broken(error),
        };
        // Closes the connection immediately, not when the rest of the stream is dropped.
        self.body = None;
        Some(Err(cut))
    }
}

struct EventReader<F> {
    parsed: Option<BoxStream<'static, Result<Sse, SseError>>>,
    on_cutoff: Option<F>,
}

impl<F: FnOnce(&StreamCutoff) -> Option<Sse>> EventReader<F> {
    async fn next(&mut self) -> Option<Sse> {
        let error = match self.parsed.as_mut()?.next().await? {
            Ok(event) => return Some(event),
            Err(error) => error,
        };
        self.parsed = None;
        let cut = match &error {
            SseError::Body(body) => body.downcast_ref::<StreamCutoff>().cloned(),
            _ => None,
        };
        let cut = cut.unwrap_or_else(|| StreamCutoff::Malformed(error.to_string()));
        tracing::debug!("an event stream was cut off: {cut}");
        self.on_cutoff.take()?(&cut)
    }
}
