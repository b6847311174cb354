//! Pending approvals and questions, and the answers to them; the names match the `input_requests` and `input_responses`
//! parts.

use baton_types::{Json, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One page of the caller's pending approvals, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalList {
    /// The pending approvals.
    pub approvals: Vec<ApprovalEntry>,
    /// Token of the next page, if there may be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
}

/// A tool call that waits for input from a person, or a question of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalEntry {
    /// Id: the task id, a slash, and the call id.
    pub id: String,
    /// Kind of answer.
    pub kind: ApprovalKind,
    /// Task of the call.
    pub task_id: String,
    /// Context id of the task.
    pub context_id: String,
    /// Id of the waiting call; absent for a question of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Id of the remote task that the call belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_task_id: Option<String>,
    /// Key of the question within the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Agent that asks.
    pub agent: String,
    /// Tool of the waiting call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Arguments of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// Digest of the arguments. Sent back with the answer, it proves which arguments were approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Text of the question.
    pub message: String,
    /// JSON Schema of the answer's content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// URL to visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Further questions of the same call, to be answered together with this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_questions: Vec<ApprovalQuestion>,
    /// Time of the request.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "crate::schema::timestamp")]
    pub asked_at: Option<Timestamp>,
    /// Root of the chain of waiting tasks; equal to `task_id` if no other task waits.
    pub root_task_id: String,
    /// Agents that wait for the asking agent, starting with the root.
    pub chain: Vec<String>,
}

/// One of several questions of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalQuestion {
    /// Key of the question within the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Kind of answer.
    pub kind: ApprovalKind,
    /// Text of the question.
    pub message: String,
    /// JSON Schema of the answer's content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// URL to visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Kind of answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalKind {
    /// Approval or denial of the call.
    #[default]
    Approval,
    /// Content of a form.
    Form,
    /// Confirmation that a URL was visited.
    Visit,
    /// Text.
    Question,
}

/// Decision on an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// Allow the call once.
    AllowOnce,
    /// Allow the call and further calls of the same tool in this session.
    AllowSession,
    /// Deny the call.
    Deny,
}

/// Answer to the only question of a call, or, in `answers`, to each of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerApproval {
    /// Decision on an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<ApprovalDecision>,
    /// Digest of the approved arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Key of the question; optional if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Content of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// Text answer to a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Id of the remote task, if several remote tasks have a call with this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_task_id: Option<String>,
    /// One answer per question, if the call asks several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<ApprovalAnswer>,
}

/// The answer to one question of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAnswer {
    /// Key of the question.
    pub key: String,
    /// Decision on an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<ApprovalDecision>,
    /// Content of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// Text answer to a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// State of the task after an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnsweredApproval {
    /// Id of the answered approval.
    pub id: String,
    /// Id of the task.
    pub task_id: String,
    /// Agent of the task.
    pub agent: String,
    /// State of the task: `working` if it continues, `input_required` if it needs more input.
    pub state: String,
}
