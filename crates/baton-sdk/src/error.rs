//! The error type of the SDK.

use baton_server::ServerError;
use baton_types::ErrorCode;
use std::fmt;

/// Error of serving or calling an agent, with a remedy; `main` prints it in the same form.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
}

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The stable code; `docs/errors` has a page for each.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The problem.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, message } = self;
        write!(f, "{message} ({})\n{}", code.code, code.hint)
    }
}

/// `main` prints errors with `Debug`, so this is the readable form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<baton_orchestrator::OrchestrateError> for Error {
    fn from(error: baton_orchestrator::OrchestrateError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<baton_manage::ManageError> for Error {
    fn from(error: baton_manage::ManageError) -> Self {
        Self::new(error.code, error.detail)
    }
}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Self {
        let remedy = match &error {
            ServerError::UnknownHandoffTarget { .. } => "; add it with Baton::agent",
            _ => "",
        };
        Self::new(error.code(), format!("{error}{remedy}"))
    }
}
