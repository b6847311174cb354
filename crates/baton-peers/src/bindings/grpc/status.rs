//! What a status of gRPC means.

use super::super::refusal::{clip, refused, retry_after};
use crate::CallError;
use baton_proto::error_of;
use std::error::Error;
use tonic::{Code, Status};

/// A status that ended a call.
pub(super) fn of(status: &Status) -> CallError {
    let chain = std::iter::successors(status.source(), |error: &&(dyn Error + 'static)| (*error).source());
    if let Some(own) = chain.clone().find_map(|error| error.downcast_ref::<CallError>()) {
        return own.clone();
    }
    // A status of the peer's own has no cause.
    if let Some(cause) = chain.last() {
        return CallError::Broken(format!("the connection broke off: {cause}"));
    }
    let said = || clip(status.message());
    match status.code() {
        // It may have been carried out, by somebody who was not listened to any more.
        Code::Cancelled | Code::DeadlineExceeded => CallError::Broken(format!("the peer gave up: {}", said())),
        // Of our own reader.
        Code::OutOfRange if status.details().is_empty() => CallError::Unintelligible(said()),
        _ => {
            let error = error_of(status);
            let retry_after = retry_after(&status.metadata().clone().into_headers());
            refused(error.kind, &error.message, retry_after)
        }
    }
}

/// A status that ended a stream. One without any word about its kind is what remains of a stream that was cut off by
/// somebody in between.
pub(super) fn of_stream(status: &Status) -> CallError {
    match status.code() {
        Code::Unknown if status.source().is_none() && status.details().is_empty() => {
            CallError::Broken(format!("the stream broke off: {}", clip(status.message())))
        }
        _ => of(status),
    }
}
