//! Errors and warnings about user-written files.

use crate::SourceLocation;
use std::fmt;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The value works, but probably not as intended.
    Warning,
    /// The value cannot be used.
    Error,
}

/// An error or warning at one location of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, relative to the agent's directory unless a loader has extended the path.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Description of the problem.
    pub message: String,
    /// Suggested fix.
    pub hint: Option<String>,
    /// Severity of the problem.
    pub severity: Severity,
}

impl Diagnostic {
    /// An error.
    pub fn error(file: impl Into<String>, location: SourceLocation, message: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: location.line,
            column: location.column,
            message: message.into(),
            hint: None,
            severity: Severity::Error,
        }
    }

    /// A warning: the value works, but probably not as intended.
    pub fn warning(file: impl Into<String>, location: SourceLocation, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(file, location, message) }
    }

    /// Adds a suggested fix.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Downgrades to a warning and appends its consequence to the message.
    #[must_use]
    pub fn into_warning(mut self, consequence: &str) -> Self {
        self.message = format!("{}; {consequence}", self.message);
        self.severity = Severity::Warning;
        self
    }

    /// Whether this prevents the use of the file.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{}:{}:{}: {severity}: {}", self.file, self.line, self.column, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}
