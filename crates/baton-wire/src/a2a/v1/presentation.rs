//! Presentation of a task to a caller: placement of the answer, text streaming, visibility of tool calls.

use super::{Message, Part};
use baton_types::{A2aSettings, AnswerPlacement, ControlTools, Json, TaskState, TaskView, TextDelivery, ToolExecution};

/// Presentation of a task and its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Placement of the answer.
    pub answer: AnswerPlacement,
    /// Whether text is streamed while it is generated.
    pub text: TextDelivery,
    /// Whether `working` statuses contain the calls that the agent runs.
    pub calls: CallVisibility,
}

/// Whether `working` statuses contain the data part with the calls that the agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallVisibility {
    /// All calls.
    Shown,
    /// Only the calls that the caller runs, without control tools.
    Callers,
    /// No calls: some clients print every part of a message.
    Hidden,
}

/// Presentation that a request selects with extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PresentationRequest {
    /// [`super::STREAM_TEXT`]: artifact chunks while text is generated.
    pub stream_text: bool,
    /// [`super::TOOL_CALLS`]: calls that the agent runs.
    pub tool_calls: bool,
}

impl Presentation {
    /// Includes everything; used by Baton's own API.
    pub const FULL: Self =
        Self { answer: AnswerPlacement::Both, text: TextDelivery::Chunks, calls: CallVisibility::Shown };

    /// The presentation for a caller. The request takes precedence over settings, and settings over the default: one
    /// complete artifact, or the answer as a status if the caller runs the tools.
    pub fn resolve(settings: A2aSettings, tools: ToolExecution, request: PresentationRequest) -> Self {
        let by_caller = tools == ToolExecution::Caller;
        let default = if by_caller { AnswerPlacement::Status } else { AnswerPlacement::Artifact };
        let answer = match settings.answer.unwrap_or(default) {
            // Chunks require an artifact.
            AnswerPlacement::Status if request.stream_text => AnswerPlacement::Artifact,
            answer => answer,
        };
        let live = if answer == AnswerPlacement::Status { TextDelivery::Chunks } else { TextDelivery::Whole };
        let text = if request.stream_text { TextDelivery::Chunks } else { settings.stream_text.unwrap_or(live) };
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

    /// Whether the completed status omits its message; `answered`: an artifact contains the same text.
    pub(super) fn omits_status_message(&self, answered: bool) -> bool {
        self.answer == AnswerPlacement::Artifact && answered
    }

    /// The message of the task's status, unless an artifact contains the same text.
    pub(super) fn status_message<'a>(&self, view: &'a TaskView) -> Option<&'a baton_types::Message> {
        let message = view.status_message.as_ref()?;
        let omitted = view.state == TaskState::Completed && self.omits_status_message(view.has_artifact_of(message));
        Some(message).filter(|_| !omitted)
    }

    /// The visible artifacts of the task.
    pub(super) fn artifacts<'a>(&self, view: &'a TaskView) -> impl Iterator<Item = &'a baton_types::Artifact> {
        let all = self.has_answer_artifacts();
        view.artifacts.iter().filter(move |artifact| all || !is_answer(artifact, view))
    }

    /// The message of a `working` status that reports calls; `None` if nothing of it is visible.
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

/// Whether the artifact is an answer: its id is that of a message of the task.
fn is_answer(artifact: &baton_types::Artifact, view: &TaskView) -> bool {
    let messages = view.history.iter().chain(&view.status_message);
    messages.rev().any(|message| message.id.as_str() == artifact.id.as_str())
}

/// The calls of a data part; `None` if the part contains no calls.
fn calls_in(part: &Part<'_>) -> Option<Vec<Json>> {
    #[derive(serde::Deserialize)]
    struct ToolCallsData {
        tool_calls: Vec<Json>,
    }
    part.data.as_ref()?.read::<ToolCallsData>().ok().map(|calls| calls.tool_calls)
}

/// Removes the calls of control tools from a part; returns false if no calls are left.
fn keep_callers_calls(part: &mut Part<'_>) -> bool {
    #[derive(serde::Deserialize)]
    struct ToolCallName {
        name: String,
    }
    let Some(mut calls) = calls_in(part) else { return true };
    let count = calls.len();
    let is_control =
        |call: &Json| call.read::<ToolCallName>().is_ok_and(|call| ControlTools::NAMES.contains(&call.name.as_str()));
    calls.retain(|call| !is_control(call));
    if calls.len() < count {
        part.data = Json::from_serializable(&std::collections::BTreeMap::from([("tool_calls", &calls)])).ok();
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
    fn callers_see_the_calls_that_they_run() {
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
    fn request_overrides_settings_and_settings_override_defaults() {
        use AnswerPlacement::{Artifact, Both, Status};
        use TextDelivery::{Chunks, Whole};
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
