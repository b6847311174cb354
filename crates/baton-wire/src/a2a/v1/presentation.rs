//! Which form a caller sees a task in: where the answer stands, whether text comes in pieces, whether calls are shown.

use super::{Message, Part};
use baton_types::{
    A2aSettings, AnswerPlacement, ControlTools, Json, TaskState, TaskView, TextStreaming, ToolExecution,
};

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
    /// They carry the calls that the caller makes, and none of the control tools.
    Callers,
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
        let calls = match (request.tool_calls, by_caller) {
            (true, _) => CallVisibility::Shown,
            (false, true) => CallVisibility::Callers,
            (false, false) => CallVisibility::Hidden,
        };
        Self { answer, text, calls }
    }

    /// Whether answers are artifacts.
    pub(super) fn has_answer_artifacts(&self) -> bool {
        self.answer != AnswerPlacement::Status
    }

    /// Whether the completed status leaves out its message; `answered` says that an artifact has the same text.
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
        match self.calls {
            CallVisibility::Shown => {}
            CallVisibility::Callers => message.parts.retain_mut(keep_callers_calls),
            CallVisibility::Hidden => message.parts.retain(|part| calls_in(part).is_none()),
        }
        message.parts.retain(|part| part.text.as_deref() != Some(""));
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

/// The calls of a data part; `None` when it is none of calls.
fn calls_in(part: &Part<'_>) -> Option<Vec<Json>> {
    #[derive(serde::Deserialize)]
    struct Calls {
        tool_calls: Vec<Json>,
    }
    part.data.as_ref()?.read::<Calls>().ok().map(|calls| calls.tool_calls)
}

/// Leaves the calls of control tools out of a part; false when nothing is left of it.
fn keep_callers_calls(part: &mut Part<'_>) -> bool {
    #[derive(serde::Deserialize)]
    struct Call {
        name: String,
    }
    let Some(mut calls) = calls_in(part) else { return true };
    let count = calls.len();
    let is_control =
        |call: &Json| call.read::<Call>().is_ok_and(|call| ControlTools::NAMES.contains(&call.name.as_str()));
    calls.retain(|call| !is_control(call));
    if calls.len() < count {
        part.data = Json::of(&std::collections::BTreeMap::from([("tool_calls", &calls)])).ok();
    }
    !calls.is_empty() && part.data.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(presentation: Presentation, parts: &serde_json::Value) -> Option<serde_json::Value> {
        let message: Message<'static> =
            serde_json::from_value(json!({"messageId": "m", "role": "ROLE_AGENT", "parts": parts})).unwrap();
        let message = presentation.calls_message(message)?;
        Some(serde_json::to_value(message.parts).unwrap())
    }

    #[test]
    fn callers_see_the_calls_that_they_make() {
        let call = |name: &str| json!({"call_id": name, "name": name, "arguments": {"n": 1}});
        let calls =
            |names: &[&str]| json!({"data": {"tool_calls": names.iter().map(|name| call(name)).collect::<Vec<_>>()}});
        let form = |tools, tool_calls| {
            let request = PresentationRequest { tool_calls, ..PresentationRequest::default() };
            Presentation::resolve(A2aSettings::default(), tools, request)
        };
        let (agent, caller) = (form(ToolExecution::Agent, false), form(ToolExecution::Caller, false));
        let all = form(ToolExecution::Caller, true);
        let both = json!([{"text": ""}, calls(&["look", "ask_user"])]);
        assert_eq!(shown(agent, &both), None);
        assert_eq!(shown(caller, &both), Some(json!([calls(&["look"])])));
        assert_eq!(shown(all, &both), Some(json!([calls(&["look", "ask_user"])])));
        assert_eq!(shown(caller, &json!([calls(&["ask_user"])])), None);
        assert_eq!(shown(agent, &json!([{"text": "Hm."}, calls(&["look"])])), Some(json!([{"text": "Hm."}])));
    }

    #[test]
    fn a_request_goes_before_settings_and_settings_before_the_default() {
        use AnswerPlacement::{Artifact, Both, Status};
        use TextStreaming::{Chunks, Whole};
        use ToolExecution::{Agent, Caller};
        for (answer, stream_text, tools, asked, expect) in [
            (None, None, Agent, false, (Artifact, Whole)),
            (None, None, Agent, true, (Artifact, Chunks)),
            (None, None, Caller, false, (Status, Chunks)),
            (None, None, Caller, true, (Artifact, Chunks)),
            (None, Some(Whole), Caller, false, (Status, Whole)),
            (Some(Artifact), None, Caller, false, (Artifact, Whole)),
            (Some(Status), None, Agent, false, (Status, Chunks)),
            (Some(Status), Some(Whole), Agent, true, (Artifact, Chunks)),
            (Some(Both), None, Agent, false, (Both, Whole)),
            (Some(Both), Some(Chunks), Caller, true, (Both, Chunks)),
        ] {
            let request = PresentationRequest { stream_text: asked, tool_calls: false };
            let form = Presentation::resolve(A2aSettings { answer, stream_text }, tools, request);
            assert_eq!((form.answer, form.text), expect, "{answer:?} {stream_text:?} {tools:?} {asked}");
        }
    }
}
