//! What one subscriber saw, stream after stream.

use baton_client::StreamEvent;
use baton_types::TaskId;
use baton_wire::a2a::v1::{Artifact, Task};
use std::collections::BTreeMap;

/// Everything that one subscriber was sent about a task.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The task.
    pub task: TaskId,
    /// One for every connection.
    pub segments: Vec<Segment>,
}

/// What came over one connection.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The last event that the subscriber said it had.
    pub cursor: Option<u64>,
    /// What it was sent.
    pub events: Vec<StreamEvent>,
}

/// What a client makes of the task at the head of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It replaces all that was known, as the specification has it.
    Replace,
    /// Its outputs replace those of the same ids; others stay as they were.
    Merge,
}

impl Transcript {
    /// Nothing seen yet.
    pub fn new(task: TaskId) -> Self {
        Self { task, segments: Vec::new() }
    }

    /// The texts of outputs that the subscriber shows at the end, by id; empty ones are not shown.
    pub fn shown(&self, reading: Reading) -> Result<BTreeMap<String, String>, String> {
        let mut shown = BTreeMap::new();
        for event in self.segments.iter().flat_map(|segment| &segment.events) {
            if let Some(task) = &event.item.task {
                if reading == Reading::Replace {
                    shown.clear();
                }
                shown.extend(texts(task));
            }
            let Some(update) = &event.item.artifact_update else { continue };
            let (id, text) = (update.artifact.artifact_id.to_string(), text(&update.artifact));
            match shown.get_mut(&id) {
                Some(known) if update.append => known.push_str(&text),
                None if update.append => return Err(format!("text was appended to output {id}, which nobody showed")),
                _ => {
                    shown.insert(id, text);
                }
            }
        }
        shown.retain(|_, text| !text.is_empty());
        Ok(shown)
    }
}

/// The texts of a task's outputs by id; empty ones are left out.
pub(crate) fn texts(task: &Task<'_>) -> BTreeMap<String, String> {
    let outputs = task.artifacts.iter().flatten();
    let texts = outputs.map(|artifact| (artifact.artifact_id.to_string(), text(artifact)));
    texts.filter(|(_, text)| !text.is_empty()).collect()
}

fn text(artifact: &Artifact<'_>) -> String {
    artifact.parts.iter().filter_map(|part| part.text.as_deref()).collect()
}
