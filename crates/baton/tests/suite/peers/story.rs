//! What a client is told of a task, put together as any client would.

use baton_peers::PeerTaskStream;
use baton_types::TaskState;
use baton_wire::a2a::v1::{Message, Part, StreamResponse, TaskStatus};
use futures_util::StreamExt as _;
use std::{collections::BTreeMap, time::Duration};

/// Longer than anything here may take, on a machine with other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A task as far as it was told.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) task: String,
    pub(super) context: String,
    /// The states in order.
    pub(super) states: Vec<TaskState>,
    /// What was last said about the state.
    pub(super) said: String,
    /// The texts of artifact updates in order.
    pub(super) pieces: Vec<String>,
    /// The text of each artifact, by id.
    pub(super) artifacts: BTreeMap<String, String>,
    /// An answer without a task.
    pub(super) bare: Option<String>,
}

impl Story {
    /// Listens to the end.
    pub(super) async fn of(followed: PeerTaskStream) -> Self {
        let mut story = Self::default();
        story.go_on(followed).await;
        story
    }

    pub(super) async fn go_on(&mut self, mut followed: PeerTaskStream) {
        while self.next(&mut followed).await.is_some() {}
        let settled = self.states.last().is_some_and(|state| state.is_terminal() || state.is_interrupted());
        assert!(settled || self.bare.is_some(), "it ends before the task does: {self:?}");
    }

    /// Listens to one thing.
    pub(super) async fn next(&mut self, followed: &mut PeerTaskStream) -> Option<StreamResponse<'static>> {
        let told = tokio::time::timeout(PATIENCE, followed.next()).await;
        let item = told.unwrap_or_else(|_| panic!("nothing more is told of {self:?}"))?;
        let item = item.unwrap_or_else(|error| panic!("{error:?} after {self:?}"));
        self.take(&item);
        Some(item)
    }

    fn take(&mut self, item: &StreamResponse<'_>) {
        if let Some(task) = &item.task {
            assert!(self.task.is_empty(), "the task comes once, and first: {self:?}");
            self.task = task.id.to_string();
            self.context = task.context_id.to_string();
            self.state(&task.status);
            for artifact in task.artifacts.iter().flatten() {
                self.artifact(&artifact.artifact_id, &artifact.parts, false);
            }
        } else if let Some(update) = &item.status_update {
            self.belongs(&update.task_id, &update.context_id);
            self.state(&update.status);
        } else if let Some(update) = &item.artifact_update {
            self.belongs(&update.task_id, &update.context_id);
            self.artifact(&update.artifact.artifact_id, &update.artifact.parts, update.append);
        } else if let Some(message) = &item.message {
            self.bare = Some(words(message));
        }
    }

    /// Servers need not repeat the task when it goes on.
    fn belongs(&mut self, task: &str, context: &str) {
        if self.task.is_empty() {
            (self.task, self.context) = (task.to_owned(), context.to_owned());
        }
        assert_eq!((task, context), (self.task.as_str(), self.context.as_str()), "{self:?}");
    }

    fn state(&mut self, status: &TaskStatus<'_>) {
        self.states.extend(status.state.to_task_state());
        self.said = status.message.as_ref().map(words).unwrap_or_default();
    }

    fn artifact(&mut self, id: &str, parts: &[Part<'_>], append: bool) {
        let piece = text(parts);
        match self.artifacts.get_mut(id) {
            Some(whole) if append => whole.push_str(&piece),
            None if append => panic!("something is appended to what was never there: {id} of {self:?}"),
            _ => drop(self.artifacts.insert(id.to_owned(), piece.clone())),
        }
        self.pieces.push(piece);
    }

    pub(super) fn end(&self) -> Option<TaskState> {
        self.states.last().copied()
    }

    /// The text of the only artifact.
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

/// The text of `stream N`, and its pieces.
pub(super) fn numbered(count: usize) -> (String, Vec<String>) {
    let pieces: Vec<String> = (0..count).map(|number| format!("<{number}>")).collect();
    (pieces.concat(), pieces)
}
