//! What waits for a person, and the answers; the names are those of the `input_requests` and `input_responses` parts.

use crate::de;
use baton_types::{Json, Timestamp};
use serde::{Deserialize, Serialize};

/// One page of what waits for the caller, the newest question first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalList {
    /// What waits.
    pub approvals: Vec<ApprovalEntry>,
    /// Asks for the next page, when there may be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
}

/// A call that waits for a person, or an agent that asks in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalEntry {
    /// Its address: the task, a slash, and the call.
    pub id: String,
    /// What kind of answer is wanted.
    pub kind: ApprovalKind,
    /// The task whose call it is.
    pub task_id: String,
    /// Its conversation.
    pub context_id: String,
    /// The call that waits; none when an agent just asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The task elsewhere that the call belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_task_id: Option<String>,
    /// Names the question within the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Who asks.
    pub agent: String,
    /// Which tool waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What it is called with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// Of the arguments; sent back with the answer, it proves that they are those that were seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What is asked, for people.
    pub message: String,
    /// JSON Schema of the form that the answer's content fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// An address that somebody should visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Further questions of the same call, answered together with this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ApprovalQuestion>,
    /// Since when it waits.
    #[serde(with = "de::rfc3339")]
    pub asked_at: Option<Timestamp>,
    /// The first task of those that wait for it; its own when nobody else does.
    pub root_task_id: String,
    /// The agents that wait for the one that asks, from the first.
    pub chain: Vec<String>,
}

/// One question of a call that asks several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalQuestion {
    /// Names it within the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What kind of answer is wanted.
    pub kind: ApprovalKind,
    /// What is asked, for people.
    pub message: String,
    /// JSON Schema of the form that the answer's content fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// An address that somebody should visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalKind {
    /// A decision whether the call may run.
    #[default]
    Approval,
    /// Content for a form.
    Form,
    /// That somebody visited an address.
    Visit,
    /// Words.
    Question,
}

/// What somebody decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// It may run this time.
    AllowOnce,
    /// It may run, and the same tool need not ask again in this session.
    AllowSession,
    /// It may not run.
    Deny,
}

/// An answer: to the only question of a call, or, in `answers`, to each of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerApproval {
    /// Yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<ApprovalDecision>,
    /// Of the arguments that somebody saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The question; may be left out when there is just one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Values for a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// Words for a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The task elsewhere, when several there have a call of that id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_task_id: Option<String>,
    /// One for each question of a call that asks several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<ApprovalAnswer>,
}

/// The answer to one question of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAnswer {
    /// The question.
    pub key: String,
    /// Yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<ApprovalDecision>,
    /// Values for a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// Words for a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What became of the task when it was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredApproval {
    /// The address that was answered.
    pub id: String,
    /// The task.
    pub task_id: String,
    /// Who works on it.
    pub agent: String,
    /// Its state: `working` when it goes on, `input_required` when it asks for more.
    pub state: String,
}
