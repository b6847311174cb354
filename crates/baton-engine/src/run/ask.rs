//! Status events of a run: input required and completed.

use crate::Ports;
use baton_rules::{Asked, Task, calls_in, calls_part, doubt_in_words, doubts_part, passed_up, requests_part};
use baton_types::{Message, Part, Role, TaskEvent, TaskState, ToolCall, ToolQuestion, Wanted};

/// The event with which a task waits for its caller.
pub(crate) fn asking(ports: &Ports, task: &Task, asked: &Asked) -> TaskEvent {
    let mut words: Vec<String> = asked.questions.iter().map(question).collect();
    words.extend(asked.in_doubt.iter().map(doubt_in_words));
    words.extend(asked.asks.iter().flat_map(|(call, ask)| ask.questions.iter().map(|asked| in_words(call, asked))));
    words.extend(asked.passed_up.iter().map(|(_, _, message)| message.text()));
    let words = Some(words.join("\n")).filter(|words| !words.is_empty());
    let mut parts: Vec<Part> = words.map(Part::text).into_iter().collect();
    if !asked.calls.is_empty() {
        parts.push(calls_part(&asked.calls));
    }
    if !asked.in_doubt.is_empty() {
        parts.push(doubts_part(&task.agent, &asked.in_doubt));
    }
    if !asked.asks.is_empty() {
        parts.push(requests_part(&task.agent, &asked.asks));
    }
    parts.extend(asked.passed_up.iter().flat_map(|(_, child, message)| passed_up(child, message)));
    // If only the calls of the agent's last message are requested, that message is reused.
    let same = task.history.last().filter(|last| {
        last.role == Role::Agent
            && asked.questions.is_empty()
            && asked.asks.is_empty()
            && asked.in_doubt.is_empty()
            && asked.passed_up.is_empty()
            && calls_in(last) == asked.calls
    });
    let message = match same {
        Some(last) => last.clone(),
        None => Message::new(ports.ids.fresh().into(), Role::Agent, parts).within(&task.context, &task.id),
    };
    TaskEvent::StatusChanged { state: TaskState::InputRequired, message: Some(message), reason: None }
}

fn question(call: &ToolCall) -> String {
    #[derive(serde::Deserialize)]
    struct Arguments {
        question: Option<String>,
        message: Option<String>,
    }
    let read = call.arguments.read::<Arguments>().ok();
    read.and_then(|arguments| arguments.question.or(arguments.message)).unwrap_or_else(|| "Please say more.".to_owned())
}

/// Question of a tool as text for people.
fn in_words(call: &ToolCall, asked: &ToolQuestion) -> String {
    match &asked.wants {
        Wanted::Form { .. } => format!("{}: {}", call.name, asked.message),
        Wanted::Visit { url } => format!("{}: {} Visit {url}", call.name, asked.message),
        Wanted::Approval => {
            format!("{} It would be called with {}. Answer yes, always or no.", asked.message, call.arguments.as_str())
        }
    }
}

/// The completed event of an answered task, unless new messages are waiting.
pub(crate) fn completing(task: &Task) -> Option<TaskEvent> {
    let answer = task.history.last().filter(|last| last.role == Role::Agent).cloned();
    task.waiting.is_empty().then_some(TaskEvent::StatusChanged {
        state: TaskState::Completed,
        message: answer,
        reason: None,
    })
}
