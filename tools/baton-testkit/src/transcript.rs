//! Events received by one subscriber, stream by stream.

use baton_client::StreamEvent;
use baton_types::TaskId;
use baton_wire::a2a::v1::{Artifact, Task};
use std::collections::BTreeMap;

/// All events that one subscriber received for a task.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The task.
    pub task: TaskId,
    /// One per connection.
    pub segments: Vec<Segment>,
}

/// Events of one connection.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// Cursor sent by the subscriber.
    pub cursor: Option<u64>,
    /// Received events.
    pub events: Vec<StreamEvent>,
}

/// Treatment of the task snapshot at the head of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotPolicy {
    /// The snapshot replaces all known outputs, as the specification says.
    Replace,
    /// Outputs of the snapshot replace those with the same ids; others remain.
    Merge,
}

impl Transcript {
    /// An empty transcript.
    pub fn new(task: TaskId) -> Self {
        Self { task, segments: Vec::new() }
    }

    /// Final output texts of the subscriber by id, without empty ones.
    pub fn shown(&self, reading: SnapshotPolicy) -> Result<BTreeMap<String, String>, String> {
        let mut shown = BTreeMap::new();
        for event in self.segments.iter().flat_map(|segment| &segment.events) {
            if let Some(task) = &event.item.task {
                if reading == SnapshotPolicy::Replace {
                    shown.clear();
                }
                shown.extend(texts(task));
            }
            let Some(update) = &event.item.artifact_update else { continue };
            let (id, text) = (update.artifact.artifact_id.to_string(), text(&update.artifact));
            match shown.get_mut(&id) {
                Some(known) if update.append => known.push_str(&text),
                None if update.append => return Err(format!("text was appended to unknown output {id}")),
                _ => {
                    shown.insert(id, text);
                }
            }
        }
        shown.retain(|_, text| !text.is_empty());
        Ok(shown)
    }
}

/// Texts of a task's outputs by id, without empty ones.
pub(crate) fn texts(task: &Task<'_>) -> BTreeMap<String, String> {
    let outputs = task.artifacts.iter().flatten();
    let texts = outputs.map(|artifact| (artifact.artifact_id.to_string(), text(artifact)));
    texts.filter(|(_, text)| !text.is_empty()).collect()
}

fn text(artifact: &Artifact<'_>) -> String {
    artifact.parts.iter().filter_map(|part| part.text.as_deref()).collect()
}
