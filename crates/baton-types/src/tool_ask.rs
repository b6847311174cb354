//! Questions that a tool asks while it works, and their answers.

use crate::Json;
use serde::{Deserialize, Serialize};

/// The key of the question whether a call may run; tools cannot ask it themselves.
const APPROVAL: &str = "baton/approval";

/// What a tool wants to know before it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAsk {
    /// The questions, never empty.
    pub questions: Vec<ToolQuestion>,
    /// What the tool wants to have back with the answers; opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolQuestion {
    /// Unique within the call.
    pub key: String,
    /// What is asked, for people.
    pub message: String,
    /// What kind of answer is wanted.
    pub wants: Wanted,
}

/// The kind of answer that a question wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// Values for a form.
    Form {
        /// JSON Schema of an object whose properties are plain values.
        schema: Json,
    },
    /// That somebody visits an address; never opened by Baton itself.
    Visit {
        /// Where.
        url: String,
    },
    /// Leave to run the call at all.
    Approval,
}

/// What somebody decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerAction {
    /// Yes, with the content that was asked for.
    Accept,
    /// Yes, and the same tool need not ask again in this session.
    AcceptForSession,
    /// No.
    Decline,
    /// Nobody decided.
    Cancel,
}

impl AnswerAction {
    /// Whether it says yes.
    pub fn is_yes(self) -> bool {
        matches!(self, Self::Accept | Self::AcceptForSession)
    }
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// The question.
    pub key: String,
    /// What was decided.
    pub action: AnswerAction,
    /// An object that fits the form, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
}

impl ToolQuestion {
    /// The question whether a call may run.
    pub fn approval(message: String) -> Self {
        Self { key: APPROVAL.to_owned(), message, wants: Wanted::Approval }
    }
}

/// The answers to a [`ToolAsk`], with what the tool wanted back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswers {
    /// One for each question.
    pub answers: Vec<ToolAnswer>,
    /// As it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

impl ToolAnswers {
    /// Whether the call may run, when that was the question.
    pub fn approval(&self) -> Option<bool> {
        let answer = self.answers.iter().find(|answer| answer.key == APPROVAL)?;
        Some(answer.action.is_yes())
    }

    /// Whether the same tool need not ask again in this session.
    pub fn is_for_session(&self) -> bool {
        let remembers = |answer: &ToolAnswer| answer.action == AnswerAction::AcceptForSession;
        self.answers.iter().any(|answer| answer.key == APPROVAL && remembers(answer))
    }
}
