//! Interprets responses as OTLP specifies.

use super::ExportOutcome;
use baton_otlp::{Encoding, RpcStatus, proto::ExportTraceServiceResponse};
use baton_outbound::{OutboundError, SecretRedactor};
use prost::Message as _;
use serde_json::Value;
use std::fmt;
use tonic::{Code, Status};

/// Maximum length of an excerpt of a response, in characters.
pub(super) const MAX_EXCERPT_LEN: usize = 200;

/// Setting to check before anything can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advice {
    Credentials,
    Address,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Credentials => "check the credentials in its headers and their permissions",
            Self::Address => "check its address and its protocol",
        })
    }
}

/// Phrases in error messages about the size of a message.
const SIZE_ERROR_PHRASES: [&str; 3] = ["larger than max", "exceeds maximum size", "too large"];

/// Outcome of a request without a response.
pub(super) fn from_outbound_error(error: &OutboundError, shown: &SecretRedactor) -> ExportOutcome {
    // The message of a redirect contains its address, which may echo secrets.
    let reason = shown.redact(&error.to_string()).into_owned();
    // A rejected redirect is permanent.
    if error.is_forbidden() || matches!(error, OutboundError::Redirect { .. }) {
        ExportOutcome::Misconfigured(format!("{reason}; {}", Advice::Address))
    } else {
        ExportOutcome::RetryLater { after: None, reason }
    }
}

/// Outcome of a successful response, possibly a partial success. The responses of all signals have the same form.
pub(super) fn from_response(body: &[u8], encoding: Encoding, shown: &SecretRedactor) -> ExportOutcome {
    let partial = match encoding {
        Encoding::Protobuf => ExportTraceServiceResponse::decode(body)
            .ok()
            .and_then(|response| response.partial_success)
            .map(|partial| (partial.rejected_spans, partial.error_message)),
        Encoding::Json => serde_json::from_slice::<Value>(body).ok().and_then(|response| {
            let partial = response.get("partialSuccess")?;
            let names = ["rejectedSpans", "rejectedDataPoints", "rejectedLogRecords"];
            let rejected = names.iter().find_map(|name| number(partial.get(*name)?)).unwrap_or(0);
            let message = partial.get("errorMessage").and_then(Value::as_str).unwrap_or_default();
            Some((rejected, message.to_owned()))
        }),
    };
    let (rejected, message) = partial.unwrap_or_default();
    ExportOutcome::Accepted {
        rejected: u64::try_from(rejected).unwrap_or(0),
        message: shown.excerpt(message.as_bytes(), MAX_EXCERPT_LEN),
    }
}

/// 64-bit numbers are text in JSON, but some servers write numbers.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// Outcome of a gRPC error status.
pub(super) fn from_grpc_status(status: &Status, shown: &SecretRedactor) -> ExportOutcome {
    let reason =
        format!("{}: {}", status.code().description(), shown.excerpt(status.message().as_bytes(), MAX_EXCERPT_LEN));
    let retry_delay = RpcStatus::decode(status.details()).ok().and_then(|status| status.retry_delay());
    match status.code() {
        Code::Cancelled
        | Code::DeadlineExceeded
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unavailable
        | Code::DataLoss => ExportOutcome::RetryLater { after: retry_delay, reason },
        Code::ResourceExhausted if retry_delay.is_some() => ExportOutcome::RetryLater { after: retry_delay, reason },
        Code::ResourceExhausted if SIZE_ERROR_PHRASES.iter().any(|phrase| status.message().contains(phrase)) => {
            ExportOutcome::TooLarge(reason)
        }
        // Without a delay, this status means a message that is too large, or a rate limit of a server that omits the
        // delay.
        Code::ResourceExhausted => ExportOutcome::Exhausted(reason),
        Code::Unauthenticated | Code::PermissionDenied => {
            ExportOutcome::Misconfigured(format!("{reason}; {}", Advice::Credentials))
        }
        Code::Unimplemented | Code::NotFound => ExportOutcome::Misconfigured(format!("{reason}; {}", Advice::Address)),
        Code::InvalidArgument | Code::FailedPrecondition | Code::AlreadyExists => ExportOutcome::Rejected(reason),
        Code::Ok | Code::Unknown | Code::Internal => ExportOutcome::ServerError(reason),
    }
}
