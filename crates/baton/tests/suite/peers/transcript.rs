//! A task reconstructed from its stream of updates, as a client would do it.

use baton_peers::PeerTaskStream;
use baton_types::TaskState;
use baton_wire::a2a::v1::{Message, Part, StreamResponse, TaskStatus};
use futures_util::StreamExt as _;
use std::{collections::BTreeMap, time::Duration};

/// Timeout for the next update, on a loaded machine.
const PEER_TIMEOUT: Duration = Duration::from_secs(60);

/// A task as received so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) task: String,
    pub(super) context: String,
    pub(super) states: Vec<TaskState>,
    /// Text of the latest status message.
    pub(super) status_text: String,
    /// Texts of the artifact updates, in order.
    pub(super) chunks: Vec<String>,
    /// Text of each artifact, by id.
    pub(super) artifacts: BTreeMap<String, String>,
    /// A message response without a task.
    pub(super) message: Option<String>,
}

impl Transcript {
    /// Reads the stream to its end.
    pub(super) async fn from_stream(followed: PeerTaskStream) -> Self {
        let mut transcript = Self::default();
        transcript.read_to_end(followed).await;
        transcript
    }

    pub(super) async fn read_to_end(&mut self, mut followed: PeerTaskStream) {
        while self.next(&mut followed).await.is_some() {}
        let settled = self.states.last().is_some_and(|state| state.is_terminal() || state.is_interrupted());
        assert!(settled || self.message.is_some(), "the stream ended before the task: {self:?}");
    }

    /// Reads one item.
    pub(super) async fn next(&mut self, followed: &mut PeerTaskStream) -> Option<StreamResponse<'static>> {
        let received = tokio::time::timeout(PEER_TIMEOUT, followed.next()).await;
        let item = received.unwrap_or_else(|_| panic!("no update in time after {self:?}"))?;
        let item = item.unwrap_or_else(|error| panic!("{error:?} after {self:?}"));
        self.apply(&item);
        Some(item)
    }

    fn apply(&mut self, item: &StreamResponse<'_>) {
        if let Some(task) = &item.task {
            assert!(self.task.is_empty(), "the task must come first and only once: {self:?}");
            self.task = task.id.to_string();
            self.context = task.context_id.to_string();
            self.state(&task.status);
            for artifact in task.artifacts.iter().flatten() {
                self.artifact(&artifact.artifact_id, &artifact.parts, false);
            }
        } else if let Some(update) = &item.status_update {
            self.check_ids(&update.task_id, &update.context_id);
            self.state(&update.status);
        } else if let Some(update) = &item.artifact_update {
            self.check_ids(&update.task_id, &update.context_id);
            self.artifact(&update.artifact.artifact_id, &update.artifact.parts, update.append);
        } else if let Some(message) = &item.message {
            self.message = Some(words(message));
        }
    }

    /// Servers need not repeat the task when a stream continues.
    fn check_ids(&mut self, task: &str, context: &str) {
        if self.task.is_empty() {
            (self.task, self.context) = (task.to_owned(), context.to_owned());
        }
        assert_eq!((task, context), (self.task.as_str(), self.context.as_str()), "{self:?}");
    }

    fn state(&mut self, status: &TaskStatus<'_>) {
        self.states.extend(status.state.to_task_state());
        self.status_text = status.message.as_ref().map(words).unwrap_or_default();
    }

    fn artifact(&mut self, id: &str, parts: &[Part<'_>], append: bool) {
        let piece = text(parts);
        match self.artifacts.get_mut(id) {
            Some(whole) if append => whole.push_str(&piece),
            None if append => panic!("append to the unknown artifact {id} of {self:?}"),
            _ => drop(self.artifacts.insert(id.to_owned(), piece.clone())),
        }
        self.chunks.push(piece);
    }

    pub(super) fn end(&self) -> Option<TaskState> {
        self.states.last().copied()
    }

    /// Text of the only artifact.
    pub(super) fn output(&self) -> &str {
        assert_eq!(self.artifacts.len(), 1, "{self:?}");
        self.artifacts.values().next().map(String::as_str).unwrap_or_default()
    }
}

pub(super) fn words(message: &Message<'_>) -> String {
    text(&message.parts)
}

fn text(parts: &[Part<'_>]) -> String {
    parts.iter().filter_map(|part| part.text.as_deref()).collect()
}

/// Expected text of `stream N`, and its chunks.
pub(super) fn numbered_chunks(count: usize) -> (String, Vec<String>) {
    let pieces: Vec<String> = (0..count).map(|number| format!("<{number}>")).collect();
    (pieces.concat(), pieces)
}
