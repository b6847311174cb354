//! One thing that was looked at.

use crate::{
    failure::Failure,
    screen::{Paint, harmless},
};
use serde_json::{Value, json};

/// How it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    /// As it should be.
    Good,
    /// Worth knowing.
    Remark,
    /// It does not work.
    Bad,
}

/// One thing that was looked at, how it is, and what to do about it.
#[derive(Clone, Debug)]
pub(super) struct Check {
    /// What was looked at.
    pub(super) name: &'static str,
    /// How it is.
    pub(super) grade: Grade,
    /// How it is, in words.
    pub(super) message: String,
    /// What to do.
    pub(super) next: Option<String>,
    /// More for programs.
    pub(super) data: Option<Value>,
}

impl Check {
    /// Something that is as it should be.
    pub(super) fn good(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, grade: Grade::Good, message: message.into(), next: None, data: None }
    }

    /// Something that is worth knowing, and what could be done about it.
    pub(super) fn remark(name: &'static str, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, grade: Grade::Remark, message: message.into(), next: Some(next.into()), data: None }
    }

    /// Something that does not work, and what to do about it.
    pub(super) fn bad(name: &'static str, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, grade: Grade::Bad, message: message.into(), next: Some(next.into()), data: None }
    }

    /// Something that does not work, as an error says it.
    pub(super) fn failed(name: &'static str, failure: &Failure) -> Self {
        let next = failure.advice().unwrap_or("Look at the log of the server.");
        Self::bad(name, failure.message(), next)
    }

    /// The same with more for programs.
    #[must_use]
    pub(super) fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// For people.
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

    /// For programs.
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
