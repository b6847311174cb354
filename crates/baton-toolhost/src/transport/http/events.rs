//! Event stream of a body that ends instead of failing.
//!
//! rmcp reopens a stream immediately when it fails, and after a delay when it ends. A server whose streams always break
//! must not be called again without delay, so a failure is reported as an end.

use baton_encoding::sse::{SseError as SseFormatError, SseParser};
use baton_outbound::{GuardedBody, OutboundError};
use futures_util::{StreamExt as _, stream, stream::BoxStream};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use std::time::Duration;

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
    let reader = EventReader {
        body: Some(body),
        parser: SseParser::new(max_size),
        reported: ResumePoint::default(),
        cutoff: None,
        on_cutoff: Some(on_cutoff),
    };
    stream::unfold(reader, |mut reader| async move { Some((Ok(reader.next().await?), reader)) }).boxed()
}

/// Position and delay with which a server wants its stream to be resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ResumePoint {
    id: Option<String>,
    delay: Option<Duration>,
}

struct EventReader<F> {
    body: Option<GuardedBody>,
    parser: SseParser,
    reported: ResumePoint,
    cutoff: Option<StreamCutoff>,
    on_cutoff: Option<F>,
}

impl<F: FnOnce(&StreamCutoff) -> Option<Sse>> EventReader<F> {
    async fn next(&mut self) -> Option<Sse> {
        loop {
            if let Some(event) = self.parser.next() {
                if event.id.is_some() {
                    self.reported.id.clone_from(&event.id);
                }
                return Some(Sse { id: event.id, event: event.event, data: Some(event.data), retry: None });
            }
            if let Some(resume) = self.changed_resume_point() {
                return Some(resume);
            }
            if let Some(cutoff) = self.cutoff.take() {
                tracing::debug!("an event stream was cut off: {cutoff}");
                return self.on_cutoff.take()?(&cutoff);
            }
            let fed = match self.body.as_mut()?.next().await? {
                Ok(piece) => self.parser.feed(&piece).map_err(StreamCutoff::from),
                Err(error) => Err(StreamCutoff::Broken(error)),
            };
            if let Err(cutoff) = fed {
                // Closes the connection immediately, not when the rest of the stream is dropped.
                self.body = None;
                self.cutoff = Some(cutoff);
            }
        }
    }

    /// An event without data, if the server sent a new id or delay since the last one.
    fn changed_resume_point(&mut self) -> Option<Sse> {
        let delay = self.parser.retry();
        if delay == self.reported.delay && self.parser.last_id() == self.reported.id.as_deref() {
            return None;
        }
        self.reported = ResumePoint { id: self.parser.last_id().map(str::to_owned), delay };
        let retry = delay.map(|delay| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
        Some(Sse { id: self.reported.id.clone(), retry, ..Sse::default() })
    }
}

impl From<SseFormatError> for StreamCutoff {
    fn from(error: SseFormatError) -> Self {
        match error {
            SseFormatError::TooLarge(max_size) => Self::TooLarge(max_size),
            SseFormatError::NotText => Self::Malformed(error.to_string()),
        }
    }
}
