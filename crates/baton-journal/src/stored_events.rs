//! Conversion of writes into stored events.

use baton_ports::{StoredEvent, Write};
use std::sync::Arc;

/// Takes the facts of a write as events, with sequence numbers after `last_seq`.
pub(crate) fn into_stored_events(write: &mut Write, last_seq: u64) -> Vec<Arc<StoredEvent>> {
    let facts = std::mem::take(&mut write.facts);
    let positions = (last_seq + 1..).zip(write.expected_version + 1..);
    let event = |(fact, (seq, number))| {
        Arc::new(StoredEvent {
            seq,
            stream: write.stream.clone(),
            number,
            run: write.run.clone(),
            epoch: write.epoch,
            at: write.at,
            subject: write.principal.subject.clone(),
            trace: write.trace.clone(),
            fact,
        })
    };
    facts.into_iter().zip(positions).map(event).collect()
}
