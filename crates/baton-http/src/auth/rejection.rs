//! Rejections by the gate and their replies.

use super::bearer::BearerError;
use crate::{
    error_codes,
    error_format::{ErrorFormats, RequestHead},
};
use axum::response::Response;
use baton_api::{ApiError, ApiErrorKind};
use baton_ports::TokenRejection;
use baton_rules::AccessScope;
use baton_types::ErrorCode;
use http::{HeaderValue, header};
use std::{fmt::Write as _, time::Duration};

/// Path of the RFC 9728 metadata document.
pub const RESOURCE_METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// Reason that the gate rejected a request.
#[derive(Debug)]
pub(super) enum GateRejection {
    /// The request has no usable token.
    NoBearer(BearerError),
    /// The token is invalid.
    Unidentified(TokenRejection),
    /// Rate limit exceeded.
    RateLimited {
        /// Time until the next request is allowed.
        wait: Duration,
        /// Kind of limited requests, for the message.
        of: &'static str,
    },
}

impl GateRejection {
    /// The rejection as an error, independent of the binding.
    pub(super) fn error(&self) -> ApiError {
        let unauthenticated =
            |message| ApiError::new(ApiErrorKind::Unauthenticated, ErrorCode::UNAUTHENTICATED, message);
        match self {
            Self::NoBearer(reason) => unauthenticated(reason.message().to_owned()),
            Self::Unidentified(TokenRejection::KeysUnavailable(_)) => {
                // The cause of the failed key request is logged for the operator only.
                let message = "the keys of the token's issuer are unavailable; try again";
                ApiError::new(ApiErrorKind::Unavailable, ErrorCode::UNAUTHENTICATED, message)
            }
            Self::Unidentified(reason) => unauthenticated(reason.to_string()),
            Self::RateLimited { wait, of } => {
                let message = format!("too many {of}; retry in {} s", whole_seconds(*wait));
                ApiError::new(ApiErrorKind::RateLimited, error_codes::RATE_LIMITED, message)
            }
        }
    }

    /// Whether the rejection is audited; an unreachable issuer is not a denial.
    pub(super) fn is_denial(&self) -> bool {
        !matches!(self, Self::Unidentified(TokenRejection::KeysUnavailable(_)))
    }

    /// Error reply; `base` is the base URL of this Baton.
    pub(super) fn response(&self, formats: &ErrorFormats, head: RequestHead<'_>, base: &str) -> Response {
        let error = self.error();
        let mut response = formats.error_response(head, &error);
        let mut set = |name, value: String| {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(name, value);
            }
        };
        match self {
            Self::NoBearer(BearerError::Missing) => set(header::WWW_AUTHENTICATE, challenge(base, &[])),
            Self::NoBearer(_) => set(header::WWW_AUTHENTICATE, error_challenge(base, "invalid_request", &error)),
            Self::Unidentified(TokenRejection::KeysUnavailable(_)) => set(header::RETRY_AFTER, "1".to_owned()),
            Self::Unidentified(_) => set(header::WWW_AUTHENTICATE, error_challenge(base, "invalid_token", &error)),
            Self::RateLimited { wait, .. } => set(header::RETRY_AFTER, whole_seconds(*wait).to_string()),
        }
        response
    }
}

/// Names the missing scope in the challenge of an authenticated caller's reply.
pub(super) fn add_scope_challenge(response: &mut Response, base: &str, scope: &AccessScope) {
    let scope = scope.to_string();
    let challenge = challenge(base, &[("error", "insufficient_scope"), ("scope", &scope)]);
    if let Ok(value) = HeaderValue::from_str(&challenge) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
}

fn error_challenge(base: &str, code: &str, error: &ApiError) -> String {
    challenge(base, &[("error", code), ("error_description", &error.message)])
}

/// `WWW-Authenticate` challenge of RFC 6750 and RFC 9728.
fn challenge(base: &str, parameters: &[(&str, &str)]) -> String {
    let mut challenge = "Bearer realm=\"baton\"".to_owned();
    let quotable = |character: char| matches!(character, ' '..='~') && character != '"' && character != '\\';
    for (name, value) in parameters {
        let value: String = value.chars().map(|character| if quotable(character) { character } else { '\'' }).collect();
        let _ = write!(challenge, ", {name}=\"{value}\"");
    }
    let _ = write!(challenge, ", resource_metadata=\"{base}{RESOURCE_METADATA_PATH}\"");
    challenge
}

/// Seconds, rounded up to at least 1: clients would retry immediately after 0.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}
