//! Input requests of running tools, and the answers to them.

use crate::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Input that a tool requires before it can continue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolInputRequest {
    /// Questions; never empty.
    pub questions: Vec<ToolQuestion>,
    /// Opaque state that is returned to the tool with the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

impl ToolInputRequest {
    /// Request for the approval of a call of this tool.
    pub fn for_approval(tool: &str) -> Self {
        Self { questions: vec![ToolQuestion::approval(format!("May the tool '{tool}' run?"))], state: None }
    }
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolQuestion {
    /// Key of the question, unique within the call.
    pub key: String,
    /// Question text, for display.
    pub message: String,
    /// Expected kind of answer.
    pub wants: QuestionKind,
}

/// Kind of answer that a question expects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// Values for a form.
    Form {
        /// JSON Schema of an object whose properties are plain values.
        schema: Json,
    },
    /// Confirmation that a person visited an address. Baton never opens it.
    Visit {
        /// Address to visit.
        url: String,
    },
    /// Approval to run the call.
    Approval,
}

/// Decision on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerAction {
    /// Accepted, with the requested content.
    Accept,
    /// Accepted; the same tool does not ask again in this session.
    AcceptForSession,
    /// Declined.
    Decline,
    /// No decision was made.
    Cancel,
}

impl AnswerAction {
    /// Whether the decision is yes.
    pub fn is_accepted(self) -> bool {
        matches!(self, Self::Accept | Self::AcceptForSession)
    }
}

/// Answer to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// Key of the question.
    pub key: String,
    /// Decision.
    pub action: AnswerAction,
    /// Object that matches the schema of the form, if the question had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
}

impl ToolQuestion {
    /// Key of the approval question; reserved, tools cannot use it.
    pub const APPROVAL_KEY: &str = "baton/approval";

    /// Question that asks for approval of a call.
    pub fn approval(message: String) -> Self {
        Self { key: Self::APPROVAL_KEY.to_owned(), message, wants: QuestionKind::Approval }
    }
}

/// Answers to a [`ToolInputRequest`], with the opaque state of the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswers {
    /// One answer per question.
    pub answers: Vec<ToolAnswer>,
    /// State of the [`ToolInputRequest`], unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

impl ToolAnswers {
    /// Whether the call was approved, if approval was requested.
    pub fn approval(&self) -> Option<bool> {
        let answer = self.answers.iter().find(|answer| answer.key == ToolQuestion::APPROVAL_KEY)?;
        Some(answer.action.is_accepted())
    }

    /// Removes the answer to the approval request, which is not for the tool, and returns whether the call was
    /// approved.
    pub fn take_approval(&mut self) -> Option<bool> {
        let approval = self.approval();
        self.answers.retain(|answer| answer.key != ToolQuestion::APPROVAL_KEY);
        approval
    }

    /// Whether the approval covers the rest of the session.
    pub fn is_for_session(&self) -> bool {
        let remembers = |answer: &ToolAnswer| answer.action == AnswerAction::AcceptForSession;
        self.answers.iter().any(|answer| answer.key == ToolQuestion::APPROVAL_KEY && remembers(answer))
    }
}
