//! What a stream says first although the task in full, with which it began, had it already.
//!
//! Servers begin to listen for a caller before they read the task, so what happens in between is in both. Events without
//! names cannot be told apart, but those that come twice come first: as long as they read like the end of what is known,
//! they are held back. When it is clear how many there were they are dropped, and everything else is let through.

use super::{
    artifacts::{Artifacts, is_plain_text},
    cursors::Told,
};
use baton_wire::a2a::v1::{Artifact, Part, StreamResponse, TaskArtifactUpdateEvent};
use std::collections::HashMap;

/// How much of the end of an output is compared, in bytes.
const COMPARED: usize = 64 * 1024;

/// Most events that are held back.
const HELD: usize = 1024;

/// An item, and what its name says about it.
pub(super) type Noted = (StreamResponse<'static>, Told);

/// What comes after the task in full, until it is certainly new.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlap {
    /// The outputs as the task in full has them; `None` when everything that comes is new.
    ends: Option<HashMap<String, End>>,
    held: Vec<(String, Noted)>,
}

/// The end of an output, and what was heard that may repeat it.
#[derive(Clone, Debug)]
struct End {
    text: String,
    /// Whether the text is all of the output.
    whole: bool,
    heard: String,
    /// Whether what was heard began the output anew.
    anew: bool,
    /// Events that were heard.
    events: usize,
    /// How many of them, counted from the first, are the end of the text.
    repeated: usize,
    /// Whether nothing more can be a repetition.
    over: bool,
}

impl Overlap {
    /// The task in full was heard as the first thing of a connection.
    pub(super) fn begin(&mut self, artifacts: &Artifacts) {
        let ends = artifacts.iter().map(|artifact| (artifact.artifact_id.to_string(), End::of(artifact)));
        *self = Self { ends: Some(ends.collect()), held: Vec::new() };
    }

    /// Forgets what is held back: the task in full tells it, now or soon.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    /// Whether what comes may be a repetition.
    pub(super) fn is_open(&self) -> bool {
        self.ends.is_some()
    }

    /// Whether something is held back that may be new.
    pub(super) fn holds_back(&self) -> bool {
        let repeated: usize = self.ends.iter().flat_map(HashMap::values).map(|end| end.repeated).sum();
        self.held.len() > repeated
    }

    /// Holds the item back, or lets through what was held back, and the item.
    pub(super) fn pass(&mut self, item: StreamResponse<'static>, told: Told) -> Vec<Noted> {
        let update = item.artifact_update.as_ref();
        let may_repeat = match (&mut self.ends, update) {
            (Some(ends), Some(update)) if self.held.len() < HELD => {
                ends.get_mut(&*update.artifact.artifact_id).is_some_and(|end| end.take(update))
            }
            _ => false,
        };
        match update.filter(|_| may_repeat).map(|update| update.artifact.artifact_id.to_string()) {
            Some(id) => {
                self.held.push((id, (item, told)));
                Vec::new()
            }
            None => {
                let mut passed = self.release();
                passed.push((item, told));
                passed
            }
        }
    }

    /// What was held back and is no repetition; what comes from now on is new.
    pub(super) fn release(&mut self) -> Vec<Noted> {
        let Self { ends, held } = std::mem::take(self);
        let mut ends = ends.unwrap_or_default();
        let is_new = |(id, noted): (String, Noted)| match ends.get_mut(&id) {
            Some(end) if end.repeated > 0 => {
                end.repeated -= 1;
                None
            }
            _ => Some(noted),
        };
        held.into_iter().filter_map(is_new).collect()
    }
}

impl End {
    fn of(artifact: &Artifact<'_>) -> Self {
        let mut text = flat(&artifact.parts);
        let cut = text.ceil_char_boundary(text.len().saturating_sub(COMPARED));
        text.drain(..cut);
        let whole = cut == 0;
        Self { text, whole, heard: String::new(), anew: false, events: 0, repeated: 0, over: false }
    }

    /// Takes an event; whether it may repeat what is known.
    fn take(&mut self, update: &TaskArtifactUpdateEvent<'_>) -> bool {
        if self.over {
            return false;
        }
        if !update.append {
            self.heard.clear();
            self.anew = true;
        }
        let more = flat(&update.artifact.parts);
        self.heard.push_str(&more);
        self.events += 1;
        let place = match self.anew {
            true => (self.whole && self.text.starts_with(&self.heard)).then_some(0),
            false => self.text.find(&self.heard),
        };
        let Some(place) = place else { return false };
        let ends = if self.anew { self.text == self.heard } else { self.text.ends_with(&self.heard) };
        // What says nothing repeats nothing.
        if ends && !more.is_empty() {
            self.repeated = self.events;
        }
        self.over = place + self.heard.len() == self.text.len();
        true
    }
}

/// Content in one piece, in which text is what it is, whatever pieces it came in.
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
