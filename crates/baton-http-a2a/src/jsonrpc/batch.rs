//! JSON-RPC batches. Only the dotted methods support them; A2A methods are rejected inside a batch.

use super::{
    answer_request,
    envelope::{EnvelopeError, JsonRpcEnvelope},
    error_reply,
};
use crate::{
    error::from_api,
    error_codes,
    reply::{self, parse_text},
    state::A2aState,
};
use axum::response::Response;
use baton_http::{Caller, RequestSpan, body::ReceivedBody};
use baton_types::{AgentName, ErrorCode};
use baton_wire::{
    a2a::v1::{Error, ErrorKind},
    jsonrpc,
};
use bytes::Bytes;
use http::{StatusCode, request::Parts};
use http_body_util::BodyExt as _;
use std::sync::Arc;

/// Upper bound on reply bytes; after it no further entry is processed.
const MAX_REPLY_BYTES: usize = 32 * 1024 * 1024;

const BATCH_METHOD_ERROR: &str =
    "a batch allows only methods such as message.send and tasks.get; send others one by one";

/// Processes the entries in order. The reply is an array with one element per entry that is not a notification.
pub(super) async fn respond(
    shared: &Arc<A2aState>,
    agent: Option<&AgentName>,
    parts: &Parts,
    span: &RequestSpan,
    received: ReceivedBody,
) -> Response {
    let entries = match read(&received.bytes) {
        Ok(entries) => entries,
        Err(error) => return error_reply(span, None, &error),
    };
    let mut replies = Vec::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let (is_notification, reply) = match entry {
            Err((id, error)) => (false, error_reply(span, id.as_deref(), &error)),
            Ok(envelope) => {
                let (id, is_notification) = (envelope.id.clone(), envelope.id.is_none());
                let reply = match check(shared, parts, index, &envelope, replies.len()) {
                    Ok(()) => answer_request(shared, agent.cloned(), parts, span, envelope).await,
                    Err(error) => error_reply(span, id.as_deref(), &error),
                };
                (is_notification, reply)
            }
        };
        // Replies of these methods are already in memory.
        if !is_notification && let Ok(reply) = reply.into_body().collect().await {
            replies.push(if replies.is_empty() { b'[' } else { b',' });
            replies.extend_from_slice(&reply.to_bytes());
        }
    }
    if replies.is_empty() {
        let mut nothing = Response::default();
        *nothing.status_mut() = StatusCode::NO_CONTENT;
        return nothing;
    }
    replies.push(b']');
    reply::json_bytes(replies)
}

/// Entries of a batch that calls at least one dotted method.
fn read(body: &Bytes) -> Result<Vec<Result<JsonRpcEnvelope, EnvelopeError>>, Error> {
    let invalid = |message: &str| Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message);
    let entries = jsonrpc::read_batch(parse_text(body)?).ok_or_else(|| invalid("the body is not a batch"))??;
    let entries: Vec<_> = entries.into_iter().map(|entry| JsonRpcEnvelope::read_part(body, entry.get())).collect();
    let has_dotted = entries.iter().any(|entry| entry.as_ref().is_ok_and(|envelope| envelope.is_dotted));
    if has_dotted { Ok(entries) } else { Err(invalid(BATCH_METHOD_ERROR)) }
}

/// Rejects an entry that is not a dotted method or exceeds a limit. Every entry counts as a request for the rate limit;
/// the first one was counted when the body arrived.
fn check(
    shared: &A2aState,
    parts: &Parts,
    index: usize,
    envelope: &JsonRpcEnvelope,
    written: usize,
) -> Result<(), Error> {
    if !envelope.is_dotted {
        return Err(Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, BATCH_METHOD_ERROR));
    }
    if written > MAX_REPLY_BYTES {
        let message = format!("earlier replies of the batch exceed {MAX_REPLY_BYTES} bytes; send this request alone");
        return Err(Error::new(ErrorKind::Unavailable, ErrorCode::BUSY, message));
    }
    let Some(rates) = shared.http.rates.as_ref().filter(|_| index > 0) else { return Ok(()) };
    rates.take(&Caller::from_extensions(&parts.extensions).map_err(from_api)?).map_err(|wait| {
        let message = format!("too many requests; retry in {} ms", wait.as_millis());
        Error::new(ErrorKind::RateLimited, error_codes::RATE_LIMITED, message)
    })
}
