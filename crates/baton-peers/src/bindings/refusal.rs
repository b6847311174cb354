//! Errors returned by a peer, mapped to JSON-RPC codes for every binding.

use super::http::ReplyHead;
use crate::CallError;
use baton_outbound::OutboundError;
use baton_wire::a2a::v1::{Error, ErrorKind, ErrorObject};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;
use std::time::Duration;

/// Maximum number of characters kept from a peer's error message.
const MAX_MESSAGE_CHARS: usize = 1000;
/// Upper bound of a retry delay requested by a peer, in seconds: one day.
const MAX_RETRY_AFTER_SECONDS: u64 = 24 * 60 * 60;

/// Error for a request that the binding or dialect cannot express; the same error that the peer would return.
pub(super) fn unsupported_request(error: &Error) -> CallError {
    refused(error.kind, &error.message, None)
}

/// Error for an operation that the dialect lacks.
pub(super) fn unsupported_operation(operation: &str) -> CallError {
    refused(ErrorKind::MethodNotFound, &format!("A2A 0.3 cannot {operation}"), None)
}

pub(super) fn refused(kind: ErrorKind, message: &str, retry_after: Option<Duration>) -> CallError {
    CallError::Refused { code: kind.rpc_code(), status: kind.http_status(), message: clip(message), retry_after }
}

/// Error of a JSON-RPC reply. If the code is only "internal error", the reason takes precedence: 0.3 servers have no
/// codes for later errors.
pub(super) fn from_rpc_error(head: &ReplyHead, error: &ErrorObject) -> CallError {
    let kind = error.reason().and_then(|reason| ErrorKind::from_reason(&reason));
    let code = match kind {
        Some(kind) if error.code == ErrorKind::Internal.rpc_code() => kind.rpc_code(),
        _ => error.code,
    };
    let kind = kind.or_else(|| ErrorKind::from_rpc_code(code));
    let status = match head.status {
        status if status.is_success() => kind.map_or(500, ErrorKind::http_status),
        status => status.as_u16(),
    };
    let message = if error.message.is_empty() { format!("error {code}") } else { clip(&error.message) };
    CallError::Refused { code, status, message, retry_after: retry_after(&head.headers) }
}

/// Error of an unsuccessful HTTP reply outside JSON-RPC: `google.rpc.Status`, the bodies of 0.3, problem details, or
/// any proxy output.
pub(super) fn from_http_reply(head: &ReplyHead, body: &[u8]) -> CallError {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    match parse_error_body(&value) {
        Some(error_body) => {
            let code = error_body.code.unwrap_or_else(|| code_for_status(head.status, &error_body.status));
            let message =
                if error_body.message.is_empty() { status_line(head.status) } else { clip(&error_body.message) };
            let retry_after = retry_after(&head.headers);
            CallError::Refused { code, status: head.status.as_u16(), message, retry_after }
        }
        // A gateway gave up; the peer may have started processing.
        None if matches!(head.status, StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT) => {
            CallError::ConnectionLost(format!("the remote agent's gateway answered {}", status_line(head.status)))
        }
        None => {
            let excerpt = excerpt(body);
            let detail = if excerpt.is_empty() { String::new() } else { format!(": {excerpt}") };
            let internal = head.status.is_server_error();
            let kind = if internal { ErrorKind::Internal } else { ErrorKind::InvalidRequest };
            CallError::Refused {
                code: kind.rpc_code(),
                status: head.status.as_u16(),
                message: format!("the remote agent answered {}{detail}", status_line(head.status)),
                retry_after: retry_after(&head.headers),
            }
        }
    }
}

/// The error in a stream event, if it is one.
pub(super) fn from_event(data: &str) -> Option<CallError> {
    let value: Value = serde_json::from_str(data).ok()?;
    let is_plain =
        value.get("code").is_some_and(Value::is_number) && value.get("message").is_some_and(Value::is_string);
    if !is_plain && !value.get("error").is_some_and(Value::is_object) {
        return None;
    }
    let error_body = parse_error_body(&value)?;
    let http = value.get("error").and_then(|error| error.get("code")).and_then(Value::as_u64);
    let http = http.and_then(|code| u16::try_from(code).ok()).and_then(|code| StatusCode::from_u16(code).ok());
    let status = http.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let code = error_body.code.unwrap_or_else(|| code_for_status(status, &error_body.status));
    let status =
        http.map_or_else(|| ErrorKind::from_rpc_code(code).map_or(500, ErrorKind::http_status), |it| it.as_u16());
    Some(CallError::Refused { code, status, message: clip(&error_body.message), retry_after: None })
}

#[derive(Default)]
struct PeerErrorBody {
    code: Option<i32>,
    status: String,
    message: String,
}

/// Parses an error body of an A2A server.
fn parse_error_body(value: &Value) -> Option<PeerErrorBody> {
    let error = value.get("error").filter(|error| error.is_object()).unwrap_or(value);
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let details = ["details", "data"].iter().filter_map(|name| error.get(*name)?.as_array()).flatten();
    let reason = details.clone().filter_map(|detail| detail.get("reason")?.as_str()).next();
    // Problem details name the kind in the last segment of a URI.
    let problem = text("type").rsplit(['/', ':', '#']).next().unwrap_or_default().replace('-', "_").to_uppercase();
    let kind = reason.and_then(ErrorKind::from_reason).or_else(|| ErrorKind::from_reason(&problem));
    let written = error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
    let written = written.filter(|code| (-32768..=-32000).contains(code));
    let vague = ErrorKind::Internal.rpc_code();
    let code = match (kind, written) {
        (Some(kind), None) => Some(kind.rpc_code()),
        (Some(kind), Some(code)) if code == vague => Some(kind.rpc_code()),
        (_, code) => code,
    };
    let message = ["message", "detail", "title"].map(text).into_iter().find(|text| !text.is_empty());
    let known = code.is_some() || error.get("message").is_some_and(Value::is_string);
    known.then(|| PeerErrorBody { code, status: text("status"), message: message.unwrap_or_default() })
}

/// Error code for a refusal that is only identified by its status.
fn code_for_status(http: StatusCode, name: &str) -> i32 {
    let kind = match (http.as_u16(), name) {
        (_, "UNIMPLEMENTED") | (501, _) => ErrorKind::UnsupportedOperation,
        (_, "FAILED_PRECONDITION") => ErrorKind::UnsupportedOperation,
        (_, "INVALID_ARGUMENT") | (422, _) => ErrorKind::InvalidParams,
        (404, _) => ErrorKind::TaskNotFound,
        (409, "ABORTED") => ErrorKind::TaskGenerationMismatch,
        (409, _) => ErrorKind::TaskNotCancelable,
        (415, _) => ErrorKind::ContentTypeNotSupported,
        (502, _) => ErrorKind::InvalidAgentResponse,
        (500.., _) => ErrorKind::Internal,
        _ => ErrorKind::InvalidRequest,
    };
    kind.rpc_code()
}

/// Value of the `Retry-After` header.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse::<u64>().ok()?;
    Some(Duration::from_secs(seconds.min(MAX_RETRY_AFTER_SECONDS)))
}

fn status_line(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn excerpt(body: &[u8]) -> String {
    let beginning = &body[..body.len().min(4 * 200)];
    let text = String::from_utf8_lossy(beginning);
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

impl From<OutboundError> for CallError {
    fn from(error: OutboundError) -> Self {
        let text = error.to_string();
        match error {
            OutboundError::Redirect { status, .. } => {
                let code = ErrorKind::InvalidRequest.rpc_code();
                Self::Refused { code, status, message: text, retry_after: None }
            }
            OutboundError::TooLarge { .. } => Self::InvalidReply(text),
            error if error.is_forbidden() => Self::Forbidden(text),
            error if error.is_before_send() => Self::NotSent(text),
            _ => Self::ConnectionLost(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn head(status: u16) -> ReplyHead {
        ReplyHead { status: StatusCode::from_u16(status).unwrap(), headers: HeaderMap::new() }
    }

    fn parts(error: CallError) -> (i32, u16, String) {
        match error {
            CallError::Refused { code, status, message, .. } => (code, status, message),
            other => panic!("{other:?}"),
        }
    }

    fn status(code: u16, name: &str, reason: Option<&str>) -> Value {
        let details: Vec<Value> = reason
            .map(|reason| json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}))
            .into_iter()
            .collect();
        json!({"error": {"code": code, "status": name, "message": "no", "details": details}})
    }

    #[test]
    fn http_error_bodies_map_to_json_rpc_codes() {
        for (http, body, code) in [
            (404, status(404, "NOT_FOUND", Some("TASK_NOT_FOUND")), -32001),
            (400, status(400, "FAILED_PRECONDITION", Some("TASK_NOT_CANCELABLE")), -32002),
            (400, status(400, "FAILED_PRECONDITION", Some("PUSH_NOTIFICATION_NOT_SUPPORTED")), -32003),
            (400, status(400, "FAILED_PRECONDITION", Some("EXTENSION_SUPPORT_REQUIRED")), -32008),
            (400, status(400, "FAILED_PRECONDITION", Some("VERSION_NOT_SUPPORTED")), -32009),
            (409, status(409, "ABORTED", Some("TASK_GENERATION_MISMATCH")), -32010),
            (401, status(401, "UNAUTHENTICATED", Some("UNAUTHENTICATED")), -32600),
            (400, status(400, "INVALID_ARGUMENT", None), -32602),
            (400, status(400, "FAILED_PRECONDITION", Some("SOMETHING_NEW")), -32004),
            (404, status(404, "NOT_FOUND", None), -32001),
            (409, status(409, "ABORTED", None), -32010),
            (500, status(500, "INTERNAL", None), -32603),
            (503, status(503, "UNAVAILABLE", None), -32603),
            (400, json!({"error": {"code": 400, "message": "no", "details": [{"metadata": {"n": 1}}]}}), -32600),
            (404, json!({"code": -32001, "message": "no"}), -32001),
            (500, json!({"code": -32603, "message": "no", "data": [{"reason": "VERSION_NOT_SUPPORTED"}]}), -32009),
            (409, json!({"message": "no"}), -32002),
            (422, json!({"message": "no"}), -32602),
            (501, json!({"message": "no"}), -32004),
            (415, json!({"message": "no"}), -32005),
            (502, json!({"message": "no"}), -32006),
            (404, json!({"type": "https://a2a-protocol.org/errors/task-not-found", "title": "no"}), -32001),
            (400, json!({"type": "urn:a2a:unsupported-operation", "detail": "no"}), -32004),
        ] {
            let error = parts(from_http_reply(&head(http), body.to_string().as_bytes()));
            assert_eq!(error, (code, http, "no".to_owned()), "{body}");
        }
        for (http, body, code) in [(404, json!({"detail": "Not Found"}), -32600), (500, json!([1]), -32603)] {
            let (given, status, message) = parts(from_http_reply(&head(http), body.to_string().as_bytes()));
            assert_eq!((given, status), (code, http));
            assert!(message.starts_with("the remote agent answered "), "{message}");
        }
        for gateway in [502, 504] {
            assert!(matches!(from_http_reply(&head(gateway), b"<html>"), CallError::ConnectionLost(_)));
        }
    }

    #[test]
    fn json_rpc_errors_map_to_http_statuses() {
        for (http, code, reason, expect) in [
            (200, -32001, None, (-32001, 404)),
            (200, -32002, None, (-32002, 400)),
            (200, -32603, None, (-32603, 500)),
            (200, -32603, Some("VERSION_NOT_SUPPORTED"), (-32009, 400)),
            (200, -32603, Some("UNAVAILABLE"), (-32603, 503)),
            (503, -32603, Some("UNAVAILABLE"), (-32603, 503)),
            (401, -32600, Some("UNAUTHENTICATED"), (-32600, 401)),
            (200, -32601, None, (-32601, 404)),
            (200, 17, None, (17, 500)),
            (400, -32000, None, (-32000, 400)),
        ] {
            let data = reason.map(|reason| json!([{"@type": "x", "reason": reason}]));
            let object = json!({"code": code, "message": "no", "data": data});
            let object: ErrorObject = serde_json::from_value(object).unwrap();
            let (code, status, message) = parts(from_rpc_error(&head(http), &object));
            assert_eq!(((code, status), message.as_str()), (expect, "no"), "{object:?}");
        }
    }

    #[test]
    fn error_events_are_detected() {
        for (data, expect) in [
            (status(404, "NOT_FOUND", Some("TASK_NOT_FOUND")), Some((-32001, 404))),
            (json!({"error": {"code": -32004, "message": "no"}}), Some((-32004, 400))),
            (json!({"code": -32602, "message": "no"}), Some((-32602, 400))),
            (json!({"task": {}}), None),
            (json!({"message": {"parts": []}}), None),
            (json!({"liveUpdate": {"error": true}}), None),
        ] {
            let error = from_event(&data.to_string()).map(parts);
            assert_eq!(error.map(|(code, status, _)| (code, status)), expect, "{data}");
        }
    }

    #[test]
    fn peer_message_and_retry_after_are_limited() {
        let body = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "é".repeat(5000)}});
        let (_, _, message) = parts(from_http_reply(&head(400), body.to_string().as_bytes()));
        assert_eq!(message.chars().count(), MAX_MESSAGE_CHARS + 3);
        let mut patient = head(503);
        for (given, expect) in
            [("7", Some(7)), ("99999999", Some(MAX_RETRY_AFTER_SECONDS)), ("soon", None), ("-1", None)]
        {
            patient.headers.insert(header::RETRY_AFTER, given.parse().unwrap());
            assert_eq!(retry_after(&patient.headers), expect.map(Duration::from_secs), "{given}");
        }
    }
}
