//! A run that waits for an answer, found by the chat that is sent again with it.
//!
//! The history of a request is its caller's word, and models and tools write parts of it. So it only chooses a run that
//! waits for this caller and agent, and only when it repeats exactly what that run was asked and what it answered; the
//! answer is the last message of the user, and is given for the calls that were shown.

use super::{
    asked::Asked,
    create::id_after,
    refused::from_engine,
    turn::{Turn, facts, project},
};
use baton_engine::{ListTasks, TaskRef};
use baton_responses::{
    Approval, Last, OutputItem, Refusal,
    chat::{Completion, Resumption},
};
use baton_types::{AgentSpec, Digest, ErrorCode, Message, Part, Role, TaskEvent, TaskId, TaskState, TaskView};
use serde_json::json;

/// Waiting runs that are looked at in one step, and in how many steps, the newest first.
const PAGE_SIZE: usize = 100;
const MAX_PAGES: usize = 20;

/// The turn that waits for what a request says, if there is one.
pub(super) async fn find(asked: &Asked, spec: &AgentSpec, resumption: &Resumption) -> Result<Option<Turn>, Refusal> {
    if let Some(named) = resumption.named_task() {
        let task = TaskId::from(named);
        return match waiting_turn(asked, spec, &task).await {
            Some(turn) if is_same(&turn, resumption) => Ok(Some(turn)),
            Some(turn) => Err(unmatched(&turn.view.id)),
            // A client that repeats its request must not begin a second run.
            None if resumption.decision().is_some() && is_known(asked, spec, &task).await => Err(settled(&task)),
            // It belongs to somebody else, or the user speaks of something else: the conversation goes on as any other.
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
        let waiting = asked.shared.engine.tasks(asked.principal(), &query).await.map_err(from_engine)?;
        for task in waiting.tasks.iter().filter(|task| may_ask(task, resumption)) {
            let turn = waiting_turn(asked, spec, &task.id).await;
            if let Some(turn) = turn.filter(|turn| is_same(turn, resumption)) {
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

/// Whether a task can be the one that asked; its events tell.
fn may_ask(task: &TaskView, resumption: &Resumption) -> bool {
    let asks = task.status_message.as_ref().map(Message::text).unwrap_or_default();
    resumption.question.contains(asks.trim())
}

/// Whether this caller has such a task of the agent.
async fn is_known(asked: &Asked, spec: &AgentSpec, task: &TaskId) -> bool {
    let wanted = TaskRef { task: task.clone(), agent: Some(spec.name.clone()) };
    asked.shared.engine.task(asked.principal(), &wanted).await.is_ok()
}

/// The last turn of a task of this caller and agent, when it waits.
pub(super) async fn waiting_turn(asked: &Asked, spec: &AgentSpec, task: &TaskId) -> Option<Turn> {
    let wanted = TaskRef { task: task.clone(), agent: Some(spec.name.clone()) };
    let (view, events) = asked.shared.engine.told(asked.principal(), &wanted).await.ok()?;
    if view.state != TaskState::InputRequired {
        return None;
    }
    let begun = facts(&events).filter(|(.., event)| matches!(event, TaskEvent::Wished { .. })).last();
    let id = id_after(&view.id, begun.map(|(number, ..)| number));
    // What came after the turn may have asked something else that nobody was shown here.
    project(id, view, &events).filter(|turn| turn.end == Some(turn.view.version))
}

/// Whether a request repeats what a turn was asked and what it said.
fn is_same(turn: &Turn, resumption: &Resumption) -> bool {
    let said = Completion::of(turn.projector.response()).ok();
    let said = said.and_then(|completion| completion.choices.into_iter().next()?.message.content);
    turn.note.conversation_digest.as_deref() == Some(resumption.before.as_str())
        && said.is_some_and(|said| said.trim() == resumption.question)
}

/// The answer to what a turn asks: leave for its calls, or the user's own words.
pub(super) fn answer(asked: &Asked, turn: &Turn, resumption: &Resumption, last: Last) -> Result<Last, Refusal> {
    let calls: Vec<(&str, &str)> = turn.projector.response().output.iter().filter_map(approval_of).collect();
    if calls.is_empty() {
        return Ok(last);
    }
    let Some(decision) = resumption.decision() else {
        let message = format!(
            "The agent waits for leave to run a tool: answer yes or no. {} ({})",
            elsewhere(&turn.view.id),
            ErrorCode::APPROVAL_UNCLEAR.code
        );
        return Err(Refusal::invalid("approval_unclear", "messages", message));
    };
    let responses: Vec<_> = calls
        .iter()
        .map(|(call, arguments)| {
            let digest = Digest::of(arguments.as_bytes()).to_string();
            json!({"call_id": call, "decision": decision.as_str(), "digest": digest})
        })
        .collect();
    let id = last.message.map_or_else(|| asked.shared.engine.fresh_id().into(), |message| message.id);
    let part = Part::data(json!({ "input_responses": responses }).into());
    Ok(Last { message: Some(Message::new(id, Role::User, vec![part])), ..Last::default() })
}

/// The call that an item asks about, and its arguments.
fn approval_of(item: &OutputItem) -> Option<(&str, &str)> {
    let OutputItem::McpApprovalRequest { id, arguments, .. } = item else { return None };
    Approval::parse_request_id(id).map(|(_, call)| (call, arguments.as_str()))
}

/// An answer to a question that was asked in another conversation.
fn unmatched(task: &TaskId) -> Refusal {
    let message = format!(
        "The question is not the last of this conversation as the agent knows it, so the answer is not taken. {} ({})",
        elsewhere(task),
        ErrorCode::APPROVAL_UNMATCHED.code
    );
    Refusal::invalid("approval_unmatched", "messages", message)
}

/// An answer to a question that is no longer open.
fn settled(task: &TaskId) -> Refusal {
    let message = format!(
        "The question has its answer already, so nothing was begun. GET /api/v1/tasks/{task} shows what became of it; \
         `baton approvals list` shows what still waits. ({})",
        ErrorCode::APPROVAL_UNMATCHED.code
    );
    Refusal::invalid("approval_answered", "messages", message)
}

fn elsewhere(task: &TaskId) -> String {
    format!(
        "It can also be answered with `baton approvals answer {task} allow` (or deny), or at /api/v1/approvals; \
         `baton approvals list` shows what waits."
    )
}
