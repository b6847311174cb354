//! Finds the waiting run that a chat request answers.
//!
//! The history in a request is untrusted: it comes from the client, and models and tools wrote parts of it. It only
//! selects a run that waits for this caller and agent, and only if it repeats the input and output of that run exactly.
//! The answer is the last user message and applies to the calls that were shown.

use super::{
    create::response_id_at,
    error::from_engine,
    request::ResponsesRequest,
    turn::{ResponseTurn, project, task_events},
};
use crate::error_codes;
use baton_engine::{ListTasks, TaskRef};
use baton_responses::{
    CurrentInput, McpApprovalAnswer, OpenAiError, OutputItem,
    chat::{ChatResumption, Completion},
};
use baton_types::{AgentSpec, Digest, Message, Part, Role, TaskEvent, TaskId, TaskState, TaskView};
use serde_json::json;

/// Waiting runs per page and maximum number of pages searched, newest first.
const PAGE_SIZE: usize = 100;
const MAX_PAGES: usize = 20;

/// Waiting turn that a request answers, if any.
pub(super) async fn find_waiting_turn(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    resumption: &ChatResumption,
) -> Result<Option<ResponseTurn>, OpenAiError> {
    if let Some(named) = resumption.named_task() {
        let task = TaskId::from(named);
        return match waiting_turn(request, spec, &task).await {
            Some(turn) if matches_turn(&turn, resumption) => Ok(Some(turn)),
            Some(turn) => Err(unmatched_error(&turn.view.id)),
            // A client that repeats its request must not start a second run.
            None if resumption.decision().is_some() && is_known(request, spec, &task).await => {
                Err(already_answered_error(&task))
            }
            // The task has another owner, or the message is unrelated: the request is handled as a normal message.
            None => Ok(None),
        };
    }
    let mut query = ListTasks {
        agent: Some(spec.name.clone()),
        state: Some(TaskState::InputRequired),
        limit: PAGE_SIZE,
        ..ListTasks::default()
    };
    for _ in 0..MAX_PAGES {
        let waiting = request.shared.engine.tasks(request.principal(), &query).await.map_err(from_engine)?;
        for task in waiting.tasks.iter().filter(|task| may_be_waiting(task, resumption)) {
            let turn = waiting_turn(request, spec, &task.id).await;
            if let Some(turn) = turn.filter(|turn| matches_turn(turn, resumption)) {
                return Ok(Some(turn));
            }
        }
        match waiting.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    Ok(None)
}

/// Cheap check whether a task can be the waiting one; its events decide.
fn may_be_waiting(task: &TaskView, resumption: &ChatResumption) -> bool {
    let question = task.status_message.as_ref().map(Message::text).unwrap_or_default();
    resumption.question.contains(question.trim())
}

/// Whether the caller has such a task of the agent.
async fn is_known(request: &ResponsesRequest, spec: &AgentSpec, task: &TaskId) -> bool {
    let task_ref = TaskRef { task: task.clone(), agent: Some(spec.name.clone()) };
    request.shared.engine.task(request.principal(), &task_ref).await.is_ok()
}

/// Last turn of a task of this caller and agent, if it is waiting.
pub(super) async fn waiting_turn(request: &ResponsesRequest, spec: &AgentSpec, task: &TaskId) -> Option<ResponseTurn> {
    let task_ref = TaskRef { task: task.clone(), agent: Some(spec.name.clone()) };
    let (view, events) = request.shared.engine.task_with_events(request.principal(), &task_ref).await.ok()?;
    if view.state != TaskState::InputRequired {
        return None;
    }
    let begun = task_events(&events).filter(|(.., event)| matches!(event, TaskEvent::RunOptionsSet { .. })).last();
    let id = response_id_at(&view.id, begun.map(|(number, ..)| number));
    // Events after the turn may have asked something that was not shown to this client.
    project(id, view, &events).filter(|turn| turn.end == Some(turn.view.version))
}

/// Whether a request repeats the input and output of a turn.
fn matches_turn(turn: &ResponseTurn, resumption: &ChatResumption) -> bool {
    let completion = Completion::from_response(turn.projector.response()).ok();
    let content = completion.and_then(|completion| completion.choices.into_iter().next()?.message.content);
    turn.note.conversation_digest.as_deref() == Some(resumption.before.as_str())
        && content.is_some_and(|content| content.trim() == resumption.question)
}

/// Answer to the question of a turn: a decision about its calls, or the user's message.
pub(super) fn answer(
    request: &ResponsesRequest,
    turn: &ResponseTurn,
    resumption: &ChatResumption,
    last: CurrentInput,
) -> Result<CurrentInput, OpenAiError> {
    let calls: Vec<(&str, &str)> = turn.projector.response().output.iter().filter_map(approval_of).collect();
    if calls.is_empty() {
        return Ok(last);
    }
    let Some(decision) = resumption.decision() else {
        let message = format!(
            "The agent needs your approval to run a tool: answer yes or no. {} ({})",
            approval_hint(&turn.view.id),
            error_codes::APPROVAL_UNCLEAR.code
        );
        return Err(OpenAiError::invalid("approval_unclear", "messages", message));
    };
    let responses: Vec<_> = calls
        .iter()
        .map(|(call, arguments)| {
            let digest = Digest::compute(arguments.as_bytes()).to_string();
            json!({"call_id": call, "decision": decision.as_str(), "digest": digest})
        })
        .collect();
    let id = last.message.map_or_else(|| request.shared.engine.fresh_id().into(), |message| message.id);
    let part = Part::data(json!({ "input_responses": responses }).into());
    Ok(CurrentInput { message: Some(Message::new(id, Role::User, vec![part])), ..CurrentInput::default() })
}

/// Call id and arguments of an approval request item.
fn approval_of(item: &OutputItem) -> Option<(&str, &str)> {
    let OutputItem::McpApprovalRequest { id, arguments, .. } = item else { return None };
    McpApprovalAnswer::parse_request_id(id).map(|(_, call)| (call, arguments.as_str()))
}

/// Error for an answer to a question of another conversation.
fn unmatched_error(task: &TaskId) -> OpenAiError {
    let message = format!(
        "The answer was rejected: its question is not the latest one that the agent asked here. {} ({})",
        approval_hint(task),
        error_codes::APPROVAL_UNMATCHED.code
    );
    OpenAiError::invalid("approval_unmatched", "messages", message)
}

/// Error for an answer to a question that is no longer pending.
fn already_answered_error(task: &TaskId) -> OpenAiError {
    let message = format!(
        "The question was already answered, so no run was started. GET /api/v1/tasks/{task} shows the result; \
         `baton approvals list` shows pending approvals. ({})",
        error_codes::APPROVAL_UNMATCHED.code
    );
    OpenAiError::invalid("approval_answered", "messages", message)
}

fn approval_hint(task: &TaskId) -> String {
    format!(
        "It can also be answered with `baton approvals answer {task} allow` (or deny), or at /api/v1/approvals; \
         `baton approvals list` shows pending approvals."
    )
}
