//! One stream of A2A events out of journaled events and live text.

use super::{
    Artifact, Message, Part, Presentation, Role, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
    growing_text::GrowingText,
    project::{project, whole_artifact},
};
use baton_types::{AnswerPlacement, ContextId, MessageId, TaskEvent, TaskId, TextStreaming, Timestamp};
use std::borrow::Cow;

/// Turns what a subscriber is fed into what it is shown, in the form that it reads.
///
/// Open text is not shown, or as chunks of an artifact with the id of the message that it will become, or as `working`
/// statuses with the text so far. When text that was shown as an artifact turns out not to be the answer (a preamble to
/// tool calls, a try that was abandoned, a failed run), the projector takes it back, so that what a client holds at the
/// end is what `GetTask` returns.
#[derive(Clone, Debug)]
pub struct StreamProjector {
    task: TaskId,
    context: ContextId,
    presentation: Presentation,
    shown: Option<MessageId>,
    growing: GrowingText,
    /// The last answer, which an artifact has.
    answered: Option<MessageId>,
    /// Until the first numbered event of a resumed stream, text of an attempt may have been shown by the stream before.
    resumed: bool,
}

/// What one fed item becomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Projected<'a> {
    /// Takes back text that was shown; goes first and has no number.
    pub retraction: Option<StreamResponse<'a>>,
    /// The item itself.
    pub item: Option<StreamResponse<'a>>,
}

/// How open text is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LiveText {
    Hidden,
    Chunks,
    Statuses,
}

impl StreamProjector {
    /// For a stream that begins with the task as it is.
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

    /// For a stream that goes on where another one broke off; `earlier` are the last events up to its cursor.
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
                event if shows(event) => projector.shown = None,
                _ => {}
            }
            projector.note_answer(event);
        }
        projector
    }

    fn live_text(&self) -> LiveText {
        match (self.presentation.text, self.presentation.answer) {
            (TextStreaming::Whole, _) => LiveText::Hidden,
            (TextStreaming::Chunks, AnswerPlacement::Status) => LiveText::Statuses,
            (TextStreaming::Chunks, AnswerPlacement::Artifact | AnswerPlacement::Both) => LiveText::Chunks,
        }
    }

    fn note_answer(&mut self, event: &TaskEvent) {
        if let TaskEvent::Answered { message, .. } = event {
            self.answered = Some(message.id.clone());
        }
    }

    /// A journaled event.
    pub fn event<'a>(&'a mut self, at: Timestamp, event: &'a TaskEvent) -> Projected<'a> {
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
        self.resumed &= !shows(event);
        self.note_answer(event);
        if shows(event) {
            self.growing = GrowingText::default();
        }
        let this = &*self;
        let answered = matches!(event, TaskEvent::StatusChanged { message: Some(message), .. }
            if this.answered.as_ref() == Some(&message.id));
        Projected {
            retraction: stale.map(|message| this.text(Cow::Owned(message.as_str().to_owned()), "", Piece::Last)),
            item: project(&this.task, &this.context, at, event, this.presentation, answered),
        }
    }

    /// All of the open text so far; replaces what was shown of it.
    pub fn open_text<'a>(&'a mut self, message: &'a MessageId, text: &'a str) -> Projected<'a> {
        match self.live_text() {
            LiveText::Hidden => Projected::default(),
            LiveText::Chunks => self.live(message, text, Piece::First),
            LiveText::Statuses => {
                let is_due = self.growing.replace(message, text);
                self.growing_status(message, is_due)
            }
        }
    }

    /// More of the open text, after `offset` bytes.
    pub fn delta<'a>(&'a mut self, message: &'a MessageId, offset: usize, text: &'a str) -> Projected<'a> {
        match self.live_text() {
            LiveText::Hidden => Projected::default(),
            LiveText::Chunks => {
                // Clients refuse to append to what they never saw.
                let known = self.shown.as_ref() == Some(message) && !self.resumed;
                self.live(message, text, if offset > 0 && known { Piece::Next } else { Piece::First })
            }
            LiveText::Statuses => {
                let is_due = self.growing.extend(message, offset, text);
                self.growing_status(message, is_due)
            }
        }
    }

    fn live<'a>(&'a mut self, message: &'a MessageId, text: &'a str, piece: Piece) -> Projected<'a> {
        let stale = self.shown.replace(message.clone()).filter(|shown| shown != message);
        self.resumed = false;
        let this = &*self;
        Projected {
            retraction: stale.map(|stale| this.text(Cow::Owned(stale.as_str().to_owned()), "", Piece::Last)),
            item: Some(this.text(Cow::Borrowed(message.as_str()), text, piece)),
        }
    }

    fn text<'a>(&'a self, id: Cow<'a, str>, text: &'a str, piece: Piece) -> StreamResponse<'a> {
        let artifact = Artifact { artifact_id: id, parts: vec![Part::text(text)], ..Artifact::default() };
        match piece {
            Piece::Last => whole_artifact(&self.task, &self.context, artifact),
            Piece::First | Piece::Next => StreamResponse::from(TaskArtifactUpdateEvent {
                task_id: Cow::Borrowed(self.task.as_str()),
                context_id: Cow::Borrowed(self.context.as_str()),
                artifact,
                append: matches!(piece, Piece::Next),
                last_chunk: false,
                metadata: None,
            }),
        }
    }

    fn growing_status<'a>(&'a self, message: &'a MessageId, is_due: bool) -> Projected<'a> {
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
        Projected { retraction: None, item: is_due.then(status) }
    }
}

#[derive(Clone, Copy)]
enum Piece {
    First,
    Next,
    Last,
}

/// Whether A2A shows the event at all.
fn shows(event: &TaskEvent) -> bool {
    !matches!(
        event,
        TaskEvent::Submitted { .. }
            | TaskEvent::Said { .. }
            | TaskEvent::Wished { .. }
            | TaskEvent::Wrote { .. }
            | TaskEvent::RunResumed { .. }
            | TaskEvent::RunPaused { .. }
            | TaskEvent::AttemptStarted { .. }
            | TaskEvent::ModelNoted { .. }
            | TaskEvent::Reasoned { .. }
            | TaskEvent::Compacted { .. }
            | TaskEvent::Guarded { .. }
            | TaskEvent::ToolStarted { .. }
            | TaskEvent::ToolAsked { .. }
            | TaskEvent::ToolAnswered { .. }
            | TaskEvent::HandoffAsked { .. }
            | TaskEvent::HandoffAnswered { .. }
    )
}
