//! What happens in a task, step by step, read from its A2A stream.

use baton_types::{Json, Reason};
use baton_wire::a2a::v1::{
    Artifact, HANDOFF_KEY, Message, Part, REASON_KEY, StreamResponse, TOOL_RESULT_KEY, Task, TaskState,
    TaskStatusUpdateEvent,
};
use serde::Deserialize;
use std::collections::HashMap;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The stream begins with the task as it is.
    Began {
        /// The task.
        task: String,
        /// Where it stands.
        status: Status,
    },
    /// The agent asked for tools.
    Called(Vec<Call>),
    /// A tool gave its result.
    Gave {
        /// Which tool.
        name: String,
        /// What a person reads of it.
        output: String,
        /// Whether the tool failed.
        failed: bool,
    },
    /// Work went to another agent.
    HandedOver {
        /// The receiver.
        agent: String,
        /// The receiver's task.
        task: String,
    },
    /// An output came or grew.
    Text(Piece),
    /// The task moved.
    Moved(Status),
}

/// One tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// Its id.
    pub(crate) id: String,
    /// Which tool.
    pub(crate) name: String,
    /// Its arguments as JSON.
    pub(crate) arguments: String,
}

/// What somebody wants to know before it goes on; at most one of `schema`, `url` and `approval` is there, and with none
/// of them words are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct InputRequest {
    /// The task whose call it is, when work was handed over.
    #[serde(default)]
    pub(crate) task_id: Option<String>,
    /// The call that waits.
    #[serde(default)]
    pub(crate) call_id: Option<String>,
    /// Which of its questions.
    #[serde(default)]
    pub(crate) key: Option<String>,
    /// Who asks.
    #[serde(default)]
    pub(crate) agent: Option<String>,
    /// What is asked.
    #[serde(default)]
    pub(crate) message: String,
    /// JSON Schema of the form that the answer fits.
    #[serde(default)]
    pub(crate) schema: Option<Json>,
    /// An address that somebody should visit.
    #[serde(default)]
    pub(crate) url: Option<String>,
    /// The arguments of a call that needs leave.
    #[serde(default)]
    pub(crate) approval: Option<Json>,
    /// Of the arguments.
    #[serde(default)]
    pub(crate) digest: Option<String>,
}

/// A piece of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Which output.
    pub(crate) id: String,
    /// The name of a published output; open text has none.
    pub(crate) name: Option<String>,
    /// The text of the piece.
    pub(crate) text: String,
    /// Whether it goes on where the last piece ended.
    pub(crate) append: bool,
    /// Whether the output is complete.
    pub(crate) last: bool,
}

impl Piece {
    /// Whether earlier text under this id is taken back.
    pub(crate) fn is_retraction(&self) -> bool {
        self.last && !self.append && self.text.is_empty() && self.name.is_none()
    }

    /// Whether this is the agent's final word rather than another output.
    pub(crate) fn is_answer(&self) -> bool {
        self.name.as_deref().is_none_or(|name| name == "answer")
    }
}

/// Where a task stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    /// The state.
    pub(crate) state: TaskState,
    /// What the agent says about it.
    pub(crate) says: String,
    /// The tool calls that the caller is asked to make.
    pub(crate) calls: Vec<Call>,
    /// What tools of the agent want to know before they go on.
    pub(crate) asks: Vec<InputRequest>,
    /// Why it did not complete.
    pub(crate) reason: Option<Reason>,
}

impl Status {
    /// Where this task stands.
    pub(crate) fn of(task: &Task<'_>) -> Self {
        let mut status = Self::new(task.status.state, task.status.message.as_ref(), None);
        if status.state == TaskState::Completed && status.says.is_empty() {
            let mut answers = task.artifacts.iter().flatten().rev();
            let answer = answers.find(|artifact| artifact.name.as_deref() == Some("answer"));
            status.says = answer.map(|answer| text_of(&answer.parts)).unwrap_or_default();
        }
        status
    }

    fn new(state: TaskState, message: Option<&Message<'_>>, reason: Option<Reason>) -> Self {
        let says = message.map(|message| text_of(&message.parts)).unwrap_or_default();
        let calls = message.map(|message| calls_of(&message.parts)).unwrap_or_default();
        let asks = message.map(|message| asks_of(&message.parts)).unwrap_or_default();
        Self { state, says, calls, asks, reason }
    }

    /// Whether nothing more comes without the caller.
    pub(crate) fn is_settled(&self) -> bool {
        !matches!(self.state, TaskState::Submitted | TaskState::Working | TaskState::Unspecified)
    }
}

impl Step {
    /// The step behind a stream item, if it is one.
    pub(crate) fn read(item: &StreamResponse<'_>) -> Option<Self> {
        if let Some(task) = &item.task {
            return Some(Self::Began { task: task.id.clone().into_owned(), status: Status::of(task) });
        }
        if let Some(update) = &item.artifact_update {
            let (append, last) = (update.append, update.last_chunk);
            return Some(Self::Text(Piece::of(&update.artifact, append, last)));
        }
        item.status_update.as_ref().map(Self::of_status)
    }

    fn of_status(update: &TaskStatusUpdateEvent<'_>) -> Self {
        let mut notes: HashMap<String, Json> =
            update.metadata.as_ref().and_then(|metadata| metadata.read().ok()).unwrap_or_default();
        if let Some(note) = notes.remove(TOOL_RESULT_KEY).and_then(|note| note.read::<ResultNote>().ok()) {
            let ResultNote { name, output, is_error } = note;
            return Self::Gave { name, output: gist(&output), failed: is_error };
        }
        if let Some(note) = notes.remove(HANDOFF_KEY).and_then(|note| note.read::<HandoffNote>().ok()) {
            return Self::HandedOver { agent: note.agent, task: note.task_id };
        }
        let reason = notes.remove(REASON_KEY).and_then(|note| note.read().ok());
        let status = Status::new(update.status.state, update.status.message.as_ref(), reason);
        match status.is_settled() || status.calls.is_empty() {
            true => Self::Moved(status),
            false => Self::Called(status.calls),
        }
    }
}

impl Piece {
    fn of(artifact: &Artifact<'_>, append: bool, last: bool) -> Self {
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

/// What a person reads of a tool's output; of what another agent gave back, its words.
pub(crate) fn gist(output: &Json) -> String {
    #[derive(Deserialize)]
    struct HandedBack {
        response: String,
    }
    match output.read::<HandedBack>() {
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

fn calls_of(parts: &[Part<'_>]) -> Vec<Call> {
    let notes = parts.iter().filter_map(|part| part.data.as_ref()?.read::<CallsNote>().ok());
    notes
        .flat_map(|note| note.tool_calls)
        .map(|call| Call { id: call.call_id, name: call.name, arguments: call.arguments.as_str().to_owned() })
        .collect()
}

fn asks_of(parts: &[Part<'_>]) -> Vec<InputRequest> {
    let notes = parts.iter().filter_map(|part| part.data.as_ref()?.read::<RequestsNote>().ok());
    notes.flat_map(|note| note.input_requests).collect()
}
