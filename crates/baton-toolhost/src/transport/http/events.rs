//! A body as a stream of events that ends instead of failing.
//!
//! The protocol's own reader opens a stream again at once when it fails, and after a pause when it ends. A server whose
//! streams always break must not be asked again without a pause, so a break is an end here.

use super::limit::EventLimit;
use baton_outbound::{GuardedBody, OutboundError};
use futures_util::{StreamExt as _, stream, stream::BoxStream};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

/// Why a stream of events was cut off.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Cut {
    /// An event that is too long.
    #[error("an event has more than {0} bytes")]
    TooLarge(usize),
    /// The connection.
    #[error(transparent)]
    Broken(#[from] OutboundError),
    /// No events are written there.
    #[error("what it sends is no stream of events: {0}")]
    Malformed(String),
}

/// The events of a body. When it is cut off, the last event is what `farewell` makes of the reason.
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
        // The connection is closed here and now, not when somebody drops what is left of the stream.
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
