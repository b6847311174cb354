//! What a caller's further message means for a task.

use crate::{
    ASK_USER_TOOL, CallStage, CallState, HandedOff, PassedDown, Task,
    asks::{Answered, answers_in, responses_part},
    doubt::decided_result,
    is_in_doubt,
    pass::pass_down,
    results_in, results_part, waiting_on_caller,
};
use baton_types::{CallId, ErrorCode, Json, Message, TaskEvent, TaskId, TaskState, Timestamp, ToolAnswers, ToolResult};

/// Messages that a task takes.
const MAX_MESSAGES: usize = 1000;

/// Bytes that the messages of a task may hold together.
const MAX_WEIGHT: usize = 32 << 20;

/// A message that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The events it makes, in order.
    pub events: Vec<TaskEvent>,
    /// Whether a new run should take the task up; otherwise the present one goes on, or more results are awaited.
    pub resumes: bool,
    /// What it says to agents that work was handed to.
    pub passed: Vec<PassedDown>,
}

/// A message that cannot be taken; the task is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct RefusedMessage {
    /// The stable code.
    pub code: ErrorCode,
    /// Which field.
    pub field: String,
    /// What is wrong and what would be right.
    pub detail: String,
}

/// Reads a message to an existing, unfinished task.
pub fn hear(task: &Task, mut message: Message, now: Timestamp) -> Result<Heard, RefusedMessage> {
    check_room(task, &message)?;
    if task.peer.is_some() && task.open_calls().next().is_none() {
        // Whatever it answers was asked elsewhere, and is read there.
        return Ok(Heard {
            events: vec![TaskEvent::Said { message, results: Vec::new() }],
            resumes: task.state.is_interrupted(),
            passed: Vec::new(),
        });
    }
    let passed = pass_down(task, &mut message)?;
    let mut results = results_in(&message).map_err(|error| RefusedMessage {
        code: ErrorCode::TOOL_RESULT_INVALID,
        field: format!("message.parts.{}", error.field),
        detail: error.detail,
    })?;
    check_results(task, &mut results)?;
    let answer = answer_to_question(task, &message, &results);
    let answered = match answers_in(task, &message, &results, answer.is_some())? {
        Answered::InParts(answered) => answered,
        Answered::InWords(answered) => {
            message.parts.push(responses_part(&answered));
            answered
        }
    };
    let (decided, answered) = settle_doubts(task, answered)?;
    if !decided.is_empty() {
        message.parts.push(results_part(&decided));
        results.extend(decided);
    }
    if let Some(answer) = answer {
        // The history then says itself which call the words answer.
        message.parts.push(results_part(std::slice::from_ref(&answer)));
        results.push(answer);
    }
    let settled = task.calls.iter().all(|state| {
        let id = &state.call.id;
        state.stage.is_finished()
            || results.iter().any(|result| result.call == *id)
            || answered.iter().any(|(call, _)| call == id)
            || passed.iter().any(|down| down.call == *id)
            || !needs_caller(task, state)
    });
    let resumes = task.state == TaskState::InputRequired && settled || task.state == TaskState::AuthRequired;
    let mut events = vec![TaskEvent::Said { message, results }];
    events.extend(answered.into_iter().map(|(call, answers)| TaskEvent::ToolAnswered { call, answers }));
    events.extend(passed.iter().map(|down| answered_child(task, down, now)));
    Ok(Heard { events, resumes, passed })
}

type CallAnswers = Vec<(CallId, ToolAnswers)>;

/// Splits answers into results that they give calls in doubt, and answers that calls go on with.
fn settle_doubts(task: &Task, answered: CallAnswers) -> Result<(Vec<ToolResult>, CallAnswers), RefusedMessage> {
    let (mut decided, mut goes_on) = (Vec::new(), Vec::new());
    for (id, answers) in answered {
        let doubt = task.call(&id).filter(|state| is_in_doubt(task, state));
        match doubt.map(|state| decided_result(&state.call, &answers)).transpose()?.flatten() {
            Some(result) => decided.push(result),
            None => goes_on.push((id, answers)),
        }
    }
    Ok((decided, goes_on))
}

/// Whether only somebody outside can go on with a call of a task that waits.
fn needs_caller(task: &Task, state: &CallState) -> bool {
    match &state.stage {
        CallStage::Finished(_) => false,
        CallStage::HandedOff(handed) => handed.asked.is_some(),
        CallStage::Asked(_) | CallStage::Started => true,
        CallStage::Pending => waiting_on_caller(task, &state.call) || state.call.name == ASK_USER_TOOL,
    }
}

/// The event with which a child's question is answered: the time in which somebody was asked does not count.
fn answered_child(task: &Task, down: &PassedDown, now: Timestamp) -> TaskEvent {
    TaskEvent::HandoffAnswered {
        call: down.call.clone(),
        message: Some(down.message.clone()),
        deadline: task.call(&down.call).map_or(now, |state| deadline_after(&state.stage, now)),
        grants: down.grants.clone(),
    }
}

/// When the wait for a child ends that goes on now.
pub(crate) fn deadline_after(stage: &CallStage, now: Timestamp) -> Timestamp {
    match stage {
        CallStage::HandedOff(HandedOff { deadline, asked: Some((_, since)), .. }) => now.after(since.until(*deadline)),
        CallStage::HandedOff(handed) => handed.deadline,
        _ => now,
    }
}

/// The events with which a task takes notice that a child goes on although nobody answered it here, if it waits for that.
pub fn goes_on(task: &Task, child: &TaskId, now: Timestamp) -> Option<Heard> {
    let waiting = |state: &&CallState| matches!(&state.stage, CallStage::HandedOff(handed) if handed.child == *child && handed.asked.is_some());
    let state = task.calls.iter().find(waiting)?;
    let deadline = deadline_after(&state.stage, now);
    let event = TaskEvent::HandoffAnswered { call: state.call.id.clone(), message: None, deadline, grants: Vec::new() };
    let settled = task.calls.iter().all(|other| other.call.id == state.call.id || !needs_caller(task, other));
    let resumes = task.state == TaskState::InputRequired && settled;
    Some(Heard { events: vec![event], resumes, passed: Vec::new() })
}

/// A task is kept in memory while it is worked on, so it cannot grow for ever.
fn check_room(task: &Task, message: &Message) -> Result<(), RefusedMessage> {
    let messages = || task.history.iter().chain(&task.waiting);
    let weight = messages().map(Message::weight).sum::<usize>() + message.weight();
    if messages().count() < MAX_MESSAGES && weight <= MAX_WEIGHT {
        return Ok(());
    }
    Err(RefusedMessage {
        code: ErrorCode::TASK_FULL,
        field: "message".to_owned(),
        detail: format!("a task holds {MAX_MESSAGES} messages and {} MB", MAX_WEIGHT >> 20),
    })
}

fn check_results(task: &Task, results: &mut [ToolResult]) -> Result<(), RefusedMessage> {
    let open: Vec<String> =
        task.open_calls().filter(|state| answerable(task, state)).map(|state| state.call.id.to_string()).collect();
    let mut seen = Vec::new();
    for (index, result) in results.iter_mut().enumerate() {
        let field = format!("message.parts.tool_results[{index}].call_id");
        let duplicate =
            |detail| RefusedMessage { code: ErrorCode::TOOL_RESULT_DUPLICATE, field: field.clone(), detail };
        if seen.contains(&result.call) {
            return Err(duplicate(format!("call '{}' has two results in this message", result.call)));
        }
        seen.push(result.call.clone());
        match task.call(&result.call) {
            Some(state) if state.stage.is_finished() => {
                return Err(duplicate(format!(
                    "call '{}' has its result already; open calls: {}",
                    result.call,
                    named(&open)
                )));
            }
            Some(state) if answerable(task, state) => result.name.clone_from(&state.call.name),
            _ => {
                return Err(RefusedMessage {
                    code: ErrorCode::TOOL_RESULT_UNKNOWN,
                    detail: format!("the task waits for no call '{}'; open calls: {}", result.call, named(&open)),
                    field,
                });
            }
        }
    }
    Ok(())
}

/// Calls that a caller may answer: its own, questions to it, and those that a crash left in doubt.
fn answerable(task: &Task, state: &crate::CallState) -> bool {
    waiting_on_caller(task, &state.call) || state.call.name == ASK_USER_TOOL || is_in_doubt(task, state)
}

/// Text answers the first open question, also when it comes beside results of other calls.
fn answer_to_question(task: &Task, message: &Message, results: &[ToolResult]) -> Option<ToolResult> {
    let open = |id: &CallId| results.iter().all(|result| result.call != *id);
    let question = task.open_calls().find(|state| state.call.name == ASK_USER_TOOL && open(&state.call.id))?;
    let text = message.text();
    (!text.is_empty() && task.state == TaskState::InputRequired).then(|| ToolResult {
        call: question.call.id.clone(),
        name: question.call.name.clone(),
        output: Json::string(&text),
        is_error: false,
    })
}

fn named(calls: &[String]) -> String {
    if calls.is_empty() { "none".to_owned() } else { calls.join(", ") }
}
