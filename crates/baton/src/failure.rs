//! Errors of commands: an error code, a message and a hint.

use crate::{error_codes, screen::Screen, server_file::ServerFile};
use baton_document::Diagnostic;
use baton_server::ServerError;
use baton_types::ErrorCode;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok = 0,
    /// The task did not complete.
    TaskFailed = 1,
    /// The command line, the configuration or an agent definition is invalid.
    Usage = 2,
    /// The task needs input.
    InputRequired = 3,
    /// The server or the journal cannot be used.
    Server = 4,
    /// Interrupted from the keyboard: 128 + SIGINT.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// Exit code for a stable error code.
    fn from_error_code(code: &str) -> Self {
        match code.strip_prefix("BTN-").and_then(|digits| digits.chars().next()) {
            Some('1' | '2') => Self::Usage,
            Some('3') if code == ErrorCode::PEER_UNREACHABLE.code => Self::Server,
            Some('3') => Self::TaskFailed,
            Some('5')
                if [
                    ErrorCode::CONFIG_INVALID,
                    error_codes::ALREADY_EXISTS,
                    error_codes::USAGE,
                    ErrorCode::TLS_INVALID,
                    error_codes::EXPOSED,
                    ErrorCode::SECRET_MISSING,
                    error_codes::DATA_EXPOSED,
                ]
                .iter()
                .any(|known| known.code == code) =>
            {
                Self::Usage
            }
            _ => Self::Server,
        }
    }
}

/// An error that is reported to the user.
#[derive(Debug)]
pub(crate) struct CliError {
    code: Option<String>,
    message: String,
    hint: Option<String>,
    diagnostics: Vec<Diagnostic>,
    exit: Exit,
}

impl CliError {
    /// An error of the registry, with the registry's hint.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::with_code(code.code, message, Some(code.hint.to_owned()))
    }

    /// An error that a server or a task reported under its own code.
    pub(crate) fn with_code(code: impl Into<String>, message: impl Into<String>, hint: Option<String>) -> Self {
        let code = code.into();
        Self {
            exit: Exit::from_error_code(&code),
            code: Some(code),
            message: message.into(),
            hint,
            diagnostics: Vec::new(),
        }
    }

    /// An outcome without an error code, such as a canceled task.
    pub(crate) fn without_code(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, code: None, message: message.into(), hint: None, diagnostics: Vec::new() }
    }

    /// Replaces the registry's hint with a more specific one.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the file locations that the error is about.
    #[must_use]
    pub(crate) fn with_diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// Replaces the exit code.
    #[must_use]
    pub(crate) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// The message: one sentence.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The hint.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Prints the error on stderr and returns the exit code.
    pub(crate) fn report(&self, screen: &Screen) -> Exit {
        if screen.is_json() {
            screen.print_stderr(&self.to_json().to_string());
            return self.exit;
        }
        for diagnostic in &self.diagnostics {
            screen.diagnostic(diagnostic);
        }
        let paint = screen.stderr_paint();
        let kind = self.code.as_ref().map_or("error".to_owned(), |code| format!("error[{code}]"));
        screen.print_stderr(&format!("{}: {}", paint.bad(&kind), self.message));
        if let Some(hint) = &self.hint {
            screen.print_stderr(&format!("  hint: {hint}"));
        }
        self.exit
    }

    fn to_json(&self) -> Value {
        let mut error = json!({"message": self.message});
        if let Some(code) = &self.code {
            error["code"] = json!(code);
        }
        if let Some(hint) = &self.hint {
            error["hint"] = json!(hint);
        }
        if !self.diagnostics.is_empty() {
            error["diagnostics"] = self.diagnostics.iter().map(diagnostic_json).collect();
        }
        json!({"error": error})
    }
}

impl From<ServerError> for CliError {
    fn from(error: ServerError) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        let failure = match &error {
            ServerError::DataDirectoryLocked(data) => return locked_directory(data, error.code()),
            // The server of the login has no code of this registry.
            ServerError::Login { .. } => Self::without_code(Exit::Server, message),
            _ => Self::new(error.code(), message),
        };
        let failure = match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        };
        failure.with_diagnostics(error.into_diagnostics())
    }
}

/// Error for a data directory that another server owns.
fn locked_directory(data: &Path, code: ErrorCode) -> CliError {
    let owner = ServerFile::read(data).map(|file| format!(" at {} (process {})", file.url, file.pid));
    let message = format!("another Baton{} owns the data directory {}", owner.unwrap_or_default(), data.display());
    CliError::new(code, message).hint(format!(
        "Use the running server with `baton run`, or choose another data directory: --data {}",
        free_data_directory(data).display()
    ))
}

/// A data directory with a similar name that is not in use.
fn free_data_directory(data: &Path) -> PathBuf {
    let beside = |number: u32| {
        let mut name = data.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    (2..100).map(beside).find(|path| ServerFile::read(path).is_none()).unwrap_or_else(|| beside(100))
}

/// A diagnostic as JSON.
pub(crate) fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "severity": if diagnostic.is_error() { "error" } else { "warning" },
        "file": diagnostic.file,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    })
}
