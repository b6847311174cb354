//! Mapping of gRPC statuses to errors.

use super::super::refusal::{clip, refused, retry_after};
use crate::CallError;
use baton_proto::error_from_status;
use baton_types::ErrorCode;
use std::error::Error;
use tonic::{Code, Status};

/// Error for the status of a call.
pub(super) fn call_error(status: &Status) -> CallError {
    let chain = std::iter::successors(status.source(), |error: &&(dyn Error + 'static)| (*error).source());
    if let Some(own) = chain.clone().find_map(|error| error.downcast_ref::<CallError>()) {
        return own.clone();
    }
    // A status sent by the peer has no cause.
    if let Some(cause) = chain.last() {
        return CallError::ConnectionLost(format!("the connection was interrupted: {cause}"));
    }
    let message = || clip(status.message());
    match status.code() {
        // The request may have been processed although the caller gave up.
        Code::Cancelled | Code::DeadlineExceeded => {
            CallError::ConnectionLost(format!("the remote agent ended the call: {}", message()))
        }
        // Created by our own decoder.
        Code::OutOfRange if status.details().is_empty() => CallError::InvalidReply(message()),
        _ => {
            // The remote agent's error code is not used: a refusal has a kind and a message.
            let error = error_from_status(status, ErrorCode::SHARED_CODES);
            let retry_after = retry_after(&status.metadata().clone().into_headers());
            refused(error.kind, &error.message, retry_after)
        }
    }
}

/// Error for the status of a stream. A status `Unknown` without details means that an intermediary cut the stream off.
pub(super) fn stream_error(status: &Status) -> CallError {
    match status.code() {
        Code::Unknown if status.source().is_none() && status.details().is_empty() => {
            CallError::ConnectionLost(format!("the stream was interrupted: {}", clip(status.message())))
        }
        _ => call_error(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_wire::a2a::v1::{Error, ErrorKind};
    use std::time::Duration;

    fn parts(error: CallError) -> (i32, u16) {
        match error {
            CallError::Refused { code, status, .. } => (code, status),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_error_kind_round_trips() {
        for kind in ErrorKind::ALL {
            // If two kinds have the same reason, the first one is expected.
            let meant = ErrorKind::from_reason(kind.reason()).unwrap();
            let shown = baton_proto::status(&Error::new(*kind, ErrorCode::INTERNAL, "no"));
            assert_eq!(parts(call_error(&shown)), (meant.rpc_code(), meant.http_status()), "{kind:?}");
        }
    }

    #[test]
    fn status_without_details_maps_by_code() {
        for (code, expect) in [
            (Code::NotFound, (-32001, 404)),
            (Code::InvalidArgument, (-32602, 400)),
            (Code::FailedPrecondition, (-32004, 400)),
            (Code::Unimplemented, (-32601, 404)),
            (Code::Unauthenticated, (-32600, 401)),
            (Code::PermissionDenied, (-32600, 403)),
            (Code::ResourceExhausted, (-32600, 429)),
            (Code::Unavailable, (-32603, 503)),
            (Code::Internal, (-32603, 500)),
            (Code::Unknown, (-32603, 500)),
        ] {
            assert_eq!(parts(call_error(&Status::new(code, "no"))), expect, "{code:?}");
        }
        for (code, message, expect) in [
            (Code::Unimplemented, "TaskNotCancelableError: it has ended", (-32002, 400)),
            (Code::Unimplemented, "UnsupportedOperationError: no", (-32004, 400)),
            (Code::Unimplemented, "PushNotificationNotSupportedError: no", (-32003, 400)),
            (Code::NotFound, "TaskNotFoundError: no", (-32001, 404)),
            (Code::NotFound, "MethodNotFoundError: no", (-32601, 404)),
            (Code::InvalidArgument, "InvalidRequestError: no", (-32600, 400)),
            (Code::Internal, "InvalidAgentResponseError: no", (-32006, 500)),
            (Code::Unimplemented, "StrangeError: no", (-32601, 404)),
        ] {
            assert_eq!(parts(call_error(&Status::new(code, message))), expect, "{message}");
        }
        for code in [Code::Cancelled, Code::DeadlineExceeded] {
            assert!(matches!(call_error(&Status::new(code, "no")), CallError::ConnectionLost(_)));
        }
        assert!(matches!(call_error(&Status::out_of_range("too long")), CallError::InvalidReply(_)));
        assert!(matches!(stream_error(&Status::unknown("cut")), CallError::ConnectionLost(_)));
        assert!(matches!(stream_error(&Status::not_found("gone")), CallError::Refused { code: -32001, .. }));
    }

    #[test]
    fn own_transport_errors_keep_their_cause() {
        let own = CallError::Forbidden("not there".to_owned());
        assert_eq!(call_error(&Status::from_error(Box::new(own.clone()))), own);
        let io = std::io::Error::other("reset");
        assert_eq!(
            call_error(&Status::from_error(Box::new(io))),
            CallError::ConnectionLost("the connection was interrupted: reset".to_owned())
        );
        let mut busy = Status::unavailable("later");
        busy.metadata_mut().insert("retry-after", "7".parse().unwrap());
        let expect = CallError::Refused {
            code: -32603,
            status: 503,
            message: "later".to_owned(),
            retry_after: Some(Duration::from_secs(7)),
        };
        assert_eq!(call_error(&busy), expect);
    }
}
