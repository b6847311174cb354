//! Status events of a run: input required and completed.

use crate::Ports;
use baton_rules::{
    CallerRequests, TaskRecord, calls_part, forwarded_question_parts, in_doubt_message, in_doubt_part,
    input_requests_part, parse_tool_calls,
};
use baton_types::{Message, Part, QuestionKind, Role, TaskEvent, TaskState, ToolCall, ToolQuestion};

/// The event with which a task waits for its caller.
pub(crate) fn input_required_event(ports: &Ports, task: &TaskRecord, requests: &CallerRequests) -> TaskEvent {
    let mut texts: Vec<String> = requests.questions.iter().map(ask_user_text).collect();
    texts.extend(requests.in_doubt.iter().map(in_doubt_message));
    texts.extend(
        requests
            .input_requests
            .iter()
            .flat_map(|(call, request)| request.questions.iter().map(|question| tool_question_text(call, question))),
    );
    texts.extend(requests.child_questions.iter().map(|(_, _, message)| message.text()));
    let texts = Some(texts.join("\n")).filter(|texts| !texts.is_empty());
    let mut parts: Vec<Part> = texts.map(Part::text).into_iter().collect();
    if !requests.calls.is_empty() {
        parts.push(calls_part(&requests.calls));
    }
    if !requests.in_doubt.is_empty() {
        parts.push(in_doubt_part(&task.agent, &requests.in_doubt));
    }
    if !requests.input_requests.is_empty() {
        parts.push(input_requests_part(&task.agent, &requests.input_requests));
    }
    parts.extend(
        requests.child_questions.iter().flat_map(|(_, child, message)| forwarded_question_parts(child, message)),
    );
    // If only the calls of the agent's last message are requested, that message is reused.
    let same = task.history.last().filter(|last| {
        last.role == Role::Agent
            && requests.questions.is_empty()
            && requests.input_requests.is_empty()
            && requests.in_doubt.is_empty()
            && requests.child_questions.is_empty()
            && parse_tool_calls(last) == requests.calls
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
fn tool_question_text(call: &ToolCall, question: &ToolQuestion) -> String {
    match &question.wants {
        QuestionKind::Form { .. } => format!("{}: {}", call.name, question.message),
        QuestionKind::Visit { url } => format!("{}: {} Visit {url}", call.name, question.message),
        QuestionKind::Approval => {
            format!(
                "{} It would be called with {}. Answer yes, always or no.",
                question.message,
                call.arguments.as_str()
            )
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
