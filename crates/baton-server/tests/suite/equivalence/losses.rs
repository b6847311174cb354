//! Permitted differences between bindings and dialects, each with its reason.

use super::{
    bindings::Binding,
    operation::{ClientRequest, Operation, Outcome, Result, StreamRecord},
    world::Record,
};
use baton_proto::v03::pb;
use baton_types::{JournalEvent, Json, PartContent, PushConfig, PushDialect, TaskEvent};
use baton_wire::a2a::v1::{Message, Part, StreamResponse, Task};

/// The outcome as the binding can represent it.
pub(super) fn expected_outcome(binding: Binding, mut outcome: Outcome) -> Outcome {
    if binding.is_old() {
        outcome = without_error_text(outcome);
    }
    match &mut outcome.result {
        Result::Sent(sent) => {
            sent.task.iter_mut().for_each(|sent| task(binding, sent));
            sent.message.iter_mut().for_each(|sent| message(binding, sent));
        }
        Result::Task(shown) => task(binding, shown),
        Result::Page(page) => page.tasks.iter_mut().for_each(|shown| task(binding, shown)),
        Result::Stream(seen) => {
            for item in &mut seen.items {
                // gRPC has no event ids.
                item.number = item.number.filter(|_| !binding.is_grpc());
                stream_item(binding, &mut item.shown);
            }
        }
        // A card of 0.3 lists the same interfaces with version 0.3.
        Result::Card(card) if binding.is_old() => {
            for interface in &mut card.supported_interfaces {
                (interface.protocol_version, interface.tenant) = ("0.3".to_owned(), None);
            }
            // Over gRPC the card has fewer members; this test does not cover the conversion itself.
            if binding == Binding::OldGrpc {
                let old = pb::AgentCard::try_from((**card).clone()).unwrap();
                **card = old.try_into().unwrap();
            }
        }
        _ => {}
    }
    outcome
}

/// Field names differ in 0.3, and so do error messages; kind and code are equal.
pub(super) fn without_error_text(mut outcome: Outcome) -> Outcome {
    if let Result::Refused(refusal) = &mut outcome.result {
        refusal.message.clear();
        refusal.violations.clear();
    }
    outcome
}

/// 0.3 cannot request an empty history, so one message was requested and is removed here.
pub(super) fn without_history(ask: &ClientRequest, mut outcome: Outcome) -> Outcome {
    let length = match &ask.operation {
        Operation::Send(request) | Operation::Stream(request) => {
            request.configuration.as_ref().and_then(|configuration| configuration.history_length)
        }
        Operation::Get(request) => request.history_length,
        _ => None,
    };
    if length != Some(0) {
        return outcome;
    }
    let shown = match &mut outcome.result {
        Result::Sent(sent) => sent.task.as_mut(),
        Result::Task(task) => Some(task),
        Result::Stream(StreamRecord { items, .. }) => items.first_mut().and_then(|item| item.shown.task.as_mut()),
        _ => None,
    };
    if let Some(task) = shown {
        assert!(task.history.as_ref().is_none_or(|history| history.len() <= 1), "one message was requested");
        task.history = None;
    }
    outcome
}

/// The journal record if the binding sent the requests.
pub(super) fn expected_record(binding: Binding, mut record: Record) -> Record {
    if !binding.is_old() {
        return record;
    }
    for event in &mut record.events {
        if let JournalEvent::Task(TaskEvent::Submitted { message, .. } | TaskEvent::MessageReceived { message, .. }) =
            &mut event.fact
        {
            for part in &mut message.parts {
                // Only file parts have names and media types in 0.3.
                if matches!(part.content, PartContent::Text(_) | PartContent::Data(_)) {
                    (part.filename, part.media_type) = (None, None);
                }
            }
            if !has_references(binding) {
                message.reference_tasks.clear();
            }
        }
    }
    for entry in &mut record.outbox {
        // Notifications use the dialect of the request that configured them.
        let config = PushConfig { dialect: PushDialect::V03, ..entry.body.read().unwrap() };
        entry.body = Json::from_serializable(&config).unwrap();
    }
    record
}

/// The protocol buffers of 0.3, and therefore its HTTP+JSON, have no `referenceTaskIds`.
fn has_references(binding: Binding) -> bool {
    !matches!(binding, Binding::OldRest | Binding::OldGrpc)
}

fn stream_item(binding: Binding, item: &mut StreamResponse<'static>) {
    item.task.iter_mut().for_each(|shown| task(binding, shown));
    item.message.iter_mut().for_each(|shown| message(binding, shown));
    if let Some(update) = &mut item.status_update {
        update.status.message.iter_mut().for_each(|shown| message(binding, shown));
        json(binding, &mut update.metadata);
    }
    if let Some(update) = &mut item.artifact_update {
        parts(binding, &mut update.artifact.parts);
        json(binding, &mut update.artifact.metadata);
        json(binding, &mut update.metadata);
    }
}

fn task(binding: Binding, task: &mut Task<'static>) {
    task.history.iter_mut().flatten().chain(&mut task.status.message).for_each(|said| message(binding, said));
    for artifact in task.artifacts.iter_mut().flatten() {
        parts(binding, &mut artifact.parts);
        json(binding, &mut artifact.metadata);
    }
    json(binding, &mut task.metadata);
    if binding.is_grpc() {
        // Protocol buffers cannot distinguish an empty list from a missing one.
        task.history.take_if(|history| history.is_empty());
        task.artifacts.take_if(|artifacts| artifacts.is_empty());
    }
}

fn message(binding: Binding, message: &mut Message<'static>) {
    parts(binding, &mut message.parts);
    json(binding, &mut message.metadata);
    if binding.is_old() && !has_references(binding) {
        message.reference_task_ids.clear();
    }
}

fn parts(binding: Binding, parts: &mut [Part<'static>]) {
    for part in parts {
        json(binding, &mut part.data);
        json(binding, &mut part.metadata);
        // Only file parts have names and media types in 0.3.
        if binding.is_old() && part.raw.is_none() && part.url.is_none() {
            (part.filename, part.media_type) = (None, None);
        }
    }
}

/// Protocol buffers sort members by name.
fn json(binding: Binding, json: &mut Option<Json>) {
    if binding.is_grpc() {
        *json = json.take().map(|json| {
            let mut value = json.to_value();
            value.sort_all_objects();
            Json::from(value)
        });
    }
}
