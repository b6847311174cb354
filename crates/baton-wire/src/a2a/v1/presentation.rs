//! Which form a caller sees a task in: where the answer stands, whether text comes in pieces, whether calls are shown.

use super::{Message, Part};
use baton_types::{A2aSettings, AnswerPlacement, TaskState, TaskView, TextStreaming, ToolExecution};

/// The form of a task and of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Where the answer stands.
    pub answer: AnswerPlacement,
    /// Whether text is shown while it is written.
    pub text: TextStreaming,
    /// Whether `working` statuses carry calls that the agent runs itself.
    pub calls: CallVisibility,
}

/// Whether `working` statuses carry the data part of calls that the agent runs itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallVisibility {
    /// They do.
    Shown,
    /// They do not: some clients print every part of a message.
    Hidden,
}

/// What a request asks for with extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PresentationRequest {
    /// [`super::STREAM_TEXT`]: artifact chunks while text is written.
    pub stream_text: bool,
    /// [`super::TOOL_CALLS`]: calls that the agent runs itself.
    pub tool_calls: bool,
}

impl Presentation {
    /// Everything in every place: for Baton's own API.
    pub const FULL: Self =
        Self { answer: AnswerPlacement::Both, text: TextStreaming::Chunks, calls: CallVisibility::Shown };

    /// The form for a caller. A request goes before settings, and settings before the default: one whole
    /// artifact, or the answer as a status where the caller runs the tools.
    pub fn resolve(settings: A2aSettings, tools: ToolExecution, request: PresentationRequest) -> Self {
        let by_caller = tools == ToolExecution::Caller;
        let default = if by_caller { AnswerPlacement::Status } else { AnswerPlacement::Artifact };
        let answer = match settings.answer.unwrap_or(default) {
            // Chunks are pieces of an artifact.
            AnswerPlacement::Status if request.stream_text => AnswerPlacement::Artifact,
            answer => answer,
        };
        let live = if answer == AnswerPlacement::Status { TextStreaming::Chunks } else { TextStreaming::Whole };
        let text = if request.stream_text { TextStreaming::Chunks } else { settings.stream_text.unwrap_or(live) };
        let shown = by_caller || request.tool_calls;
        Self { answer, text, calls: if shown { CallVisibility::Shown } else { CallVisibility::Hidden } }
    }

    /// Whether answers are artifacts.
    pub(super) fn has_answer_artifacts(&self) -> bool {
        self.answer != AnswerPlacement::Status
    }

    /// Whether the completed status leaves out the message with this id, because an artifact has the same text.
    pub(super) fn omits_status_message(&self, answered: bool) -> bool {
        self.answer == AnswerPlacement::Artifact && answered
    }

    /// The message of the task's status, unless an artifact has the same text.
    pub(super) fn status_message<'a>(&self, view: &'a TaskView) -> Option<&'a baton_types::Message> {
        let message = view.status_message.as_ref()?;
        let omitted = view.state == TaskState::Completed && self.omits_status_message(view.has_artifact_of(message));
        Some(message).filter(|_| !omitted)
    }

    /// The artifacts of the task that are shown.
    pub(super) fn artifacts<'a>(&self, view: &'a TaskView) -> impl Iterator<Item = &'a baton_types::Artifact> {
        let all = self.has_answer_artifacts();
        view.artifacts.iter().filter(move |artifact| all || !is_answer(artifact, view))
    }

    /// The message of a `working` status that reports calls; `None` when nothing of it is shown.
    pub(super) fn calls_message<'a>(&self, mut message: Message<'a>) -> Option<Message<'a>> {
        if self.calls == CallVisibility::Hidden {
            message.parts.retain(|part| !is_calls_part(part));
            message.parts.retain(|part| part.text.as_deref() != Some(""));
        }
        Some(message).filter(|message| !message.parts.is_empty())
    }
}

impl Default for Presentation {
    fn default() -> Self {
        Self::resolve(A2aSettings::default(), ToolExecution::Agent, PresentationRequest::default())
    }
}

/// Whether the artifact is an answer: it has the id of a message of the agent.
fn is_answer(artifact: &baton_types::Artifact, view: &TaskView) -> bool {
    let messages = view.history.iter().chain(&view.status_message);
    messages.rev().any(|message| message.id.as_str() == artifact.id.as_str())
}

fn is_calls_part(part: &Part<'_>) -> bool {
    #[derive(serde::Deserialize)]
    struct Calls {
        #[serde(rename = "tool_calls")]
        _calls: Vec<serde::de::IgnoredAny>,
    }
    part.data.as_ref().is_some_and(|data| data.read::<Calls>().is_ok())
}
