//! Error responses.

use crate::a2a::{
    v1::{Error, ErrorKind, ErrorObject},
    v03,
};

/// The HTTP status of an error in the SDKs of 0.3; 1.0 uses other numbers.
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

/// The error body: Python's SDK reads only `message`, others read `code` and `data` as in JSON-RPC.
pub fn error_body(error: &Error) -> ErrorObject {
    v03::error_object(error)
}
