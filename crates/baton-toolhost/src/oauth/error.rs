//! Login errors.

use rmcp::transport::auth::AuthError;

/// Maximum length of a quoted server message.
const MAX_TEXT: usize = 300;

/// Failure to obtain a token for a server. Never contains a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// An interactive login is required.
    #[error("{reason}")]
    Needed {
        /// The requirement of the server.
        reason: String,
    },
    /// The login was attempted and failed.
    #[error("the login failed: {reason}")]
    Failed {
        /// Cause.
        reason: String,
    },
    /// The credentials cannot be read or stored.
    #[error("the credentials cannot be read or stored: {reason}")]
    Store {
        /// File system error.
        reason: String,
    },
}

impl LoginError {
    /// A failed login with this reason.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }

    pub(crate) fn needed(reason: impl Into<String>) -> Self {
        Self::Needed { reason: reason.into() }
    }

    /// Whether the authorization server no longer recognizes the client.
    pub(crate) fn is_unknown_client(error: &AuthError) -> bool {
        matches!(
            error,
            AuthError::TokenExchangeFailed(text)
                | AuthError::TokenRefreshFailed(text)
                | AuthError::TokenRefreshRejected(text)
                | AuthError::ClientCredentialsError(text)
                if text.contains("invalid_client")
        )
    }
}

impl From<AuthError> for LoginError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::CredentialStoreError(reason) => Self::Store { reason },
            error => {
                let text = error.to_string();
                let mut line: String =
                    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TEXT).collect();
                if line.len() < text.len() {
                    line.push('…');
                }
                Self::Failed { reason: line }
            }
        }
    }
}
