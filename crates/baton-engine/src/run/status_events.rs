//! Status events of a run: input required and completed.

use crate::Ports;
use baton_rules::{
    CallerRequests, TaskRecord, calls_part, forwarded_question_parts, in_doubt_message, in_doubt_part,
    input_requests_part, parse_tool_calls,
};
use baton_types::{Message, Part, QuestionKind, Role, TaskEvent, TaskState, ToolCall, ToolQuestion};

/// The event with which a task waits for its caller.
pub(crate) fn input_required_event(ports: &Ports, task: &TaskRecord, asked: &CallerRequests) -> TaskEvent {
    let mut words: Vec<String> = asked.questions.iter().map(ask_user_text).collect();
    words.extend(asked.in_doubt.iter().map(in_doubt_message));
    words.extend(
        asked
            .input_requests
            .iter()
            .flat_map(|(call, ask)| ask.questions.iter().map(|asked| tool_question_text(call, asked))),
    );
    words.extend(asked.child_questions.iter().map(|(_, _, message)| message.text()));
    let words = Some(words.join("\n")).filter(|words| !words.is_empty());
    let mut parts: Vec<Part> = words.map(Part::text).into_iter().collect();
    if !asked.calls.is_empty() {
        parts.push(calls_part(&asked.calls));
    }
    if !asked.in_doubt.is_empty() {
        parts.push(in_doubt_part(&task.agent, &asked.in_doubt));
    }
    if !asked.input_requests.is_empty() {
        parts.push(input_requests_part(&task.agent, &asked.input_requests));
    }
    parts.extend(asked.child_questions.iter().flat_map(|(_, child, message)| forwarded_question_parts(child, message)));
    // If only the calls of the agent's last message are requested, that message is reused.
    let same = task.history.last().filter(|last| {
        last.role == Role::Agent
            && asked.questions.is_empty()
            && asked.input_requests.is_empty()
            && asked.in_doubt.is_empty()
            && asked.child_questions.is_empty()
            && parse_tool_calls(last) == asked.calls
    });
    let message = match same {
        Some(last) => last.clone(),
        None => Message::new(ports.ids.next_id().into(), Role::Agent, parts).with_task(&task.context, &task.id),
    };
    TaskEvent::StatusChanged { state: TaskState::InputRequired, message: Some(message), reason: None }
}

fn ask_user_text(call: &ToolCall) -> String {
    #[derive(serde::Deserialize)]
    struct AskUserArguments {
        question: Option<String>,
        message: Option<String>,
    }
    let read = call.arguments.read::<AskUserArguments>().ok();
    read.and_then(|arguments| arguments.question.or(arguments.message)).unwrap_or_else(|| "Please say more.".to_owned())
}

/// Question of a tool as text for people.
fn tool_question_text(call: &ToolCall, asked: &ToolQuestion) -> String {
    match &asked.wants {
        QuestionKind::Form { .. } => format!("{}: {}", call.name, asked.message),
        QuestionKind::Visit { url } => format!("{}: {} Visit {url}", call.name, asked.message),
        QuestionKind::Approval => {
            format!("{} It would be called with {}. Answer yes, always or no.", asked.message, call.arguments.as_str())
        }
    }
}

/// The completed event of an answered task, unless new messages are waiting.
pub(crate) fn completed_event(task: &TaskRecord) -> Option<TaskEvent> {
    let answer = task.history.last().filter(|last| last.role == Role::Agent).cloned();
    task.waiting.is_empty().then_some(TaskEvent::StatusChanged {
        state: TaskState::Completed,
        message: answer,
        reason: None,
    })
}
