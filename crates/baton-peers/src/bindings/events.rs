//! Server-sent events of a response body.

use super::{MAX_EVENT, credential::RequestCredential};
use crate::{BindingEvent, BindingEventStream, CallError};
use async_stream::stream;
use baton_encoding::sse::SseParser;
use baton_outbound::GuardedBody;
use baton_wire::a2a::v1::StreamResponse;
use std::sync::Arc;

/// The events of a body, each parsed by `read`; an error ends the stream.
pub(super) fn event_stream(
    mut body: GuardedBody,
    credential: Arc<RequestCredential>,
    read: impl Fn(&str) -> Result<StreamResponse<'static>, CallError> + Send + 'static,
) -> BindingEventStream {
    Box::pin(stream! {
        let mut parser = SseParser::new(MAX_EVENT);
        while let Some(piece) = body.next().await {
            let fed = match piece {
                Ok(piece) => parser.feed(&piece).map_err(|error| CallError::InvalidReply(error.to_string())),
                Err(error) => Err(CallError::from(error)),
            };
            // Events that were complete before the error are still delivered.
            while let Some(event) = parser.next() {
                if event.data.trim().is_empty() {
                    continue;
                }
                match read(&event.data) {
                    Ok(item) if is_unknown_kind(&item) => {}
                    Ok(item) => yield Ok(BindingEvent { cursor: event.id, item }),
                    Err(error) => {
                        yield Err(credential.redact(error));
                        return;
                    }
                }
            }
            if let Err(error) = fed {
                yield Err(credential.redact(error));
                return;
            }
        }
    })
}

/// A stream of one event, for a server that does not stream.
pub(super) fn single_event(item: StreamResponse<'static>) -> BindingEventStream {
    Box::pin(stream! {
        yield Ok(BindingEvent { cursor: None, item });
    })
}

/// Whether the event is of an unknown kind, from a later version.
pub(super) fn is_unknown_kind(item: &StreamResponse<'_>) -> bool {
    matches!(item, StreamResponse { task: None, message: None, status_update: None, artifact_update: None })
}
