//! Deduplication of events at the start of a stream that the full task already contains.
//!
//! Servers subscribe a caller before they read the task, so events in between are in both. Events without ids cannot be
//! identified, but duplicates come first: events that match the end of the known content are held back. Once the number
//! of duplicates is known, they are dropped and all other events are released.

use super::{
    artifacts::{ReceivedArtifacts, is_plain_text},
    cursors::EventNovelty,
};
use baton_wire::a2a::v1::{Artifact, Part, StreamResponse, TaskArtifactUpdateEvent};
use std::collections::HashMap;

/// Maximum number of bytes compared at the end of an artifact.
const MAX_COMPARED_BYTES: usize = 64 * 1024;

/// Maximum number of events held back.
const MAX_HELD_EVENTS: usize = 1024;

/// An item with the conclusion from its event id.
pub(super) type ClassifiedItem = (StreamResponse<'static>, EventNovelty);

/// Filter for the events after the full task, until they are certainly new.
#[derive(Clone, Debug, Default)]
pub(super) struct OverlapFilter {
    /// Ends of the artifacts in the full task; `None` if all events are new.
    ends: Option<HashMap<String, ArtifactTail>>,
    held: Vec<(String, ClassifiedItem)>,
}

/// End of an artifact, and the received text that may repeat it.
#[derive(Clone, Debug)]
struct ArtifactTail {
    text: String,
    /// Whether `text` is the whole artifact.
    is_complete: bool,
    received: String,
    /// Whether the received events restarted the artifact.
    anew: bool,
    /// Number of received events.
    events: usize,
    /// Number of leading events that repeat the end of the text.
    repeated: usize,
    /// Whether no further event can be a duplicate.
    over: bool,
}

impl OverlapFilter {
    /// Starts filtering after the full task, the first item of a connection.
    pub(super) fn begin(&mut self, artifacts: &ReceivedArtifacts) {
        let ends =
            artifacts.iter().map(|artifact| (artifact.artifact_id.to_string(), ArtifactTail::from_artifact(artifact)));
        *self = Self { ends: Some(ends.collect()), held: Vec::new() };
    }

    /// Drops the held events, because the full task contains them.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    /// Whether the next event may be a duplicate.
    pub(super) fn is_open(&self) -> bool {
        self.ends.is_some()
    }

    /// Whether a held event may be new.
    pub(super) fn holds_back(&self) -> bool {
        let repeated: usize = self.ends.iter().flat_map(HashMap::values).map(|end| end.repeated).sum();
        self.held.len() > repeated
    }

    /// Holds the item back, or returns the released items followed by the item.
    pub(super) fn pass(&mut self, item: StreamResponse<'static>, novelty: EventNovelty) -> Vec<ClassifiedItem> {
        let update = item.artifact_update.as_ref();
        let may_repeat = match (&mut self.ends, update) {
            (Some(ends), Some(update)) if self.held.len() < MAX_HELD_EVENTS => {
                ends.get_mut(&*update.artifact.artifact_id).is_some_and(|end| end.take(update))
            }
            _ => false,
        };
        match update.filter(|_| may_repeat).map(|update| update.artifact.artifact_id.to_string()) {
            Some(id) => {
                self.held.push((id, (item, novelty)));
                Vec::new()
            }
            None => {
                let mut passed = self.release();
                passed.push((item, novelty));
                passed
            }
        }
    }

    /// Returns the held events that are not duplicates; all later events are new.
    pub(super) fn release(&mut self) -> Vec<ClassifiedItem> {
        let Self { ends, held } = std::mem::take(self);
        let mut ends = ends.unwrap_or_default();
        let is_new = |(id, noted): (String, ClassifiedItem)| match ends.get_mut(&id) {
            Some(end) if end.repeated > 0 => {
                end.repeated -= 1;
                None
            }
            _ => Some(noted),
        };
        held.into_iter().filter_map(is_new).collect()
    }
}

impl ArtifactTail {
    fn from_artifact(artifact: &Artifact<'_>) -> Self {
        let mut text = flat(&artifact.parts);
        let cut = text.ceil_char_boundary(text.len().saturating_sub(MAX_COMPARED_BYTES));
        text.drain(..cut);
        let is_complete = cut == 0;
        Self { text, is_complete, received: String::new(), anew: false, events: 0, repeated: 0, over: false }
    }

    /// Processes an event; returns whether it may be a duplicate.
    fn take(&mut self, update: &TaskArtifactUpdateEvent<'_>) -> bool {
        if self.over {
            return false;
        }
        if !update.append {
            self.received.clear();
            self.anew = true;
        }
        let more = flat(&update.artifact.parts);
        self.received.push_str(&more);
        self.events += 1;
        let position = match self.anew {
            true => (self.is_complete && self.text.starts_with(&self.received)).then_some(0),
            false => self.text.find(&self.received),
        };
        let Some(position) = position else { return false };
        let ends = if self.anew { self.text == self.received } else { self.text.ends_with(&self.received) };
        // An event without content repeats nothing.
        if ends && !more.is_empty() {
            self.repeated = self.events;
        }
        self.over = position + self.received.len() == self.text.len();
        true
    }
}

/// Content as one string, independent of how its text was split.
fn flat(parts: &[Part<'_>]) -> String {
    let mut flat = String::new();
    for part in parts {
        match &part.text {
            Some(text) if is_plain_text(part) => flat.push_str(text),
            _ => {
                flat.push('\0');
                flat.push_str(&serde_json::to_string(part).unwrap_or_default());
                flat.push('\0');
            }
        }
    }
    flat
}
