//! Events are numbered from 1 without gaps, in journal order.

use super::{Guarantee, Violation};
use crate::Evidence;
use baton_ports::StoredEvent;
use std::{fmt::Display, sync::Arc};

pub(super) fn check(evidence: &Evidence) -> Vec<Violation> {
    let history = &evidence.history;
    let mut violations = Vec::new();
    for (task, events) in &history.tasks {
        violations.extend(numbers(task, events));
        violations.extend(evidence.listed_events.get(task).and_then(|listed| {
            let listed_texts: Vec<(u64, String)> =
                listed.iter().map(|entry| (entry.number, format!("{} {}", entry.kind, entry.body.as_str()))).collect();
            let stored: Vec<(u64, String)> = events.iter().map(|event| (event.number, event_text(event))).collect();
            let detail = "the events endpoint and the journal differ";
            (listed_texts != stored).then(|| Violation::new(Guarantee::Numbering, task, detail))
        }));
    }
    for (handoff, events) in &history.handoffs {
        violations.extend(numbers(handoff, events));
    }
    let disordered = history.events.windows(2).find(|pair| pair[0].seq >= pair[1].seq);
    violations.extend(disordered.map(|pair| {
        Violation::new(Guarantee::Numbering, "journal", format!("sequence {} comes after {}", pair[1].seq, pair[0].seq))
    }));
    violations
}

fn numbers(subject: impl Display, events: &[Arc<StoredEvent>]) -> Option<Violation> {
    let numbers: Vec<u64> = events.iter().map(|event| event.number).collect();
    let is_consecutive = numbers.iter().zip(1..).all(|(number, expected)| *number == expected);
    let epochs = events.windows(2).all(|pair| pair[0].epoch <= pair[1].epoch);
    match (is_consecutive, epochs) {
        (true, true) => None,
        (false, _) => Some(Violation::new(Guarantee::Numbering, subject, format!("its events are {numbers:?}"))),
        (true, false) => {
            Some(Violation::new(Guarantee::Numbering, subject, "an earlier epoch wrote after a later one"))
        }
    }
}

fn event_text(event: &StoredEvent) -> String {
    let body = event.fact.encode().map(|body| body.as_str().to_owned()).unwrap_or_default();
    format!("{} {body}", event.fact.kind())
}
