//! Received state of a task, and deduplication of events.

use super::{
    artifacts::{ArtifactDelta, ReceivedArtifacts},
    cursors::{EventCursors, EventNovelty},
    overlap::{ClassifiedItem, OverlapFilter},
};
use crate::BindingEvent;
use baton_types::{Json, TaskState};
use baton_wire::a2a::v1::{
    Artifact, Message, Part, StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatus, TaskStatusUpdateEvent,
};
use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

/// Maximum number of status messages remembered.
const MAX_MESSAGE_IDS: usize = 256;
/// Maximum length of a task or context id in bytes; longer ones are ignored.
const MAX_ID_LEN: usize = 1024;

/// Everything received about one task, across connections.
#[derive(Clone, Debug, Default)]
pub struct TaskTracker {
    task: Option<String>,
    context: String,
    status: Option<TaskStatus<'static>>,
    /// Metadata of the status.
    status_metadata: Option<Json>,
    /// Hashes of the status message ids, because ids may be long.
    messages: VecDeque<u64>,
    artifacts: ReceivedArtifacts,
    cursors: EventCursors,
    answer: Option<Message<'static>>,
    /// Id of the message sent; a question asked before it is already answered.
    sent_message: Option<String>,
    /// Whether the message was sent to an existing task.
    continues: bool,
    /// The task waits for input, but probably has not processed the message yet.
    stale: bool,
    connection: ConnectionPhase,
    overlap: OverlapFilter,
    needs_verification: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ConnectionPhase {
    /// The first connection, complete from the start.
    #[default]
    First,
    /// A later one, without any event so far.
    Fresh,
    /// A later one.
    Later,
}

impl TaskTracker {
    /// Nothing received yet; `asked` is the id of the message sent.
    pub fn new(sent_message: Option<&str>) -> Self {
        Self { sent_message: sent_message.map(str::to_owned), ..Self::default() }
    }

    /// Marks that the message was sent to an existing task, which may have been waiting for it.
    #[must_use]
    pub fn continuing(self) -> Self {
        Self { continues: true, ..self }
    }

    /// Only the task id is known.
    pub fn for_task(task: &str, sent_message: Option<&str>) -> Self {
        Self { task: Some(task.to_owned()), connection: ConnectionPhase::Fresh, ..Self::new(sent_message) }
    }

    /// The task id, once the peer has created a task.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// The context id; empty until the peer assigns it.
    pub fn context(&self) -> &str {
        &self.context
    }

    /// The event id to resume from.
    pub fn last_event(&self) -> Option<&str> {
        self.cursors.last()
    }

    /// The state, if the task ended or needs input; an answer without a task counts as completed.
    pub fn settled(&self) -> Option<TaskState> {
        if self.answer.is_some() {
            return Some(TaskState::Completed);
        }
        settled_state(self.status.as_ref()?).filter(|_| !self.stale)
    }

    /// Whether the message was sent to an existing task.
    pub(crate) fn continues(&self) -> bool {
        self.continues
    }

    /// Whether the task waits for input that it may already have.
    pub(crate) fn is_stale(&self) -> bool {
        self.stale
    }

    /// Accepts that the task waits for new input.
    pub(crate) fn accept_status(&mut self) {
        self.stale = false;
    }

    /// Whether events may have been missed, which only the full task can show.
    pub(crate) fn needs_verification(&self) -> bool {
        self.needs_verification
    }

    /// The answer of a peer without a task.
    pub(crate) fn answer(&self) -> Option<&Message<'static>> {
        self.answer.as_ref()
    }

    /// The last status message.
    pub(crate) fn status_message(&self) -> Option<&Message<'static>> {
        self.status.as_ref()?.message.as_ref()
    }

    /// The artifacts, oldest first.
    pub fn artifacts(&self) -> impl DoubleEndedIterator<Item = &Artifact<'static>> {
        self.artifacts.iter()
    }

    /// One artifact.
    pub(crate) fn artifact(&self, id: &str) -> Option<&Artifact<'static>> {
        self.artifacts.get(id)
    }

    /// Marks the start of another connection.
    pub fn reconnected(&mut self) {
        self.connection = ConnectionPhase::Fresh;
        self.overlap.end();
    }

    /// Whether the first event of a new connection proves that nothing was missed.
    pub(crate) fn proves_continuity(&self, event: &BindingEvent) -> bool {
        event.item.task.is_some() && self.cursors.resumes_from(event.cursor.as_deref())
    }

    /// Whether the item would settle the task.
    pub(crate) fn would_settle(&self, item: &StreamResponse<'_>) -> bool {
        item.status_update.as_ref().is_some_and(|update| settled_state(&update.status).is_some())
    }

    /// Applies an item and returns the new events, in order.
    pub fn take(&mut self, event: BindingEvent) -> Vec<StreamResponse<'static>> {
        if self.settled().is_some_and(TaskState::is_terminal) {
            return Vec::new();
        }
        let first = self.connection == ConnectionPhase::Fresh;
        if first {
            self.connection = ConnectionPhase::Later;
        }
        if first && self.proves_continuity(&event) {
            // The task as of the last received event.
            return Vec::new();
        }
        if first {
            self.needs_verification = true;
            if event.item.task.is_some() {
                self.cursors.clear();
            }
        }
        let novelty = self.cursors.record(event.cursor.as_deref(), &event.item);
        match event.item {
            StreamResponse { task: Some(task), .. } => {
                self.overlap.end();
                let news = self.take_task(task);
                if first && !self.cursors.has_task_sequence() {
                    self.overlap.begin(&self.artifacts);
                }
                news
            }
            _ if novelty == EventNovelty::Repeated => Vec::new(),
            item if self.overlap.is_open() && self.is_old_status(&item) => Vec::new(),
            item => {
                let passed = self.overlap.pass(item, novelty);
                self.take_passed(passed)
            }
        }
    }

    /// Whether an event is held back that may repeat the full task.
    pub fn holds_back(&self) -> bool {
        self.overlap.holds_back()
    }

    /// Returns the held events, because nothing proved them duplicates.
    pub fn release(&mut self) -> Vec<StreamResponse<'static>> {
        let passed = self.overlap.release();
        self.take_passed(passed)
    }

    fn take_passed(&mut self, passed: Vec<ClassifiedItem>) -> Vec<StreamResponse<'static>> {
        passed.into_iter().flat_map(|(item, novelty)| self.take_item(item, novelty)).collect()
    }

    fn take_item(&mut self, item: StreamResponse<'static>, novelty: EventNovelty) -> Vec<StreamResponse<'static>> {
        if let Some(message) = item.message {
            self.take_message(message)
        } else if let Some(update) = item.status_update {
            let begun = self.begin(&update.task_id, &update.context_id);
            begun.into_iter().chain(self.take_status(update, novelty)).collect()
        } else if let Some(update) = item.artifact_update {
            let begun = self.begin(&update.task_id, &update.context_id);
            begun.into_iter().chain(self.take_artifact(update, novelty)).collect()
        } else {
            Vec::new()
        }
    }

    /// The initial task of a stream, if the server omits it, as many old servers do.
    fn begin(&mut self, task: &str, context: &str) -> Option<StreamResponse<'static>> {
        self.set_ids(task, context);
        if self.has_task() {
            return None;
        }
        let status = TaskStatus { state: baton_wire::a2a::v1::TaskState::Submitted, ..TaskStatus::default() };
        self.status = Some(status.clone());
        let (id, context_id) = self.ids();
        Some(Task { id, context_id, status, ..Task::default() }.into())
    }

    /// Corrects the artifacts from the full task; returns the changes.
    pub(crate) fn correct(&mut self, truth: &Task<'static>) -> Vec<StreamResponse<'static>> {
        self.overlap.end();
        let mut news = self.diff_artifacts(truth, true);
        let removed = match &truth.artifacts {
            // Servers may omit artifacts from a task without indicating it.
            Some(artifacts) if !artifacts.is_empty() => self.artifacts.keep_only(artifacts),
            _ => Vec::new(),
        };
        news.extend(removed.into_iter().map(|id| {
            let artifact =
                Artifact { artifact_id: id.into(), parts: vec![Part::text(String::new())], ..Artifact::default() };
            self.artifact_update(artifact, false, true)
        }));
        self.needs_verification = false;
        news
    }

    fn has_task(&self) -> bool {
        self.status.is_some()
    }

    /// Whether a status is the current one.
    fn is_known(&self, status: &TaskStatus<'_>) -> bool {
        let id = |status: &TaskStatus<'_>| status.message.as_ref().map(|message| message.message_id.to_string());
        let same = |known: &TaskStatus<'_>| {
            (known.state, id(known), known.timestamp) == (status.state, id(status), status.timestamp)
        };
        self.status.as_ref().is_some_and(same)
    }

    /// Whether the item is the status of the full task, or an earlier one.
    fn is_old_status(&self, item: &StreamResponse<'_>) -> bool {
        let Some(update) = &item.status_update else { return false };
        self.is_past(&update.status) || self.is_known(&update.status) && update.metadata.is_none()
    }

    /// Whether a status is older than the current one.
    fn is_past(&self, status: &TaskStatus<'_>) -> bool {
        let known = self.status.as_ref().and_then(|known| known.timestamp);
        matches!((status.timestamp, known), (Some(then), Some(known)) if then < known)
    }

    fn take_message(&mut self, message: Message<'static>) -> Vec<StreamResponse<'static>> {
        // Once there is a task, a message is only a comment on it.
        if self.task.is_none() {
            self.context = message.context_id.as_deref().unwrap_or_default().to_owned();
            self.answer = Some(message.clone());
        } else if !self.record_message(&message.message_id) {
            return Vec::new();
        }
        vec![StreamResponse { message: Some(message), ..StreamResponse::default() }]
    }

    fn take_task(&mut self, mut task: Task<'static>) -> Vec<StreamResponse<'static>> {
        self.stale = self.is_old_question(&task);
        if !self.has_task() {
            self.set_ids(&task.id, &task.context_id);
            for artifact in task.artifacts.iter_mut().flat_map(std::mem::take) {
                let update = TaskArtifactUpdateEvent { artifact, ..TaskArtifactUpdateEvent::default() };
                self.artifacts.apply_new(&update);
            }
            task.artifacts = Some(self.artifacts.iter().cloned().collect());
            self.set_status(task.status.clone(), None);
            return vec![task.into()];
        }
        let ended = settled_state(&task.status).is_some_and(TaskState::is_terminal);
        let mut news = if ended { self.correct(&task) } else { self.diff_artifacts(&task, false) };
        news.extend(self.diff_status(task.status));
        news
    }

    fn diff_artifacts(&mut self, task: &Task<'static>, ended: bool) -> Vec<StreamResponse<'static>> {
        let mut news = Vec::new();
        for artifact in task.artifacts.iter().flatten() {
            let update = TaskArtifactUpdateEvent { artifact: artifact.clone(), ..TaskArtifactUpdateEvent::default() };
            match self.artifacts.apply(&update) {
                ArtifactDelta::Unchanged => {}
                ArtifactDelta::Grown(parts) => {
                    let more = Artifact { parts, ..artifact.clone() };
                    news.push(self.artifact_update(more, true, ended));
                }
                ArtifactDelta::Replaced => news.push(self.artifact_update(artifact.clone(), false, ended)),
            }
        }
        news
    }

    fn diff_status(&mut self, status: TaskStatus<'static>) -> Option<StreamResponse<'static>> {
        let known = self.status.as_ref()?;
        let moved = status.state != known.state && status.state.to_task_state().is_some();
        let says =
            status.message.as_ref().is_some_and(|message| !self.messages.contains(&hash_id(&message.message_id)));
        if !(moved || says) || self.is_past(&status) {
            return None;
        }
        self.set_status(status.clone(), None);
        Some(self.status_update(status, None))
    }

    fn take_status(
        &mut self,
        update: TaskStatusUpdateEvent<'static>,
        novelty: EventNovelty,
    ) -> Option<StreamResponse<'static>> {
        let same =
            self.is_known(&update.status) && (update.metadata.is_none() || update.metadata == self.status_metadata);
        if novelty != EventNovelty::New && same {
            return None;
        }
        self.stale = false;
        self.set_status(update.status.clone(), update.metadata.clone());
        Some(self.status_update(update.status, update.metadata))
    }

    fn take_artifact(
        &mut self,
        mut update: TaskArtifactUpdateEvent<'static>,
        novelty: EventNovelty,
    ) -> Option<StreamResponse<'static>> {
        if novelty == EventNovelty::New {
            update.append &= self.artifacts.get(&update.artifact.artifact_id).is_some();
            return match self.artifacts.apply_new(&update) {
                ArtifactDelta::Unchanged => None,
                ArtifactDelta::Grown(_) | ArtifactDelta::Replaced => Some(update.into()),
            };
        }
        match self.artifacts.apply(&update) {
            ArtifactDelta::Unchanged => return None,
            ArtifactDelta::Grown(parts) => {
                update.artifact.parts = parts;
                update.append = true;
            }
            ArtifactDelta::Replaced => update.append = false,
        }
        Some(update.into())
    }

    /// Whether the full task still waits for the message sent, not for a later question.
    fn is_old_question(&self, task: &Task<'_>) -> bool {
        let waits = settled_state(&task.status).is_some_and(TaskState::is_interrupted);
        let Some(sent) = self.sent_message.as_ref().filter(|_| waits) else { return false };
        let history = task.history.as_deref().unwrap_or_default();
        match history.iter().position(|entry| entry.message_id == *sent) {
            Some(index) if index + 1 < history.len() => false,
            Some(index) => match &task.status.message {
                None => true,
                Some(question) => history[..index].iter().any(|entry| entry.message_id == question.message_id),
            },
            // The task does not show its history: the input it waited for from the start is the old question.
            None => self.continues && (!self.has_task() || self.stale && self.is_known(&task.status)),
        }
    }

    fn set_ids(&mut self, task: &str, context: &str) {
        if self.task.is_none() && (1..=MAX_ID_LEN).contains(&task.len()) {
            self.task = Some(task.to_owned());
        }
        if self.context.is_empty() && context.len() <= MAX_ID_LEN {
            context.clone_into(&mut self.context);
        }
    }

    fn set_status(&mut self, status: TaskStatus<'static>, note: Option<Json>) {
        if let Some(message) = &status.message {
            self.record_message(&message.message_id);
        }
        self.status = Some(status);
        self.status_metadata = note;
    }

    /// Records a message id; returns whether it is new.
    fn record_message(&mut self, id: &str) -> bool {
        let id = hash_id(id);
        if self.messages.contains(&id) {
            return false;
        }
        if self.messages.len() == MAX_MESSAGE_IDS {
            self.messages.pop_front();
        }
        self.messages.push_back(id);
        true
    }

    fn status_update(&self, status: TaskStatus<'static>, metadata: Option<Json>) -> StreamResponse<'static> {
        let (task_id, context_id) = self.ids();
        TaskStatusUpdateEvent { task_id, context_id, status, metadata }.into()
    }

    fn artifact_update(&self, artifact: Artifact<'static>, append: bool, last_chunk: bool) -> StreamResponse<'static> {
        let (task_id, context_id) = self.ids();
        TaskArtifactUpdateEvent { task_id, context_id, artifact, append, last_chunk, metadata: None }.into()
    }

    fn ids(&self) -> (std::borrow::Cow<'static, str>, std::borrow::Cow<'static, str>) {
        (self.task.clone().unwrap_or_default().into(), self.context.clone().into())
    }
}

/// Hash of a message id, of any length.
fn hash_id(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// The state, if the task ended in it or needs input.
fn settled_state(status: &TaskStatus<'_>) -> Option<TaskState> {
    status.state.to_task_state().filter(|state| state.is_terminal() || state.is_interrupted())
}
