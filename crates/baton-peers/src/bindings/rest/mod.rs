//! HTTP+JSON binding.

mod v03;
mod v1;

pub(super) use v1::RestV1;
pub(super) use v03::RestV03;

use super::{
    events::{event_stream, is_unknown_kind, single_event},
    http::{PeerHttpRequest, PeerHttpTransport, ReplyHead, StreamReply},
    read::{invalid_reply, parse_reply, to_json},
    refusal,
};
use crate::{BindingEventStream, CallError, RequestMetadata};
use baton_wire::a2a::v1::StreamResponse;
use http::{Method, StatusCode};
use serde::{Serialize, de::DeserializeOwned};

/// Base URL of the routes.
struct Routes {
    line: PeerHttpTransport,
    base: String,
}

impl Routes {
    fn new(line: PeerHttpTransport, base: &str) -> Self {
        // A query or fragment would end up in the middle of every URL.
        let base = base.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self { line, base: base.to_owned() }
    }

    fn get(&self, path: &str) -> PeerHttpRequest {
        PeerHttpRequest { method: Method::GET, url: format!("{}{path}", self.base), body: None }
    }

    fn post(&self, path: &str, body: &impl Serialize) -> Result<PeerHttpRequest, CallError> {
        Ok(PeerHttpRequest { method: Method::POST, url: format!("{}{path}", self.base), body: Some(to_json(body)?) })
    }

    /// Calls a route with a complete reply.
    async fn call<T: DeserializeOwned>(&self, ask: PeerHttpRequest, with: &RequestMetadata) -> Result<T, CallError> {
        self.line.send(&ask, with, |head, body| success_body(head, body).and_then(parse_reply)).await
    }

    /// Calls a route with a streamed reply; `item` converts each event.
    async fn hear<T: DeserializeOwned + 'static>(
        &self,
        ask: PeerHttpRequest,
        with: &RequestMetadata,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<BindingEventStream, CallError> {
        let reply = self.line.open_stream(&ask, with).await?;
        self.event_stream(reply, item)
    }

    /// Subscribes to a task. Some servers accept `GET`, as in the schema, others only `POST`, as in the text of the
    /// specification.
    async fn subscribe_to_task<T: DeserializeOwned + 'static>(
        &self,
        mut ask: PeerHttpRequest,
        with: &RequestMetadata,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<BindingEventStream, CallError> {
        let reply = self.line.open_stream(&ask, with).await?;
        let reply = match reply {
            StreamReply::Complete(ReplyHead { status: StatusCode::METHOD_NOT_ALLOWED, .. }, _) => {
                ask.method = Method::POST;
                self.line.open_stream(&ask, with).await?
            }
            reply => reply,
        };
        self.event_stream(reply, item)
    }

    fn event_stream<T: DeserializeOwned + 'static>(
        &self,
        reply: StreamReply,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<BindingEventStream, CallError> {
        match reply {
            StreamReply::Events(body) => Ok(event_stream(body, self.line.credential(), move |data| {
                let read = parse_reply(data.as_bytes()).and_then(item);
                match &read {
                    Ok(item) if !is_unknown_kind(item) => read,
                    _ => refusal::from_event(data).map_or(read, Err),
                }
            })),
            StreamReply::Complete(head, body) => {
                let item = success_body(&head, &body)
                    .and_then(parse_reply)
                    .and_then(item)
                    .map_err(|error| self.line.redact(error))?;
                if is_unknown_kind(&item) {
                    return Err(invalid_reply(&"neither a task nor a message"));
                }
                Ok(single_event(item))
            }
        }
    }
}

/// Body of a successful reply.
fn success_body<'a>(head: &ReplyHead, body: &'a [u8]) -> Result<&'a [u8], CallError> {
    if head.status.is_success() { Ok(body) } else { Err(refusal::from_http_reply(head, body)) }
}
