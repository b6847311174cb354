//! Coverage of the generated conversations, so that they exercise all operations and errors.

use super::operation::{ClientRequest, Operation, Outcome, Result};
use baton_types::TaskState;
use std::{collections::BTreeMap, sync::Mutex};

#[derive(Default)]
pub(super) struct Coverage(Mutex<BTreeMap<String, u64>>);

/// Events that occur at least once in a hundred conversations.
const EXPECTED: [&str; 39] = [
    "artifacts of every kind",
    "cancel: Canceled",
    "cancel: TaskNotCancelable BTN-2005",
    "cancel: TaskNotFound BTN-2003",
    "card",
    "create push: InvalidParams BTN-1001",
    "create push: InvalidParams BTN-1006",
    "create push: TaskNotFound BTN-2003",
    "create push: done",
    "delete push: done",
    "extensions acknowledged",
    "get push: TaskNotFound BTN-2014",
    "get push: done",
    "get: Completed",
    "get: InputRequired",
    "get: TaskNotFound BTN-2003",
    "get: waiting",
    "list push: done",
    "list: InvalidParams BTN-1001",
    "list: more pages",
    "list: the last page",
    "send: Completed",
    "send: ContentTypeNotSupported BTN-1001",
    "send: Failed",
    "send: InputRequired",
    "send: InvalidParams BTN-1004",
    "send: InvalidParams BTN-2006",
    "send: InvalidParams BTN-2013",
    "send: Rejected",
    "send: TaskGenerationMismatch BTN-2012",
    "send: UnsupportedOperation BTN-2004",
    "send: Working",
    "send: a bare message",
    "send: waiting",
    "stream: a bare message",
    "stream: ended",
    "subscribe: UnsupportedOperation BTN-2004",
    "subscribe: ended",
    "subscribe: open",
];

impl Coverage {
    pub(super) fn count(&self, asks: &[ClientRequest], outcomes: &[Outcome]) {
        for (ask, outcome) in asks.iter().zip(outcomes) {
            let operation = match &outcome.result {
                // Errors of both kinds of send are counted together.
                Result::Refused(_) if matches!(ask.operation, Operation::Stream(_)) => "send",
                _ => name(&ask.operation),
            };
            self.add(if operation == "card" {
                operation.to_owned()
            } else {
                format!("{operation}: {}", seen(outcome))
            });
            if outcome.acknowledged.is_some() {
                self.add("extensions acknowledged".to_owned());
            }
            if let Result::Sent(sent) = &outcome.result
                && sent.task.as_ref().and_then(|task| task.artifacts.as_ref()).is_some_and(|all| all.len() >= 4)
            {
                self.add("artifacts of every kind".to_owned());
            }
        }
    }

    fn add(&self, what: String) {
        *self.0.lock().unwrap().entry(what).or_default() += 1;
    }

    pub(super) fn check(&self, seeds: u64) {
        let seen = self.0.lock().unwrap();
        let missing: Vec<_> = EXPECTED.into_iter().filter(|what| !seen.contains_key(*what)).collect();
        assert!(seeds < 100 || missing.is_empty(), "{seeds} conversations lack {missing:#?}; found {seen:#?}");
    }
}

fn name(operation: &Operation) -> &'static str {
    match operation {
        Operation::Send(_) => "send",
        Operation::Stream(_) => "stream",
        Operation::Get(_) => "get",
        Operation::List(_) => "list",
        Operation::Cancel(_) => "cancel",
        Operation::Subscribe(_) => "subscribe",
        Operation::CreatePush(_) => "create push",
        Operation::GetPush(_) => "get push",
        Operation::ListPush(_) => "list push",
        Operation::DeletePush(_) => "delete push",
        Operation::Card => "card",
    }
}

fn seen(outcome: &Outcome) -> String {
    let state = |state: Option<TaskState>| format!("{:?}", state.unwrap());
    match &outcome.result {
        Result::Sent(sent) => match &sent.task {
            Some(task) => state(task.status.state.to_task_state()),
            None => "a bare message".to_owned(),
        },
        Result::Task(task) => state(task.status.state.to_task_state()),
        Result::Page(page) if page.next_page_token.is_empty() => "the last page".to_owned(),
        Result::Page(_) => "more pages".to_owned(),
        Result::Push(_) | Result::Pushes(_) | Result::Deleted | Result::Card(_) => "done".to_owned(),
        Result::Stream(seen) => match seen.items.first() {
            Some(item) if item.shown.message.is_some() => "a bare message".to_owned(),
            _ if seen.ended => "ended".to_owned(),
            _ if seen.disconnected => "left".to_owned(),
            _ => "open".to_owned(),
        },
        Result::Refused(refusal) => format!("{:?} {}", refusal.kind, refusal.code),
        Result::Waiting => "waiting".to_owned(),
        Result::Absent => "absent".to_owned(),
    }
}
