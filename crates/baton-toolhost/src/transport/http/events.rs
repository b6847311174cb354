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
pub(crate) enum Cut {
    /// An event exceeds the size limit.
    #[error("an event has more than {0} bytes")]
    TooLarge(usize),
    /// The connection failed.
    #[error(transparent)]
    Broken(#[from] OutboundError),
    /// The body is not an event stream.
    #[error("it does not send a stream of events: {0}")]
    Malformed(String),
}

/// The events of a body. When it is cut off, the callback may supply a final event.
pub(crate) fn events(
    body: GuardedBody,
    most: usize,
    farewell: impl FnOnce(&Cut) -> Option<Sse> + Send + 'static,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let pieces = Pieces { body: Some(body), limit: EventLimit::new(most), most };
    let bytes = stream::unfold(pieces, |mut pieces| async move { Some((pieces.next().await?, pieces)) });
    let parsed = SseStream::from_bytes_stream(bytes).boxed();
    let reading = Reading { parsed: Some(parsed), farewell: Some(farewell) };
    stream::unfold(reading, |mut reading| async move { Some((Ok(reading.next().await?), reading)) }).boxed()
}

struct Pieces {
    body: Option<GuardedBody>,
    limit: EventLimit,
    most: usize,
}

impl Pieces {
    async fn next(&mut self) -> Option<Result<bytes::Bytes, Cut>> {
        let cut = match self.body.as_mut()?.next().await? {
            Ok(piece) if self.limit.takes(&piece) => return Some(Ok(piece)),
            Ok(_) => Cut::TooLarge(self.most),
            Err(error) => Cut::Broken(error),
        };
        // Closes the connection immediately, not when the rest of the stream is dropped.
        self.body = None;
        Some(Err(cut))
    }
}

struct Reading<F> {
    parsed: Option<BoxStream<'static, Result<Sse, SseError>>>,
    farewell: Option<F>,
}

impl<F: FnOnce(&Cut) -> Option<Sse>> Reading<F> {
    async fn next(&mut self) -> Option<Sse> {
        let error = match self.parsed.as_mut()?.next().await? {
            Ok(event) => return Some(event),
            Err(error) => error,
        };
        self.parsed = None;
        let cut = match &error {
            SseError::Body(body) => body.downcast_ref::<Cut>().cloned(),
            _ => None,
        };
        let cut = cut.unwrap_or_else(|| Cut::Malformed(error.to_string()));
        tracing::debug!("a stream of events was cut off: {cut}");
        self.farewell.take()?(&cut)
    }
}
