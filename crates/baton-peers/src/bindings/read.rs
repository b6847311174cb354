//! JSON encoding of requests and decoding of replies.

use crate::CallError;
use baton_encoding::depth_within;
use baton_types::MAX_JSON_DEPTH;
use baton_wire::a2a::{
    v1::{AgentCard, Error},
    v03,
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// Encodes a request.
pub(super) fn to_json(request: &impl Serialize) -> Result<Bytes, CallError> {
    serde_json::to_vec(request).map(Bytes::from).map_err(|error| CallError::Forbidden(error.to_string()))
}

/// Decodes a reply; rejects values nested deeper than the limit for our own callers.
pub(super) fn parse_reply<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, CallError> {
    if !depth_within(json, MAX_JSON_DEPTH) {
        let message = format!("the answer is nested deeper than {MAX_JSON_DEPTH} levels");
        return Err(CallError::InvalidReply(message));
    }
    serde_json::from_slice(json).map_err(|error| invalid_reply(&error))
}

/// Maps the error of a conversion to 1.0.
pub(super) fn check_conversion<T>(answer: Result<T, Error>) -> Result<T, CallError> {
    answer.map_err(|error| invalid_reply(&error))
}

pub(super) fn invalid_reply(error: &impl std::fmt::Display) -> CallError {
    CallError::InvalidReply(format!("the answer is not valid for this operation: {error}"))
}

/// Decodes a card of either version; a 0.3 server may return both.
pub(super) fn parse_card(json: &[u8]) -> Result<AgentCard, CallError> {
    let card: AgentCard = parse_reply(json)?;
    if !card.supported_interfaces.is_empty() {
        return Ok(card);
    }
    parse_reply::<v03::AgentCard>(json).map(v03::AgentCard::into_v1)
}
