//! What a person is told about a file they wrote.

use crate::document::Place;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Works, but probably not as meant.
    Warning,
    /// Does not work.
    Error,
}

/// One remark about one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, relative to the agent's directory unless a loader made it longer.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// How bad it is.
    pub severity: Severity,
}

impl Diagnostic {
    /// Something that does not work.
    pub fn error(file: impl Into<String>, place: Place, message: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: place.line,
            column: place.column,
            message: message.into(),
            hint: None,
            severity: Severity::Error,
        }
    }

    /// Something that works, but probably not as meant.
    pub fn warning(file: impl Into<String>, place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(file, place, message) }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same remark as a warning, with what follows from it.
    #[must_use]
    pub fn softened(mut self, consequence: &str) -> Self {
        self.message = format!("{}; {consequence}", self.message);
        self.severity = Severity::Warning;
        self
    }

    /// Whether this keeps the file from being used.
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
