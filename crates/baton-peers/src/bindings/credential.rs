//! Credentials of requests, and their redaction from errors.

use crate::{Authorize, CallError, authorize::mark_sensitive};
use http::request::Parts;
use std::sync::{Arc, Mutex, PoisonError};

/// Minimum length of a redacted secret; redacting shorter texts would make messages unreadable.
const MIN_SECRET_LEN: usize = 4;
/// Maximum number of secrets remembered per request.
const MAX_SECRETS: usize = 16;

/// The authorizer of requests, and the secrets of the last request.
pub(super) struct RequestCredential {
    authorize: Arc<dyn Authorize>,
    secrets: Mutex<Vec<String>>,
}

impl RequestCredential {
    pub(super) fn new(authorize: Arc<dyn Authorize>) -> Self {
        Self { authorize, secrets: Mutex::default() }
    }

    /// Adds the credential to a request. Added headers are marked sensitive, so that they are neither logged nor sent
    /// to another origin.
    pub(super) async fn apply(&self, parts: &mut Parts) -> Result<(), CallError> {
        let (headers, query) = (parts.headers.clone(), parts.uri.query().map(str::to_owned));
        self.authorize.apply(parts).await?;
        let mut shown = mark_sensitive(&headers, &mut parts.headers);
        if parts.uri.query() != query.as_deref() {
            let pairs = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
            shown.extend(pairs.map(|(_, value)| value.into_owned()));
        }
        shown.retain(|secret| secret.len() >= MIN_SECRET_LEN);
        shown.truncate(MAX_SECRETS);
        *self.secrets.lock().unwrap_or_else(PoisonError::into_inner) = shown;
        Ok(())
    }

    /// Whether another credential can be tried after a rejection.
    pub(super) async fn refused(&self) -> bool {
        self.authorize.refused().await
    }

    /// Redacts secrets from an error: some servers echo rejected credentials.
    pub(super) fn redact(&self, error: CallError) -> CallError {
        let shown = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let hide = |text: String| shown.iter().fold(text, |text, secret| text.replace(secret, "..."));
        match error {
            CallError::NotSent(text) => CallError::NotSent(hide(text)),
            CallError::Forbidden(text) => CallError::Forbidden(hide(text)),
            CallError::ConnectionLost(text) => CallError::ConnectionLost(hide(text)),
            CallError::InvalidReply(text) => CallError::InvalidReply(hide(text)),
            CallError::Refused { code, status, message, retry_after } => {
                CallError::Refused { code, status, message: hide(message), retry_after }
            }
        }
    }
}
