//! Why nothing is served, or answered.

use baton_types::ErrorCode;
use std::fmt;

/// Why an agent cannot be served or asked, and what to do; shown the same way when `main` returns it.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
}

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The stable code; `docs/errors` has a page on it.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What happened.
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

/// `main` shows errors in this form, and people read it.
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
