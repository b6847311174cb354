//! Handling of further messages to a task.

use crate::{
    ASK_USER_TOOL, CallStage, CallState, ForwardedAnswer, PendingHandoff, TaskRecord, error_codes,
    in_doubt::decided_result,
    input_requests::{ParsedAnswers, input_responses_part, parse_answers},
    is_in_doubt, is_run_by_caller, parse_tool_results,
    question_forwarding::forward_answers,
    results_part,
};
use baton_types::{CallId, ErrorCode, Json, Message, TaskEvent, TaskId, TaskState, Timestamp, ToolAnswers, ToolResult};

/// Maximum number of messages per task.
const MAX_MESSAGES: usize = 1000;

/// Maximum total bytes of the messages of a task.
const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// Effect of an accepted message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedMessage {
    /// Resulting events, in order.
    pub events: Vec<TaskEvent>,
    /// Whether a new run must start; otherwise the current run continues, or more results are pending.
    pub starts_run: bool,
    /// Messages for child tasks.
    pub forwarded: Vec<ForwardedAnswer>,
}

/// Error for a rejected message; the task is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct MessageRejection {
    /// Stable error code.
    pub code: ErrorCode,
    /// Path of the invalid field.
    pub field: String,
    /// Description of the error and the expected value.
    pub detail: String,
}

/// Processes a message to an existing, unfinished task.
pub fn accept_message(
    task: &TaskRecord,
    mut message: Message,
    now: Timestamp,
) -> Result<AcceptedMessage, MessageRejection> {
    check_task_size(task, &message)?;
    if task.peer.is_some() && task.open_calls().next().is_none() {
        // Any question was asked by the remote agent, which parses the answer.
        return Ok(AcceptedMessage {
            events: vec![TaskEvent::MessageReceived { message, results: Vec::new() }],
            starts_run: task.state.is_interrupted(),
            forwarded: Vec::new(),
        });
    }
    let forwarded = forward_answers(task, &mut message)?;
    let mut results = parse_tool_results(&message).map_err(|error| MessageRejection {
        code: error_codes::TOOL_RESULT_INVALID,
        field: format!("message.parts.{}", error.field),
        detail: error.detail,
    })?;
    check_results(task, &mut results)?;
    let answer = answer_to_question(task, &message, &results);
    let call_answers = match parse_answers(task, &message, &results, answer.is_some())? {
        ParsedAnswers::FromParts(call_answers) => call_answers,
        ParsedAnswers::FromText(call_answers) => {
            message.parts.push(input_responses_part(&call_answers));
            call_answers
        }
    };
    let (decided_results, call_answers) = settle_in_doubt_calls(task, call_answers)?;
    if !decided_results.is_empty() {
        message.parts.push(results_part(&decided_results));
        results.extend(decided_results);
    }
    if let Some(answer) = answer {
        // Records in the history which call the text answers.
        message.parts.push(results_part(std::slice::from_ref(&answer)));
        results.push(answer);
    }
    let settled = task.calls.iter().all(|state| {
        let id = &state.call.id;
        state.stage.is_finished()
            || results.iter().any(|result| result.call == *id)
            || call_answers.iter().any(|(call, _)| call == id)
            || forwarded.iter().any(|child_answer| child_answer.call == *id)
            || !needs_caller(task, state)
    });
    let resumes = task.state == TaskState::InputRequired && settled || task.state == TaskState::AuthRequired;
    let mut events = vec![TaskEvent::MessageReceived { message, results }];
    events.extend(call_answers.into_iter().map(|(call, answers)| TaskEvent::ToolInputReceived { call, answers }));
    events.extend(forwarded.iter().map(|child_answer| child_answer_event(task, child_answer, now)));
    Ok(AcceptedMessage { events, starts_run: resumes, forwarded })
}

type CallAnswers = Vec<(CallId, ToolAnswers)>;

/// Separates results for in-doubt calls from answers that calls continue with.
fn settle_in_doubt_calls(
    task: &TaskRecord,
    call_answers: CallAnswers,
) -> Result<(Vec<ToolResult>, CallAnswers), MessageRejection> {
    let (mut results, mut remaining) = (Vec::new(), Vec::new());
    for (id, answers) in call_answers {
        let doubt = task.call(&id).filter(|state| is_in_doubt(task, state));
        match doubt.map(|state| decided_result(&state.call, &answers)).transpose()?.flatten() {
            Some(result) => results.push(result),
            None => remaining.push((id, answers)),
        }
    }
    Ok((results, remaining))
}

/// Whether a call of a waiting task needs external input.
fn needs_caller(task: &TaskRecord, state: &CallState) -> bool {
    match &state.stage {
        CallStage::Finished(_) => false,
        CallStage::HandedOff(pending) => pending.asked.is_some(),
        CallStage::Asked(_) | CallStage::Started => true,
        CallStage::Pending => is_run_by_caller(task, &state.call) || state.call.name == ASK_USER_TOOL,
    }
}

/// Event for the answer to a child's question. Time spent waiting for the answer does not count.
fn child_answer_event(task: &TaskRecord, answer: &ForwardedAnswer, now: Timestamp) -> TaskEvent {
    TaskEvent::HandoffInputReceived {
        call: answer.call.clone(),
        message: Some(answer.message.clone()),
        deadline: task.call(&answer.call).map_or(now, |state| deadline_after(&state.stage, now)),
        grants: answer.grants.clone(),
    }
}

/// Deadline of a child that continues now.
pub(crate) fn deadline_after(stage: &CallStage, now: Timestamp) -> Timestamp {
    match stage {
        CallStage::HandedOff(PendingHandoff { deadline, asked: Some((_, since)), .. }) => {
            now.after(since.until(*deadline))
        }
        CallStage::HandedOff(pending) => pending.deadline,
        _ => now,
    }
}

/// Events for a child that continues although its question was not answered through this task; none if the task does
/// not wait for it.
pub fn resume_child_wait(task: &TaskRecord, child: &TaskId, now: Timestamp) -> Option<AcceptedMessage> {
    let waiting = |state: &&CallState| match &state.stage {
        CallStage::HandedOff(pending) => pending.child == *child && pending.asked.is_some(),
        _ => false,
    };
    let state = task.calls.iter().find(waiting)?;
    let deadline = deadline_after(&state.stage, now);
    let event =
        TaskEvent::HandoffInputReceived { call: state.call.id.clone(), message: None, deadline, grants: Vec::new() };
    let settled = task.calls.iter().all(|other| other.call.id == state.call.id || !needs_caller(task, other));
    let resumes = task.state == TaskState::InputRequired && settled;
    Some(AcceptedMessage { events: vec![event], starts_run: resumes, forwarded: Vec::new() })
}

/// A task is kept in memory while it is active, so its size is limited.
fn check_task_size(task: &TaskRecord, message: &Message) -> Result<(), MessageRejection> {
    let messages = || task.history.iter().chain(&task.waiting);
    let weight = messages().map(Message::weight).sum::<usize>() + message.weight();
    if messages().count() < MAX_MESSAGES && weight <= MAX_MESSAGE_BYTES {
        return Ok(());
    }
    Err(MessageRejection {
        code: error_codes::TASK_FULL,
        field: "message".to_owned(),
        detail: format!("a task holds at most {MAX_MESSAGES} messages and {} MB", MAX_MESSAGE_BYTES >> 20),
    })
}

fn check_results(task: &TaskRecord, results: &mut [ToolResult]) -> Result<(), MessageRejection> {
    let open: Vec<String> =
        task.open_calls().filter(|state| is_answerable(task, state)).map(|state| state.call.id.to_string()).collect();
    let mut seen = Vec::new();
    for (index, result) in results.iter_mut().enumerate() {
        let field = format!("message.parts.tool_results[{index}].call_id");
        let duplicate =
            |detail| MessageRejection { code: error_codes::TOOL_RESULT_DUPLICATE, field: field.clone(), detail };
        if seen.contains(&result.call) {
            return Err(duplicate(format!("call '{}' has two results in this message", result.call)));
        }
        seen.push(result.call.clone());
        match task.call(&result.call) {
            Some(state) if state.stage.is_finished() => {
                return Err(duplicate(format!(
                    "call '{}' already has its result; open calls: {}",
                    result.call,
                    join_call_ids(&open)
                )));
            }
            Some(state) if is_answerable(task, state) => result.name.clone_from(&state.call.name),
            _ => {
                return Err(MessageRejection {
                    code: error_codes::TOOL_RESULT_UNKNOWN,
                    detail: format!(
                        "the task does not wait for call '{}'; open calls: {}",
                        result.call,
                        join_call_ids(&open)
                    ),
                    field,
                });
            }
        }
    }
    Ok(())
}

/// Whether the caller may answer the call: its own calls, questions to it, and in-doubt calls.
fn is_answerable(task: &TaskRecord, state: &crate::CallState) -> bool {
    is_run_by_caller(task, &state.call) || state.call.name == ASK_USER_TOOL || is_in_doubt(task, state)
}

/// Text answers the first open question, even next to results of other calls.
fn answer_to_question(task: &TaskRecord, message: &Message, results: &[ToolResult]) -> Option<ToolResult> {
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

fn join_call_ids(calls: &[String]) -> String {
    if calls.is_empty() { "none".to_owned() } else { calls.join(", ") }
}
