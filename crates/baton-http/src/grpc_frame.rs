//! Validates the single message of a gRPC request before it is decoded: tonic reports a truncated or repeated message as a
//! server error, or does not detect it.

use baton_api::{ApiError, ApiErrorKind};
use baton_types::ErrorCode;

/// Length of the frame header: a flag and the message length.
const FRAME_HEADER_LEN: usize = 5;

/// Rejects a body that is not exactly one message; `compressed` is whether the request names a compression.
pub fn check_grpc_frame(body: &[u8], compressed: bool) -> Result<(), ApiError> {
    let [flag, length @ ..] = match body.first_chunk::<FRAME_HEADER_LEN>() {
        Some(head) => *head,
        None if body.is_empty() => return refuse("the request has no message"),
        None => return refuse("the message is cut off"),
    };
    match flag {
        0 => {}
        1 if compressed => {}
        1 => return refuse("the message is compressed, but grpc-encoding is missing"),
        _ => return refuse("the message has an unknown flag"),
    }
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    match (body.len() - FRAME_HEADER_LEN).cmp(&length) {
        std::cmp::Ordering::Less => refuse("the message is cut off"),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => refuse("the request has more than one message"),
    }
}

fn refuse(message: &str) -> Result<(), ApiError> {
    Err(ApiError::new(ApiErrorKind::Parse, ErrorCode::INVALID_REQUEST, message))
}
