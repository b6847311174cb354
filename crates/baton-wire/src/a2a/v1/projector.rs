//! One stream of A2A events out of journaled events and live text.

use super::{
    Artifact, Part, StreamResponse, TaskArtifactUpdateEvent,
    project::{project, whole_artifact},
};
use baton_types::{ContextId, MessageId, TaskEvent, TaskId, Timestamp};
use std::borrow::Cow;

/// Turns what a subscriber is fed into what it is shown.
///
/// Open text is shown as an artifact with the id of the message it will become. When the text turns out not to be
/// the answer (a preamble to tool calls, a try that was abandoned, a failed run), the projector takes it back, so that
/// what a client holds at the end is what `GetTask` returns.
#[derive(Clone, Debug)]
pub struct StreamProjector {
    task: TaskId,
    context: ContextId,
    shown: Option<MessageId>,
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

impl StreamProjector {
    /// For a stream that begins with the task as it is.
    pub fn new(task: TaskId, context: ContextId) -> Self {
        Self { task, context, shown: None, resumed: false }
    }

    /// For a stream that goes on where another one broke off; `earlier` are the last events up to its cursor.
    pub fn resumed<'e>(task: TaskId, context: ContextId, earlier: impl IntoIterator<Item = &'e TaskEvent>) -> Self {
        let mut projector = Self { resumed: true, ..Self::new(task, context) };
        for event in earlier {
            match event {
                TaskEvent::AttemptStarted { message, .. } => projector.shown = Some(message.clone()),
                event if shows(event) => projector.shown = None,
                _ => {}
            }
        }
        projector
    }

    /// A journaled event.
    pub fn event<'a>(&'a mut self, at: Timestamp, event: &'a TaskEvent) -> Projected<'a> {
        let stale = match event {
            TaskEvent::AttemptStarted { message, .. } => {
                let stale = self.shown.take_if(|shown| shown != message);
                if self.resumed {
                    self.shown = Some(message.clone());
                }
                stale
            }
            TaskEvent::Answered { message, .. } => self.shown.take().filter(|shown| *shown != message.id),
            TaskEvent::ToolsCalled { .. } | TaskEvent::StatusChanged { .. } => self.shown.take(),
            _ => None,
        };
        self.resumed &= !shows(event);
        let this = &*self;
        Projected {
            retraction: stale.map(|message| this.text(Cow::Owned(message.as_str().to_owned()), "", Piece::Last)),
            item: project(&this.task, &this.context, at, event),
        }
    }

    /// All of the open text so far; replaces what was shown of it.
    pub fn open_text<'a>(&'a mut self, message: &'a MessageId, text: &'a str) -> Projected<'a> {
        self.live(message, text, Piece::First)
    }

    /// More of the open text, after `offset` bytes.
    pub fn delta<'a>(&'a mut self, message: &'a MessageId, offset: usize, text: &'a str) -> Projected<'a> {
        // Clients refuse to append to what they never saw.
        let known = self.shown.as_ref() == Some(message) && !self.resumed;
        self.live(message, text, if offset > 0 && known { Piece::Next } else { Piece::First })
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
