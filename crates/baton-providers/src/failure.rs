//! Conversion of failures to model errors; messages name the provider and contain no secret.

use crate::{
    Provider,
    protocol::{FailureSigns, protocol_for},
};
use baton_ports::{ModelError, RetryAdvice};
use baton_types::ProviderKind;
use http::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// Whether a part of the answer was received before the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerProgress {
    NotStarted,
    Started,
}

/// Upper bound of the `Retry-After` value of a service.
const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);

/// Converts a connection error.
pub(crate) fn from_connection_error(
    provider: &Provider,
    error: &reqwest::Error,
    progress: AnswerProgress,
) -> ModelError {
    let problem = if error.is_connect() {
        "does not accept connections"
    } else if error.is_timeout() && progress == AnswerProgress::NotStarted {
        return timed_out(provider);
    } else if error.is_timeout() {
        "did not answer in time"
    } else if error.is_builder() {
        return ModelError::Configuration(format!("the address or a header of {} cannot be used", provider.name()));
    } else {
        "closed the connection unexpectedly"
    };
    answer_failed(provider, problem, progress)
}

/// No answer started in time.
pub(crate) fn timed_out(provider: &Provider) -> ModelError {
    ModelError::TimedOut(format!("{} did not answer in time", provider.name()))
}

/// The answer failed or broke off.
pub(crate) fn answer_failed(provider: &Provider, problem: &str, progress: AnswerProgress) -> ModelError {
    let text = provider.redact(&format!("{} {problem}", provider.name()));
    match progress {
        AnswerProgress::NotStarted => ModelError::Unreachable(text),
        AnswerProgress::Started => ModelError::Interrupted(text),
    }
}

/// Converts an error inside a stream, where no HTTP status is available.
pub(crate) fn from_error_body(provider: &Provider, body: &Value, progress: AnswerProgress) -> ModelError {
    let error = body.get("error").unwrap_or(body);
    let number = |name: &str| error.get(name).and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok());
    let error_type = ["type", "code", "status"].iter().find_map(|name| error.get(name).and_then(Value::as_str));
    let status = number("code").or_else(|| number("status")).or_else(|| status_of(error_type?));
    from_error_text(provider, status.unwrap_or(500), &body.to_string(), progress)
}

/// Converts an error inside a stream with a known or corresponding status.
pub(crate) fn from_error_text(provider: &Provider, status: u16, body: &str, progress: AnswerProgress) -> ModelError {
    match progress {
        AnswerProgress::NotStarted => refused(provider, status, body, None),
        AnswerProgress::Started => {
            ModelError::Interrupted(provider.redact(&format!("{}: {}", provider.name(), message(body))))
        }
    }
}

/// HTTP status that corresponds to an error type.
pub(crate) fn status_of(error_type: &str) -> Option<u16> {
    all_signs().flat_map(|signs| signs.statuses).find(|(name, _)| *name == error_type).map(|(_, status)| *status)
}

fn all_signs() -> impl Iterator<Item = FailureSigns> {
    ProviderKind::ALL.into_iter().map(|kind| protocol_for(kind).failure_signs())
}

/// Converts an error status.
pub(crate) fn refused(provider: &Provider, status: u16, body: &str, headers: Option<&HeaderMap>) -> ModelError {
    let detail = provider.redact(&message(body));
    if matches!(status, 400 | 413 | 422) && is_too_long(status, body) {
        return ModelError::TooLong(format!("{}: {detail}", provider.name()));
    }
    let message = match status {
        401 | 403 => format!("{} does not accept the key; check {} ({detail})", provider.name(), provider.key_source()),
        _ => format!("{}: {detail}", provider.name()),
    };
    let wait = headers.and_then(retry_after).filter(|_| status == 429 || status >= 500 || status == 408);
    let advice = RetryAdvice { wait, quota_exhausted: is_quota_exhausted(status, body) };
    ModelError::Refused { status, message, advice }
}

/// Whether the quota of the account is exhausted; waiting does not help.
fn is_quota_exhausted(status: u16, body: &str) -> bool {
    let has_sign = || all_signs().flat_map(|signs| signs.quota).any(|sign| body.contains(sign));
    status == 402 || (matches!(status, 400 | 403 | 429) && has_sign())
}

/// Error message of the service, without the surrounding JSON.
fn message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        let plain = body.trim();
        return if plain.is_empty() || plain.starts_with('<') {
            "no reason given".to_owned()
        } else {
            plain.to_owned()
        };
    };
    let value = value.get(0).unwrap_or(&value);
    let found = ["/error/message", "/message", "/Message", "/error", "/detail", "/errors/0/message"]
        .iter()
        .find_map(|pointer| value.pointer(pointer).and_then(Value::as_str));
    found.map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether the error reports a conversation longer than the context window.
fn is_too_long(status: u16, body: &str) -> bool {
    let body = body.to_ascii_lowercase();
    status == 413 || all_signs().flat_map(|signs| signs.too_long).any(|sign| body.contains(sign))
}

/// Delay that the service requests before a retry.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = header("retry-after-ms").map(|wait| wait / 1000.0).or_else(|| header("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok().map(|wait| wait.min(MAX_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Secret;

    fn provider() -> Provider {
        Provider::new(ProviderKind::OpenAi, "openai").with_key(Secret::new("sk-planted-9876"), "OPENAI_API_KEY")
    }

    #[test]
    fn context_length_errors_of_every_service_are_recognized() {
        for (status, body) in [
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
            ),
            (400, r#"{"message":"Input is too long for requested model."}"#),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            ),
            (413, "<html>too large</html>"),
        ] {
            assert!(matches!(refused(&provider(), status, body, None), ModelError::TooLong(_)), "{body}");
        }
        let other = refused(&provider(), 400, r#"{"error":{"message":"unknown parameter"}}"#, None);
        assert!(
            matches!(other, ModelError::Refused { status: 400, advice: RetryAdvice { wait: None, .. }, .. }),
            "{other:?}"
        );
    }

    #[test]
    fn rejected_key_error_names_the_source_of_the_key() {
        let error =
            refused(&provider(), 401, r#"{"error":{"message":"Incorrect API key provided: sk-planted-9876"}}"#, None);
        insta::assert_snapshot!(error, @"the model answered status 401: openai does not accept the key; check OPENAI_API_KEY (Incorrect API key provided: [hidden])");
    }

    #[test]
    fn retry_after_is_parsed_and_absurd_values_are_ignored() {
        let wait = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header"));
            match refused(&provider(), 429, "{}", Some(&headers)) {
                ModelError::Refused { advice, .. } => advice.wait,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(wait("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        assert_eq!(wait("retry-after", "-3"), None);
        assert_eq!(wait("retry-after", "1e300"), None);
        assert_eq!(wait("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"), None);
    }

    #[test]
    fn stream_error_is_refusal_before_output_and_interruption_after() {
        let body = serde_json::json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        let early = from_error_body(&provider(), &body, AnswerProgress::NotStarted);
        assert!(matches!(early, ModelError::Refused { status: 529, .. }), "{early:?}");
        let late = from_error_body(&provider(), &body, AnswerProgress::Started);
        assert!(matches!(late, ModelError::Interrupted(_)), "{late:?}");
    }
}
