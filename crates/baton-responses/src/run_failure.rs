//! Mapping of failed runs to request errors.

use crate::{ErrorObject, OpenAiError};
use baton_types::{ErrorCode, FailureReason, ProviderFailure};
use std::time::Duration;

/// Failures that a client could mistake for its own error: the message starts by attributing them to the server.
const SERVER_CODES: [ErrorCode; 2] = [ErrorCode::PROVIDER_KEY_REFUSED, ErrorCode::PROVIDER_QUOTA_EXHAUSTED];

/// A failed run as seen by the client: the error, and whether a retry can help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFailure {
    /// The error; its status makes clients raise the appropriate exception.
    pub error: OpenAiError,
    /// Delay requested by the model provider.
    pub retry_after: Option<Duration>,
    /// Whether the same request may succeed later.
    pub is_retryable: bool,
}

impl RunFailure {
    /// The failure that a task ended with.
    pub fn from_reason(reason: &FailureReason) -> Self {
        let (status, kind, code) = classify(reason);
        let detail = match SERVER_CODES.iter().find(|error_code| error_code.code == reason.code) {
            Some(error_code) => format!("{}: {}", error_code.title, reason.detail),
            None => reason.detail.clone(),
        };
        let message = format!("{detail} ({})", reason.code);
        let error = OpenAiError { status, kind, code: Some(code), param: None, message };
        let is_retryable = matches!(status, 408 | 409 | 429 | 500..)
            && error.code.as_deref() != Some("insufficient_quota")
            && reason.code != ErrorCode::MODEL_NOT_CONFIGURED.code;
        let delay_ms = reason.provider.as_ref().and_then(|provider| provider.retry_after_ms);
        Self { error, retry_after: delay_ms.map(Duration::from_millis), is_retryable }
    }

    /// The `error` object for a stream.
    pub fn error(&self) -> ErrorObject {
        self.error.error()
    }
}

/// Status, type and code of the error.
fn classify(reason: &FailureReason) -> (u16, &'static str, String) {
    let (status, kind, code) = match reason.code.as_str() {
        code if code == ErrorCode::WINDOW_EXCEEDED.code => (400, "invalid_request_error", "context_length_exceeded"),
        code if code == ErrorCode::BUDGET_USED_UP.code => (429, "too_many_requests", "insufficient_quota"),
        code if code == ErrorCode::GUARDRAIL_BLOCKED.code => (400, "invalid_request_error", "content_policy_violation"),
        code if code == ErrorCode::MODEL_NOT_CONFIGURED.code => (500, "server_error", "model_not_configured"),
        code => match &reason.provider {
            Some(provider) => from_provider(provider),
            None if code == ErrorCode::MODEL_FAILED.code => (500, "model_error", "provider_error"),
            None => (500, "server_error", code),
        },
    };
    (status, kind, code.to_owned())
}

/// Maps the provider's status, keeping its meaning.
fn from_provider(provider: &ProviderFailure) -> (u16, &'static str, &'static str) {
    match provider.status {
        _ if provider.quota_exhausted => (429, "insufficient_quota", "insufficient_quota"),
        401 => (401, "authentication_error", "provider_key_refused"),
        403 => (403, "permission_error", "provider_key_refused"),
        404 => (404, "not_found", "provider_model_not_found"),
        408 => (408, "server_error", "provider_timeout"),
        409 => (409, "conflict", "provider_conflict"),
        429 => (429, "too_many_requests", "rate_limit_exceeded"),
        400..=499 => (400, "invalid_request_error", "provider_bad_request"),
        502 => (502, "server_error", "provider_unavailable"),
        503 | 529 => (503, "server_error", "provider_unavailable"),
        504 => (504, "server_error", "provider_timeout"),
        _ => (500, "model_error", "provider_error"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_statuses_are_mapped() {
        let told = |status, quota_exhausted| {
            let provider = Some(ProviderFailure { status, retry_after_ms: Some(1_500), quota_exhausted });
            let failure = RunFailure::from_reason(&FailureReason { provider, ..FailureReason::new("BTN-3003", "no") });
            assert_eq!(failure.retry_after, Some(Duration::from_millis(1_500)));
            (failure.error.status, failure.error.code.unwrap_or_default(), failure.is_retryable)
        };
        for (status, quota, expect) in [
            (400, false, (400, "provider_bad_request", false)),
            (401, false, (401, "provider_key_refused", false)),
            (403, false, (403, "provider_key_refused", false)),
            (404, false, (404, "provider_model_not_found", false)),
            (408, false, (408, "provider_timeout", true)),
            (422, false, (400, "provider_bad_request", false)),
            (429, false, (429, "rate_limit_exceeded", true)),
            (429, true, (429, "insufficient_quota", false)),
            (402, true, (429, "insufficient_quota", false)),
            (500, false, (500, "provider_error", true)),
            (503, false, (503, "provider_unavailable", true)),
            (504, false, (504, "provider_timeout", true)),
            (529, false, (503, "provider_unavailable", true)),
            (302, false, (500, "provider_error", true)),
        ] {
            let (wanted, code, is_passing) = expect;
            assert_eq!(told(status, quota), (wanted, code.to_owned(), is_passing), "{status}");
        }
    }

    #[test]
    fn rejected_provider_key_is_reported_as_the_servers() {
        let provider = Some(ProviderFailure { status: 401, retry_after_ms: None, quota_exhausted: false });
        let reason = FailureReason {
            provider,
            ..FailureReason::new(ErrorCode::PROVIDER_KEY_REFUSED.code, "look at OPENAI_API_KEY")
        };
        let message = RunFailure::from_reason(&reason).error.message;
        let expect = "The model provider rejected the key of this server: look at OPENAI_API_KEY (BTN-3022)";
        assert_eq!(message, expect);
    }
}
