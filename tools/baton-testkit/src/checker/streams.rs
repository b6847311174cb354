//! A subscriber that reconnects with its cursor receives every visible event exactly once, in order, and ends with the
//! text of the task.

use super::{Guarantee, Violation, presentation};
use crate::{Evidence, History, SnapshotPolicy, Transcript, transcript::texts};
use baton_client::StreamEvent;
use baton_types::TaskEvent;
use baton_wire::a2a::v1::{StreamResponse, project};

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let transcripts = evidence.transcripts.iter();
    transcripts
        .flat_map(|transcript| {
            let ordered = order(&evidence.history, transcript).err().into_iter();
            let shown = evidence.views.get(&transcript.task).into_iter().flat_map(|task| {
                let same = |reading| text(transcript, reading, &texts(task)).err();
                [SnapshotPolicy::Replace, SnapshotPolicy::Merge].into_iter().filter_map(same).collect::<Vec<_>>()
            });
            ordered.chain(shown).map(|detail| Violation::new(Guarantee::Stream, &transcript.task, detail))
        })
        .collect()
}

fn text(
    transcript: &Transcript,
    reading: SnapshotPolicy,
    expected: &std::collections::BTreeMap<String, String>,
) -> Result<(), String> {
    let shown = transcript.shown(reading)?;
    if shown == *expected {
        return Ok(());
    }
    Err(format!("a subscriber ({reading:?}) ended with {shown:?}, GetTask has {expected:?}"))
}

/// Compares the received event numbers with the visible events of the journal.
fn order(history: &History, transcript: &Transcript) -> Result<(), String> {
    let mut seen: Option<u64> = None;
    let mut events: Vec<&StreamEvent> = Vec::new();
    let mut begun = 0;
    for segment in transcript.segments.iter().filter(|segment| !segment.events.is_empty()) {
        let cursor = segment.cursor;
        if seen.is_some() && cursor != seen {
            return Err(format!("a subscriber reconnected at {cursor:?} after it had received {seen:?}"));
        }
        let (first, rest) = segment.events.split_first().ok_or("an empty stream")?;
        let (Some(number), Some(_)) = (first.number, &first.item.task) else {
            return Err(format!("a stream from {cursor:?} began without the task"));
        };
        if cursor.is_some_and(|cursor| number != cursor.max(1)) {
            return Err(format!("a stream from {cursor:?} began with the task as of {number}"));
        }
        if seen.is_none() {
            begun = number;
        }
        seen = Some(number);
        for event in rest {
            match event.number {
                Some(number) => {
                    seen = Some(number);
                    events.push(event);
                }
                None if event.item.artifact_update.is_some() => {}
                None => return Err("an event other than a live text delta has no number".to_owned()),
            }
        }
    }
    compare(history, transcript, begun, &events)
}

fn compare(history: &History, transcript: &Transcript, begun: u64, events: &[&StreamEvent]) -> Result<(), String> {
    let Some(Ok(task)) = history.fold(&transcript.task) else { return Ok(()) };
    let view = task.view();
    let presentation = presentation(&view);
    let visible: Vec<(u64, StreamResponse<'_>)> = history
        .facts(&transcript.task)
        .filter(|(number, _, _)| *number > begun)
        .filter_map(|(number, at, fact)| {
            let answered = matches!(fact, TaskEvent::StatusChanged { message: Some(message), .. }
                if view.has_artifact_of(message));
            Some((number, project(&task.id, &task.context, at, fact, presentation, answered)?))
        })
        .collect();
    let expected: Vec<u64> = visible.iter().map(|(number, _)| *number).collect();
    let seen: Vec<u64> = events.iter().filter_map(|event| event.number).collect();
    if seen != expected {
        return Err(format!("after {begun} a subscriber received {seen:?}, the journal has {expected:?}"));
    }
    let json = |item: &StreamResponse<'_>| serde_json::to_value(item).unwrap_or_default();
    for (event, (number, item)) in events.iter().zip(&visible) {
        let (received, recorded) = (json(&event.item), json(item));
        if received != recorded {
            return Err(format!("event {number} was sent as {received}, the journal has {recorded}"));
        }
    }
    Ok(())
}
