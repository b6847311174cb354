//! Result of one check.

use crate::{
    failure::CliError,
    screen::{Paint, escape_for_terminal},
};
use serde_json::{Value, json};

/// Status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckStatus {
    Good,
    /// Works, with a note.
    Remark,
    /// Does not work.
    Bad,
}

/// Result of one check, with the suggested fix.
#[derive(Clone, Debug)]
pub(super) struct CheckResult {
    /// Name of the check.
    pub(super) name: &'static str,
    pub(super) grade: CheckStatus,
    /// Description of the result.
    pub(super) message: String,
    /// Suggested fix.
    pub(super) next: Option<String>,
    /// Details for JSON output.
    pub(super) data: Option<Value>,
}

impl CheckResult {
    /// A check that passed.
    pub(super) fn passed(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, grade: CheckStatus::Good, message: message.into(), next: None, data: None }
    }

    /// A check that passed with a note and a suggestion.
    pub(super) fn note(name: &'static str, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, grade: CheckStatus::Remark, message: message.into(), next: Some(next.into()), data: None }
    }

    /// A check that failed, with the suggested fix.
    pub(super) fn failed(name: &'static str, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, grade: CheckStatus::Bad, message: message.into(), next: Some(next.into()), data: None }
    }

    /// A check that failed with an error.
    pub(super) fn from_failure(name: &'static str, failure: &CliError) -> Self {
        let next = failure.advice().unwrap_or("Check the server log.");
        Self::failed(name, failure.message(), next)
    }

    /// Adds details for JSON output.
    #[must_use]
    pub(super) fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Text output.
    pub(super) fn lines(&self, paint: Paint) -> Vec<String> {
        let grade = match self.grade {
            CheckStatus::Good => paint.good("ok  "),
            CheckStatus::Remark => paint.warn("note"),
            CheckStatus::Bad => paint.bad("FAIL"),
        };
        let name = paint.strong(&format!("{:<11}", self.name));
        let mut lines = vec![format!("{grade}  {name}  {}", escape_for_terminal(&self.message).replace('\n', " "))];
        lines.extend(
            self.next.iter().map(|next| format!("                   {}", escape_for_terminal(next).replace('\n', " "))),
        );
        lines
    }

    /// JSON output.
    pub(super) fn to_json(&self) -> Value {
        let status = match self.grade {
            CheckStatus::Good => "ok",
            CheckStatus::Remark => "note",
            CheckStatus::Bad => "fail",
        };
        let mut check = json!({ "name": self.name, "status": status, "message": self.message });
        if let Some(next) = &self.next {
            check["next"] = json!(next);
        }
        if let Some(data) = &self.data {
            check["data"] = data.clone();
        }
        check
    }
}
