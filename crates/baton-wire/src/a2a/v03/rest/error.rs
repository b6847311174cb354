//! How a refusal looks.

use crate::a2a::{
    v1::{Error, ErrorKind, ErrorObject},
    v03,
};

/// The HTTP status of a refusal, as the SDKs of 0.3 answer; 1.0 has other numbers.
pub const fn http_status(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::InvalidParams => 422,
        ErrorKind::TaskNotCancelable => 409,
        ErrorKind::PushNotificationNotSupported | ErrorKind::UnsupportedOperation => 501,
        ErrorKind::ContentTypeNotSupported => 415,
        ErrorKind::InvalidAgentResponse => 502,
        ErrorKind::ExtendedAgentCardNotConfigured => 404,
        kind => kind.http_status(),
    }
}

/// The body of a refusal: Python's SDK looks at `message` alone, others at `code` and `data` as in JSON-RPC.
pub fn error_body(error: &Error) -> ErrorObject {
    v03::error_object(error)
}
