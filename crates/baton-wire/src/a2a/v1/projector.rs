//! Merges journaled events and live text into one A2A stream.

use super::{
    Artifact, Message, Part, Presentation, Role, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
    growing_text::GrowingText,
    project::{complete_artifact, project},
};
use baton_types::{AnswerPlacement, ContextId, MessageId, TaskEvent, TaskId, TextDelivery, Timestamp};
use std::borrow::Cow;

/// Maps the events of a subscription to stream items in the presentation of the subscriber.
///
/// Unfinished text is either hidden, sent as chunks of an artifact with the id of the future message, or sent as
/// `working` statuses with the text so far. If text that was sent as an artifact is not the answer (a preamble to tool
/// calls, an abandoned attempt, a failed run), the projector retracts it, so that the final state of a client equals
/// the result of `GetTask`.
#[derive(Clone, Debug)]
pub struct StreamProjector {
    task: TaskId,
    context: ContextId,
    presentation: Presentation,
    shown: Option<MessageId>,
    growing: GrowingText,
    /// Id of the last answer, which an artifact contains.
    answered: Option<MessageId>,
    /// Set until the first numbered event of a resumed stream: the previous stream may have sent text of the current
    /// attempt.
    resumed: bool,
}

/// Stream items for one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamProjection<'a> {
    /// Retracts text that was sent; goes first and has no number.
    pub retraction: Option<StreamResponse<'a>>,
    /// The item.
    pub item: Option<StreamResponse<'a>>,
}

/// Presentation of unfinished text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LiveText {
    Hidden,
    Chunks,
    Statuses,
}

impl StreamProjector {
    /// For a stream that starts with the current task.
    pub fn new(task: TaskId, context: ContextId, presentation: Presentation) -> Self {
        Self {
            task,
            context,
            presentation,
            shown: None,
            growing: GrowingText::default(),
            answered: None,
            resumed: false,
        }
    }

    /// For a stream that resumes an interrupted one; `earlier` are the last events up to its cursor.
    pub fn resumed<'e>(
        task: TaskId,
        context: ContextId,
        presentation: Presentation,
        earlier: impl IntoIterator<Item = &'e TaskEvent>,
    ) -> Self {
        let mut projector = Self { resumed: true, ..Self::new(task, context, presentation) };
        let chunks = projector.live_text() == LiveText::Chunks;
        for event in earlier {
            match event {
                TaskEvent::AttemptStarted { message, .. } if chunks => projector.shown = Some(message.clone()),
                event if ends_open_text(event) => projector.shown = None,
                _ => {}
            }
            projector.note_answer(event);
        }
        projector
    }

    fn live_text(&self) -> LiveText {
        match (self.presentation.text, self.presentation.answer) {
            (TextDelivery::Whole, _) => LiveText::Hidden,
            (TextDelivery::Chunks, AnswerPlacement::Status) => LiveText::Statuses,
            (TextDelivery::Chunks, AnswerPlacement::Artifact | AnswerPlacement::Both) => LiveText::Chunks,
        }
    }

    fn note_answer(&mut self, event: &TaskEvent) {
        if let TaskEvent::Answered { message, .. } = event {
            self.answered = Some(message.id.clone());
        }
    }

    /// Projects a journaled event.
    pub fn event<'a>(&'a mut self, at: Timestamp, event: &'a TaskEvent) -> StreamProjection<'a> {
        let stale = match event {
            TaskEvent::AttemptStarted { message, .. } => {
                let stale = self.shown.take_if(|shown| shown != message);
                if self.resumed && self.live_text() == LiveText::Chunks {
                    self.shown = Some(message.clone());
                }
                stale
            }
            TaskEvent::Answered { message, .. } => self.shown.take().filter(|shown| *shown != message.id),
            TaskEvent::ToolsCalled { .. } | TaskEvent::StatusChanged { .. } => self.shown.take(),
            _ => None,
        };
        self.resumed &= !ends_open_text(event);
        self.note_answer(event);
        if ends_open_text(event) {
            self.growing = GrowingText::default();
        }
        let this = &*self;
        let answered = matches!(event, TaskEvent::StatusChanged { message: Some(message), .. }
            if this.answered.as_ref() == Some(&message.id));
        StreamProjection {
            retraction: stale
                .map(|message| this.text(Cow::Owned(message.as_str().to_owned()), "", ChunkPosition::Last)),
            item: project(&this.task, &this.context, at, event, this.presentation, answered),
        }
    }

    /// Projects the full unfinished text so far, which replaces earlier chunks.
    pub fn open_text<'a>(&'a mut self, message: &'a MessageId, text: &'a str) -> StreamProjection<'a> {
        match self.live_text() {
            LiveText::Hidden => StreamProjection::default(),
            LiveText::Chunks => self.project_chunk(message, text, ChunkPosition::First),
            LiveText::Statuses => {
                let is_due = self.growing.replace(message, text);
                self.growing_status(message, is_due)
            }
        }
    }

    /// Projects the next part of the unfinished text, after `offset` bytes.
    pub fn delta<'a>(&'a mut self, message: &'a MessageId, offset: usize, text: &'a str) -> StreamProjection<'a> {
        match self.live_text() {
            LiveText::Hidden => StreamProjection::default(),
            LiveText::Chunks => {
                // Clients reject an append to an unknown artifact.
                let known = self.shown.as_ref() == Some(message) && !self.resumed;
                self.project_chunk(
                    message,
                    text,
                    if offset > 0 && known { ChunkPosition::Next } else { ChunkPosition::First },
                )
            }
            LiveText::Statuses => {
                let is_due = self.growing.extend(message, offset, text);
                self.growing_status(message, is_due)
            }
        }
    }

    fn project_chunk<'a>(
        &'a mut self,
        message: &'a MessageId,
        text: &'a str,
        piece: ChunkPosition,
    ) -> StreamProjection<'a> {
        let stale = self.shown.replace(message.clone()).filter(|shown| shown != message);
        self.resumed = false;
        let this = &*self;
        StreamProjection {
            retraction: stale.map(|stale| this.text(Cow::Owned(stale.as_str().to_owned()), "", ChunkPosition::Last)),
            item: Some(this.text(Cow::Borrowed(message.as_str()), text, piece)),
        }
    }

    fn text<'a>(&'a self, id: Cow<'a, str>, text: &'a str, piece: ChunkPosition) -> StreamResponse<'a> {
        let artifact = Artifact { artifact_id: id, parts: vec![Part::text(text)], ..Artifact::default() };
        match piece {
            ChunkPosition::Last => complete_artifact(&self.task, &self.context, artifact),
            ChunkPosition::First | ChunkPosition::Next => StreamResponse::from(TaskArtifactUpdateEvent {
                task_id: Cow::Borrowed(self.task.as_str()),
                context_id: Cow::Borrowed(self.context.as_str()),
                artifact,
                append: matches!(piece, ChunkPosition::Next),
                last_chunk: false,
                metadata: None,
            }),
        }
    }

    fn growing_status<'a>(&'a self, message: &'a MessageId, is_due: bool) -> StreamProjection<'a> {
        let status = || {
            let message = Message {
                message_id: Cow::Borrowed(message.as_str()),
                context_id: Some(Cow::Borrowed(self.context.as_str())),
                task_id: Some(Cow::Borrowed(self.task.as_str())),
                role: Role::Agent,
                parts: vec![Part::text(self.growing.text())],
                ..Message::default()
            };
            StreamResponse::from(TaskStatusUpdateEvent {
                task_id: Cow::Borrowed(self.task.as_str()),
                context_id: Cow::Borrowed(self.context.as_str()),
                status: TaskStatus { state: TaskState::Working, message: Some(message), timestamp: None },
                metadata: None,
            })
        };
        StreamProjection { retraction: None, item: is_due.then(status) }
    }
}

#[derive(Clone, Copy)]
enum ChunkPosition {
    First,
    Next,
    Last,
}

/// Whether the event ends unfinished text and the start of a resumed stream.
fn ends_open_text(event: &TaskEvent) -> bool {
    !matches!(
        event,
        TaskEvent::Submitted { .. }
            | TaskEvent::MessageReceived { .. }
            | TaskEvent::RunOptionsSet { .. }
            | TaskEvent::TextFlushed { .. }
            | TaskEvent::RunResumed { .. }
            | TaskEvent::RunPaused { .. }
            | TaskEvent::AttemptStarted { .. }
            | TaskEvent::ModelNoted { .. }
            | TaskEvent::ReasoningProduced { .. }
            | TaskEvent::Compacted { .. }
            | TaskEvent::GuardrailChecked { .. }
            | TaskEvent::ToolStarted { .. }
            | TaskEvent::ToolInputRequested { .. }
            | TaskEvent::ToolInputReceived { .. }
            | TaskEvent::HandoffInputRequested { .. }
            | TaskEvent::HandoffInputReceived { .. }
    )
}
