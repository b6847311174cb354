//! How a command ends when it does not end well: one code, one sentence, one thing to do.

use crate::screen::Screen;
use baton_agentdir::Diagnostic;
use baton_types::ErrorCode;
use serde_json::{Value, json};
use std::process::ExitCode;

/// What a command's end tells the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok = 0,
    /// The task did not complete.
    TaskFailed = 1,
    /// The command line, the configuration or an agent definition is wrong.
    Usage = 2,
    /// The task waits for an answer.
    InputRequired = 3,
    /// The server or the journal cannot be used.
    Server = 4,
    /// Stopped from the keyboard, as shells number it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The kind of a stable error code.
    fn of(code: &str) -> Self {
        match code.strip_prefix("BTN-").and_then(|digits| digits.chars().next()) {
            Some('1' | '2') => Self::Usage,
            Some('3') if code == ErrorCode::PEER_UNREACHABLE.code => Self::Server,
            Some('3') => Self::TaskFailed,
            Some('5')
                if [
                    ErrorCode::CONFIG_INVALID,
                    ErrorCode::ALREADY_EXISTS,
                    ErrorCode::USAGE,
                    ErrorCode::TLS_INVALID,
                    ErrorCode::EXPOSED,
                    ErrorCode::SECRET_MISSING,
                    ErrorCode::DATA_EXPOSED,
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

/// An error that a person meets.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Option<String>,
    message: String,
    hint: Option<String>,
    diagnostics: Vec<Diagnostic>,
    exit: Exit,
}

impl Failure {
    /// An error of the registry; its hint says what to do.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::foreign(code.code, message, Some(code.hint.to_owned()))
    }

    /// An error that a server or a task reported under its own code.
    pub(crate) fn foreign(code: impl Into<String>, message: impl Into<String>, hint: Option<String>) -> Self {
        let code = code.into();
        Self { exit: Exit::of(&code), code: Some(code), message: message.into(), hint, diagnostics: Vec::new() }
    }

    /// An outcome that is nobody's error and has no code, such as a task that was canceled.
    pub(crate) fn plain(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, code: None, message: message.into(), hint: None, diagnostics: Vec::new() }
    }

    /// The same error with a hint that fits the case better than the registry's.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with the places in files that it is about.
    #[must_use]
    pub(crate) fn at(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// The same error as another kind of end.
    #[must_use]
    pub(crate) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// What happened, in a sentence.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What to do next.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Says it on stderr, and what the shell is told.
    pub(crate) fn report(&self, screen: &Screen) -> Exit {
        if screen.is_json() {
            screen.say(&self.to_json().to_string());
            return self.exit;
        }
        for diagnostic in &self.diagnostics {
            screen.diagnostic(diagnostic);
        }
        let paint = screen.talk_paint();
        let kind = self.code.as_ref().map_or("error".to_owned(), |code| format!("error[{code}]"));
        screen.say(&format!("{}: {}", paint.bad(&kind), self.message));
        if let Some(hint) = &self.hint {
            screen.say(&format!("  hint: {hint}"));
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

/// A remark about a file, for programs.
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
