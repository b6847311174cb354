//! Steps of a task, parsed from its A2A stream.

use baton_types::{FailureReason, Json};
use baton_wire::a2a::v1::{
    Artifact, HANDOFF_KEY, Message, Part, REASON_KEY, StreamResponse, TOOL_RESULT_KEY, Task, TaskState,
    TaskStatusUpdateEvent,
};
use serde::Deserialize;
use std::collections::HashMap;

/// One step of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaskStep {
    /// The first item of a stream: the current task.
    Snapshot { task: String, status: StepStatus },
    /// The agent called tools.
    ToolCalls(Vec<StepToolCall>),
    /// A tool returned its result.
    ToolResult {
        name: String,
        /// Readable text of the result.
        output: String,
        failed: bool,
    },
    /// The agent handed work over to another agent.
    Handoff {
        /// The receiver.
        agent: String,
        /// The receiver's task.
        task: String,
    },
    /// New or appended output text.
    Text(OutputChunk),
    /// The task status changed.
    StatusChange(StepStatus),
}

/// One tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepToolCall {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Its arguments as JSON.
    pub(crate) arguments: String,
}

/// Input that a task or a tool needs to continue. At most one of `schema`, `url` and `approval` is set; without any of
/// them, free text is expected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct InputRequest {
    /// The task of the call, if the request came from a handoff.
    #[serde(default)]
    pub(crate) task_id: Option<String>,
    /// The pending call.
    #[serde(default)]
    pub(crate) call_id: Option<String>,
    /// Key of the question within the call.
    #[serde(default)]
    pub(crate) key: Option<String>,
    /// The agent that asks.
    #[serde(default)]
    pub(crate) agent: Option<String>,
    /// The question.
    #[serde(default)]
    pub(crate) message: String,
    /// JSON Schema of the answer.
    #[serde(default)]
    pub(crate) schema: Option<Json>,
    /// A URL that the user should visit.
    #[serde(default)]
    pub(crate) url: Option<String>,
    /// The arguments of a call that needs approval.
    #[serde(default)]
    pub(crate) approval: Option<Json>,
    /// Digest of the arguments.
    #[serde(default)]
    pub(crate) digest: Option<String>,
}

/// A chunk of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputChunk {
    /// Id of the output.
    pub(crate) id: String,
    /// The name of a published output; open text has none.
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    /// Whether the text continues the previous chunk.
    pub(crate) append: bool,
    /// Whether the output is complete.
    pub(crate) last: bool,
}

impl OutputChunk {
    /// Whether the chunk retracts earlier text with this id.
    pub(crate) fn is_retraction(&self) -> bool {
        self.last && !self.append && self.text.is_empty() && self.name.is_none()
    }

    /// Whether the output is the agent's answer.
    pub(crate) fn is_answer(&self) -> bool {
        self.name.as_deref().is_none_or(|name| name == "answer")
    }
}

/// Status of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepStatus {
    pub(crate) state: TaskState,
    /// Text of the status message; for a completed task, the answer.
    pub(crate) message: String,
    /// The tool calls that the caller must run.
    pub(crate) calls: Vec<StepToolCall>,
    /// Pending input requests of the agent's tools.
    pub(crate) input_requests: Vec<InputRequest>,
    /// Reason why the task did not complete.
    pub(crate) reason: Option<FailureReason>,
}

impl StepStatus {
    /// Status of an A2A task.
    pub(crate) fn from_task(task: &Task<'_>) -> Self {
        let mut status = Self::new(task.status.state, task.status.message.as_ref(), None);
        if status.state == TaskState::Completed && status.message.is_empty() {
            let mut answers = task.artifacts.iter().flatten().rev();
            let answer = answers.find(|artifact| artifact.name.as_deref() == Some("answer"));
            status.message = answer.map(|answer| text_of(&answer.parts)).unwrap_or_default();
        }
        status
    }

    fn new(state: TaskState, message: Option<&Message<'_>>, reason: Option<FailureReason>) -> Self {
        let text = message.map(|message| text_of(&message.parts)).unwrap_or_default();
        let calls = message.map(|message| calls_of(&message.parts)).unwrap_or_default();
        let input_requests = message.map(|message| input_requests_of(&message.parts)).unwrap_or_default();
        Self { state, message: text, calls, input_requests, reason }
    }

    /// Whether the task stays as it is until the caller acts.
    pub(crate) fn is_settled(&self) -> bool {
        !matches!(self.state, TaskState::Submitted | TaskState::Working | TaskState::Unspecified)
    }
}

impl TaskStep {
    /// The step of a stream item, if any.
    pub(crate) fn from_stream_item(item: &StreamResponse<'_>) -> Option<Self> {
        if let Some(task) = &item.task {
            return Some(Self::Snapshot { task: task.id.clone().into_owned(), status: StepStatus::from_task(task) });
        }
        if let Some(update) = &item.artifact_update {
            let (append, last) = (update.append, update.last_chunk);
            return Some(Self::Text(OutputChunk::from_artifact(&update.artifact, append, last)));
        }
        item.status_update.as_ref().map(Self::from_status_update)
    }

    fn from_status_update(update: &TaskStatusUpdateEvent<'_>) -> Self {
        let mut notes: HashMap<String, Json> =
            update.metadata.as_ref().and_then(|metadata| metadata.read().ok()).unwrap_or_default();
        if let Some(note) = notes.remove(TOOL_RESULT_KEY).and_then(|note| note.read::<ResultNote>().ok()) {
            let ResultNote { name, output, is_error } = note;
            return Self::ToolResult { name, output: output_summary(&output), failed: is_error };
        }
        if let Some(note) = notes.remove(HANDOFF_KEY).and_then(|note| note.read::<HandoffNote>().ok()) {
            return Self::Handoff { agent: note.agent, task: note.task_id };
        }
        let reason = notes.remove(REASON_KEY).and_then(|note| note.read().ok());
        let status = StepStatus::new(update.status.state, update.status.message.as_ref(), reason);
        match status.is_settled() || status.calls.is_empty() {
            true => Self::StatusChange(status),
            false => Self::ToolCalls(status.calls),
        }
    }
}

impl OutputChunk {
    fn from_artifact(artifact: &Artifact<'_>, append: bool, last: bool) -> Self {
        Self {
            id: artifact.artifact_id.clone().into_owned(),
            name: artifact.name.as_ref().map(|name| name.clone().into_owned()),
            text: text_of(&artifact.parts),
            append,
            last,
        }
    }
}

#[derive(Deserialize)]
struct ResultNote {
    name: String,
    output: Json,
    #[serde(default)]
    is_error: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HandoffNote {
    agent: String,
    task_id: String,
}

#[derive(Deserialize)]
struct CallsNote {
    tool_calls: Vec<CallNote>,
}

#[derive(Deserialize)]
struct RequestsNote {
    input_requests: Vec<InputRequest>,
}

#[derive(Deserialize)]
struct CallNote {
    call_id: String,
    name: String,
    arguments: Json,
}

/// Readable text of a tool's output; for a handoff, the response of the other agent.
pub(crate) fn output_summary(output: &Json) -> String {
    #[derive(Deserialize)]
    struct HandoffReply {
        response: String,
    }
    match output.read::<HandoffReply>() {
        Ok(handed_back) => handed_back.response,
        Err(_) => output.to_plain_text(),
    }
}

/// All text of the parts, one per line.
pub(crate) fn text_of(parts: &[Part<'_>]) -> String {
    let texts: Vec<&str> =
        parts.iter().filter_map(|part| part.text.as_deref()).filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}

fn calls_of(parts: &[Part<'_>]) -> Vec<StepToolCall> {
    let notes = parts.iter().filter_map(|part| part.data.as_ref()?.read::<CallsNote>().ok());
    notes
        .flat_map(|note| note.tool_calls)
        .map(|call| StepToolCall { id: call.call_id, name: call.name, arguments: call.arguments.as_str().to_owned() })
        .collect()
}

fn input_requests_of(parts: &[Part<'_>]) -> Vec<InputRequest> {
    let notes = parts.iter().filter_map(|part| part.data.as_ref()?.read::<RequestsNote>().ok());
    notes.flat_map(|note| note.input_requests).collect()
}
