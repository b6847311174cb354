//! Mapping of errors to and from gRPC statuses.
//!
//! The details are three small hand-written messages: `tonic-types` would add every detail type of `google.rpc`, a
//! second description of the same messages and another crate.

use baton_types::{ErrorCode, FieldViolation};
use baton_wire::a2a::v1::{Error, ErrorKind};
use prost::{Message, bytes::Bytes};
use prost_types::Any;
use std::collections::BTreeMap;
use tonic::Code;

const DOMAIN: &str = "a2a-protocol.org";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// Content of `grpc-status-details-bin`: `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
struct StatusDetails {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

/// `google.rpc.ErrorInfo`.
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: BTreeMap<String, String>,
}

/// `google.rpc.BadRequest`.
#[derive(Clone, PartialEq, Message)]
struct BadRequest {
    #[prost(message, repeated, tag = "1")]
    field_violations: Vec<BadRequestViolation>,
}

#[derive(Clone, PartialEq, Message)]
struct BadRequestViolation {
    #[prost(string, tag = "1")]
    field: String,
    #[prost(string, tag = "2")]
    description: String,
}

/// The gRPC status of an error, with code, message and typed details.
pub fn status(error: &Error) -> tonic::Status {
    let code = code_from_name(error.kind.status());
    let metadata = [("batonCode", error.code.code), ("hint", error.code.hint)];
    let info = ErrorInfo {
        reason: error.kind.reason().to_owned(),
        domain: DOMAIN.to_owned(),
        metadata: metadata.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    };
    let mut details = vec![Any { type_url: ERROR_INFO.to_owned(), value: info.encode_to_vec() }];
    if !error.violations.is_empty() {
        let violation = |one: &FieldViolation| BadRequestViolation {
            field: one.field.clone(),
            description: one.description.clone(),
        };
        let request = BadRequest { field_violations: error.violations.iter().map(violation).collect() };
        details.push(Any { type_url: BAD_REQUEST.to_owned(), value: request.encode_to_vec() });
    }
    let details = StatusDetails { code: code.into(), message: error.message.clone(), details };
    tonic::Status::with_details(code, error.message.clone(), Bytes::from(details.encode_to_vec()))
}

/// The error in a server's status, in the form of the other bindings.
///
/// The reason determines the kind; without a reason, the code does. The error code is one of `codes`, or else the one for
/// the kind.
pub fn error_from_status(status: &tonic::Status, codes: impl IntoIterator<Item = &'static ErrorCode>) -> Error {
    let details = StatusDetails::decode(status.details()).map(|details| details.details).unwrap_or_default();
    let mut info = ErrorInfo::default();
    let mut violations = Vec::new();
    for detail in details {
        match detail.type_url.as_str() {
            ERROR_INFO => info = ErrorInfo::decode(detail.value.as_slice()).unwrap_or_default(),
            BAD_REQUEST => {
                let request = BadRequest::decode(detail.value.as_slice()).unwrap_or_default();
                let read = |one: BadRequestViolation| FieldViolation { field: one.field, description: one.description };
                violations.extend(request.field_violations.into_iter().map(read));
            }
            _ => {}
        }
    }
    let kind = ErrorKind::from_reason(&info.reason).or_else(|| kind_from_message(status.message()));
    let kind = kind.unwrap_or(match status.code() {
        Code::NotFound => ErrorKind::TaskNotFound,
        Code::InvalidArgument | Code::OutOfRange => ErrorKind::InvalidParams,
        Code::FailedPrecondition => ErrorKind::UnsupportedOperation,
        Code::Unimplemented => ErrorKind::MethodNotFound,
        Code::Unauthenticated => ErrorKind::Unauthenticated,
        Code::PermissionDenied => ErrorKind::Forbidden,
        Code::ResourceExhausted => ErrorKind::RateLimited,
        Code::Unavailable => ErrorKind::Unavailable,
        Code::Aborted => ErrorKind::TaskGenerationMismatch,
        _ => ErrorKind::Internal,
    });
    let known = info.metadata.get("batonCode").and_then(|code| codes.into_iter().find(|one| one.code == code));
    let code = known.copied().unwrap_or(match kind {
        ErrorKind::TaskNotFound => ErrorCode::TASK_NOT_FOUND,
        ErrorKind::TaskNotCancelable => ErrorCode::TASK_NOT_CANCELABLE,
        ErrorKind::Unavailable => ErrorCode::BUSY,
        ErrorKind::Internal | ErrorKind::InvalidAgentResponse => ErrorCode::INTERNAL,
        _ => ErrorCode::INVALID_REQUEST,
    });
    Error { violations, ..Error::new(kind, code, status.message()) }
}

/// The kind named by the first word of a message: servers of 0.3 send no details, and use codes that several kinds
/// share.
fn kind_from_message(message: &str) -> Option<ErrorKind> {
    let (name, _) = message.split_once(':')?;
    Some(match name {
        "JSONParseError" => ErrorKind::Parse,
        "InvalidRequestError" => ErrorKind::InvalidRequest,
        "MethodNotFoundError" => ErrorKind::MethodNotFound,
        "InvalidParamsError" => ErrorKind::InvalidParams,
        "InternalError" => ErrorKind::Internal,
        "TaskNotFoundError" => ErrorKind::TaskNotFound,
        "TaskNotCancelableError" => ErrorKind::TaskNotCancelable,
        "PushNotificationNotSupportedError" => ErrorKind::PushNotificationNotSupported,
        "UnsupportedOperationError" => ErrorKind::UnsupportedOperation,
        "ContentTypeNotSupportedError" => ErrorKind::ContentTypeNotSupported,
        "InvalidAgentResponseError" => ErrorKind::InvalidAgentResponse,
        _ => return None,
    })
}

/// The gRPC code with this `google.rpc.Code` name.
fn code_from_name(name: &str) -> Code {
    match name {
        "CANCELLED" => Code::Cancelled,
        "INVALID_ARGUMENT" => Code::InvalidArgument,
        "DEADLINE_EXCEEDED" => Code::DeadlineExceeded,
        "NOT_FOUND" => Code::NotFound,
        "ALREADY_EXISTS" => Code::AlreadyExists,
        "PERMISSION_DENIED" => Code::PermissionDenied,
        "RESOURCE_EXHAUSTED" => Code::ResourceExhausted,
        "FAILED_PRECONDITION" => Code::FailedPrecondition,
        "ABORTED" => Code::Aborted,
        "OUT_OF_RANGE" => Code::OutOfRange,
        "UNIMPLEMENTED" => Code::Unimplemented,
        "INTERNAL" => Code::Internal,
        "UNAVAILABLE" => Code::Unavailable,
        "UNAUTHENTICATED" => Code::Unauthenticated,
        _ => Code::Unknown,
    }
}
