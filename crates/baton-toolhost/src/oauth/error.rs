//! Why nobody is logged in.

use rmcp::transport::auth::AuthError;

/// The longest text of a server that is repeated to people.
const MAX_TEXT: usize = 300;

/// Why there is no token for a server. No text in it holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// A person has to log in.
    #[error("{reason}")]
    Needed {
        /// What the server wants.
        reason: String,
    },
    /// Logging in was tried and did not work.
    #[error("the login failed: {reason}")]
    Failed {
        /// What happened.
        reason: String,
    },
    /// The credentials cannot be kept.
    #[error("the credentials cannot be kept: {reason}")]
    Store {
        /// What the file system said.
        reason: String,
    },
}

impl LoginError {
    /// A login that did not work, for this reason.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }

    pub(crate) fn needed(reason: impl Into<String>) -> Self {
        Self::Needed { reason: reason.into() }
    }

    /// Whether the authorization server does not know the client any more.
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
