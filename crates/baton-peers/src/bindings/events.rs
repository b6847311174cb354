//! Server-sent events of a response body.

use super::{MAX_EVENT, credential::Credential};
use crate::{CallError, Heard, Hearing};
use async_stream::stream;
use baton_outbound::GuardedBody;
use baton_wire::{a2a::v1::StreamResponse, sse::SseParser};
use std::sync::Arc;

/// The events of a body, each parsed by `read`; an error ends the stream.
pub(super) fn hearing(
    mut body: GuardedBody,
    credential: Arc<Credential>,
    read: impl Fn(&str) -> Result<StreamResponse<'static>, CallError> + Send + 'static,
) -> Hearing {
    Box::pin(stream! {
        let mut parser = SseParser::new(MAX_EVENT);
        while let Some(piece) = body.next().await {
            let fed = match piece {
                Ok(piece) => parser.feed(&piece).map_err(|error| CallError::Unintelligible(error.to_string())),
                Err(error) => Err(CallError::from(error)),
            };
            // Events that were complete before the error are still delivered.
            while let Some(event) = parser.next() {
                if event.data.trim().is_empty() {
                    continue;
                }
                match read(&event.data) {
                    Ok(item) if says_nothing(&item) => {}
                    Ok(item) => yield Ok(Heard { cursor: event.id, item }),
                    Err(error) => {
                        yield Err(credential.hide(error));
                        return;
                    }
                }
            }
            if let Err(error) = fed {
                yield Err(credential.hide(error));
                return;
            }
        }
    })
}

/// A stream of one event, for a server that does not stream.
pub(super) fn only(item: StreamResponse<'static>) -> Hearing {
    Box::pin(stream! {
        yield Ok(Heard { cursor: None, item });
    })
}

/// Whether the event is of an unknown kind, from a later version.
pub(super) fn says_nothing(item: &StreamResponse<'_>) -> bool {
    matches!(item, StreamResponse { task: None, message: None, status_update: None, artifact_update: None })
}
