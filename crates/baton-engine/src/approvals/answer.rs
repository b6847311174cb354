//! Reads and answers a single approval.

use super::{
    list::ParentTaskCache,
    open::{Approval, ApprovalKind, ApprovalQuestion, ApprovalRef, address, data, is_text_address, pending_approvals},
};
use crate::{Engine, EngineError, SendCommand, TaskRef, error_codes};
use baton_rules::{ASK_USER_TOOL, TaskRecord, parse_tool_calls, results_part};
use baton_types::{CallId, ErrorCode, Json, Message, Part, Principal, Role, TaskId, TaskView, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Maximum attempts to answer a task that changes concurrently.
const MAX_ANSWER_ATTEMPTS: usize = 16;

/// Answer to a pending approval.
#[derive(Clone, Debug)]
pub struct AnswerApproval {
    /// Target approval.
    pub approval: ApprovalRef,
    /// Digest of the arguments that were shown.
    pub digest: Option<String>,
    /// One answer per question.
    pub answers: Vec<QuestionAnswer>,
    /// W3C trace context of the request.
    pub trace: Option<Arc<str>>,
}

/// Answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionAnswer {
    /// Key of the question; optional when there is only one.
    pub key: Option<String>,
    /// Approval decision.
    pub decision: Option<ApprovalDecision>,
    /// Form values.
    pub content: Option<Json>,
    /// Text answer.
    pub text: Option<String>,
}

/// Decision on an approval request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// Allow this call.
    AllowOnce,
    /// Allow this call, and calls of the same tool in this session without another approval.
    AllowSession,
    /// Deny the call.
    Deny,
}

/// Error of an approval command. No state was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// The approval does not exist or is not visible to the caller.
    #[error("there is no approval '{task}/{call}'")]
    NotFound {
        /// The task.
        task: TaskId,
        /// Address of the approval within the task.
        call: String,
    },
    /// The approval existed and is no longer pending.
    #[error("approval '{task}/{call}' is no longer pending")]
    Answered {
        /// The task.
        task: TaskId,
        /// Address of the approval within the task.
        call: String,
    },
    /// The answer does not match the question.
    #[error("{0}")]
    InvalidAnswer(String),
    /// The engine rejected the command.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ApprovalError {
    /// Public error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::APPROVAL_NOT_FOUND,
            Self::Answered { .. } => error_codes::APPROVAL_ANSWERED,
            Self::InvalidAnswer(_) => error_codes::ANSWER_INVALID,
            Self::Engine(error) => error.code(),
        }
    }
}

impl Engine {
    /// Returns one approval of the caller.
    pub async fn approval(
        &self,
        principal: &Arc<Principal>,
        approval: &ApprovalRef,
    ) -> Result<Approval, ApprovalError> {
        let (_, mut found) = self.pending_approval(principal, approval).await?;
        ParentTaskCache::default().fill_roots(&self.inner, std::slice::from_mut(&mut found)).await?;
        Ok(found)
    }

    /// Answers an approval. Returns once the journal has the answer, with the task after the answer.
    pub async fn answer_approval(
        &self,
        principal: &Arc<Principal>,
        answer: &AnswerApproval,
    ) -> Result<Arc<TaskView>, ApprovalError> {
        let mut last_error = None;
        for _ in 0..MAX_ANSWER_ATTEMPTS {
            let (task, approval) = self.pending_approval(principal, &answer.approval).await?;
            let parts = answer_parts(&approval, answer).map_err(ApprovalError::InvalidAnswer)?;
            let message = Message::new(self.fresh_id().into(), Role::User, parts).with_task(&task.context, &task.id);
            let command = SendCommand {
                // A stale answer would be taken as a new message.
                if_generation: Some(task.generation),
                trace: answer.trace.clone(),
                ..SendCommand::new(task.agent.clone(), message)
            };
            match self.send(principal, command).await {
                Ok(sent) => return Ok(sent.task),
                Err(error @ (EngineError::GenerationMismatch { .. } | EngineError::TaskFinished { .. })) => {
                    last_error = Some(error);
                    self.inner.wait_for_sync().await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(last_error.unwrap_or(EngineError::ShuttingDown).into())
    }

    /// The task and the pending approval.
    async fn pending_approval(
        &self,
        principal: &Arc<Principal>,
        reference: &ApprovalRef,
    ) -> Result<(TaskRecord, Approval), ApprovalError> {
        let task = TaskRef { task: reference.task.clone(), agent: None };
        let named = |call: &String| (reference.task.clone(), call.clone());
        let task = self.inner.load(principal, &task).await.map_err(|error| match error {
            EngineError::TaskNotFound(_) => {
                let (task, call) = named(&reference.call);
                ApprovalError::NotFound { task, call }
            }
            other => other.into(),
        })?;
        let mut open = pending_approvals(&task);
        open.retain(|approval| reference.matches(approval));
        if open.iter().any(|approval| approval.address() == reference.call) {
            open.retain(|approval| approval.address() == reference.call);
        }
        if open.len() > 1 {
            let tasks: Vec<&str> = open.iter().filter_map(|approval| approval.remote_task.as_deref()).collect();
            let detail = format!("several calls have the id '{}'; remote_task_id must be one of: ", reference.call);
            return Err(ApprovalError::InvalidAnswer(detail + &tasks.join(", ")));
        }
        match open.pop() {
            Some(approval) => Ok((task, approval)),
            None => {
                let (id, call) = named(&reference.call);
                Err(match was_known(&task, reference) {
                    true => ApprovalError::Answered { task: id, call },
                    false => ApprovalError::NotFound { task: id, call },
                })
            }
        }
    }
}

impl ApprovalRef {
    fn matches(&self, approval: &Approval) -> bool {
        let is_same_call = approval.call.as_ref().is_some_and(|call| call.as_str() == self.call);
        let is_same_task = self.remote_task.is_none() || self.remote_task == approval.remote_task;
        (is_same_call || approval.address() == self.call) && is_same_task
    }
}

/// Whether the task ever made such a call, or answered a call of a remote agent.
fn was_known(task: &TaskRecord, reference: &ApprovalRef) -> bool {
    #[derive(Deserialize)]
    struct ApprovalResponsesPart {
        input_responses: Vec<ApprovalResponseEntry>,
    }
    #[derive(Deserialize)]
    struct ApprovalResponseEntry {
        call_id: Option<String>,
        task_id: Option<String>,
    }
    let is_match = |response: &ApprovalResponseEntry| {
        let (call, task) = (response.call_id.as_deref(), response.task_id.as_deref());
        let is_same_task = reference.remote_task.is_none() || reference.remote_task.as_deref() == task;
        is_same_task && (call == Some(&reference.call) || address(call, task) == reference.call)
    };
    let is_own = reference.remote_task.is_none();
    is_text_address(&reference.call)
        || is_own && task.calls.iter().any(|state| state.call.id.as_str() == reference.call)
        || task.history.iter().chain(&task.waiting).any(|message| match message.role {
            Role::Agent => is_own && parse_tool_calls(message).iter().any(|call| call.id.as_str() == reference.call),
            Role::User => data(message)
                .filter_map(|data| data.read::<ApprovalResponsesPart>().ok())
                .any(|part| part.input_responses.iter().any(is_match)),
        })
}

/// Message parts that carry the answer.
fn answer_parts(approval: &Approval, answer: &AnswerApproval) -> Result<Vec<Part>, String> {
    if answer.digest.is_some() && answer.digest != approval.digest {
        return Err("the arguments have changed since they were shown; review them again".to_owned());
    }
    let keys = || {
        let keys = approval.questions.iter().map(|question| question.key.as_deref().unwrap_or("(none)"));
        keys.collect::<Vec<_>>().join(", ")
    };
    let only = approval.questions.len() == 1;
    let matches = |question: &ApprovalQuestion, question_answer: &QuestionAnswer| match &question_answer.key {
        Some(_) => question_answer.key == question.key,
        None => only,
    };
    for question_answer in &answer.answers {
        if !approval.questions.iter().any(|question| matches(question, question_answer)) {
            return Err(format!("key must be one of: {}", keys()));
        }
    }
    let mut parts = Vec::new();
    let mut responses = Vec::new();
    for question in &approval.questions {
        let mut question_answer = answer.answers.iter().filter(|question_answer| matches(question, question_answer));
        let (Some(question_answer), None) = (question_answer.next(), question_answer.next()) else {
            return Err(format!("each question needs exactly one answer; the keys are: {}", keys()));
        };
        match (&question.kind, &approval.call, &approval.remote_task) {
            (ApprovalKind::Question, Some(call), None) if approval.tool.as_deref() == Some(ASK_USER_TOOL) => {
                parts.push(results_part(&[text_result(call, answer_text(question_answer)?)]));
            }
            (ApprovalKind::Question, None, None) => parts.push(Part::text(answer_text(question_answer)?)),
            _ => responses.push(response_entry(approval, question, question_answer)?),
        }
    }
    if !responses.is_empty() {
        parts.push(Part::data(json!({ "input_responses": responses }).into()));
    }
    Ok(parts)
}

fn text_result(call: &CallId, text: &str) -> ToolResult {
    let name = ASK_USER_TOOL.to_owned();
    ToolResult { call: call.clone(), name, output: Json::string(text), is_error: false }
}

fn answer_text(answer: &QuestionAnswer) -> Result<&str, String> {
    if answer.decision.is_some() || answer.content.is_some() {
        return Err("the question needs a text answer: set text and nothing else".to_owned());
    }
    answer.text.as_deref().filter(|text| !text.trim().is_empty()).ok_or_else(|| "text is missing".to_owned())
}

/// Entry of `input_responses`.
fn response_entry(approval: &Approval, question: &ApprovalQuestion, answer: &QuestionAnswer) -> Result<Value, String> {
    let mut entry = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            entry.insert(name.to_owned(), value);
        }
    };
    put("task_id", approval.remote_task.clone().map(Value::from));
    put("call_id", approval.call.as_ref().map(|call| call.as_str().into()));
    put("key", question.key.clone().map(Value::from));
    let decision = || answer.decision.ok_or_else(|| "decision must be allow_once, allow_session or deny".to_owned());
    let plain = |kind: &str| match answer.text.is_some() || answer.content.is_some() {
        true => Err(format!("{kind} takes a decision, and neither text nor content")),
        false => Ok(()),
    };
    match &question.kind {
        ApprovalKind::Approval => {
            plain("an approval")?;
            put("decision", serde_json::to_value(decision()?).ok());
            put("digest", approval.digest.clone().map(Value::from));
        }
        ApprovalKind::Visit(_) => {
            plain("a visit")?;
            put("action", Some(if decision()? == ApprovalDecision::Deny { "decline" } else { "accept" }.into()));
        }
        ApprovalKind::Form(_) => match (answer.decision, &answer.text) {
            (Some(ApprovalDecision::Deny), None) => put("action", Some("decline".into())),
            (_, None) => {
                put("action", Some("accept".into()));
                put("content", answer.content.as_ref().map(Json::to_value));
            }
            (_, Some(_)) => return Err("a form takes content, not text".to_owned()),
        },
        ApprovalKind::Question => put("content", Some(json!({ "text": answer_text(answer)? }))),
    }
    Ok(Value::Object(entry))
}
