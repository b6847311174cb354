//! Result of one check.

use crate::{
    failure::Failure,
    screen::{Paint, harmless},
};
use serde_json::{Value, json};

/// Status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    Good,
    /// Works, with a note.
    Remark,
    /// Does not work.
    Bad,
}

/// Result of one check, with the suggested fix.
#[derive(Clone, Debug)]
pub(super) struct Check {
    /// Name of the check.
    pub(super) name: &'static str,
    pub(super) grade: Grade,
    /// Description of the result.
    pub(super) message: String,
    /// Suggested fix.
    pub(super) next: Option<String>,
    /// Details for JSON output.
    pub(super) data: Option<Value>,
}

impl Check {
    /// A check that passed.
    pub(super) fn good(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, grade: Grade::Good, message: message.into(), next: None, data: None }
    }

    /// A check that passed with a note and a suggestion.
    pub(super) fn remark(name: &'static str, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, grade: Grade::Remark, message: message.into(), next: Some(next.into()), data: None }
    }

    /// A check that failed, with the suggested fix.
    pub(super) fn bad(name: &'static str, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, grade: Grade::Bad, message: message.into(), next: Some(next.into()), data: None }
    }

    /// A check that failed with an error.
    pub(super) fn failed(name: &'static str, failure: &Failure) -> Self {
        let next = failure.advice().unwrap_or("Check the server log.");
        Self::bad(name, failure.message(), next)
    }

    /// Adds details for JSON output.
    #[must_use]
    pub(super) fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Text output.
    pub(super) fn lines(&self, paint: Paint) -> Vec<String> {
        let grade = match self.grade {
            Grade::Good => paint.good("ok  "),
            Grade::Remark => paint.warn("note"),
            Grade::Bad => paint.bad("FAIL"),
        };
        let name = paint.strong(&format!("{:<11}", self.name));
        let mut lines = vec![format!("{grade}  {name}  {}", harmless(&self.message).replace('\n', " "))];
        lines.extend(self.next.iter().map(|next| format!("                   {}", harmless(next).replace('\n', " "))));
        lines
    }

    /// JSON output.
    pub(super) fn to_json(&self) -> Value {
        let status = match self.grade {
            Grade::Good => "ok",
            Grade::Remark => "note",
            Grade::Bad => "fail",
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
