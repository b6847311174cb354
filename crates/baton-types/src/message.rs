//! What people and agents say to each other.

use crate::{ArtifactId, ContextId, Json, MessageId, TaskId};
use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The caller of the agent, a person or another agent.
    User,
    /// The agent.
    Agent,
}

/// One complete utterance; partial text is never a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Chosen by whoever wrote it.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// The content; never empty.
    pub parts: Vec<Part>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextId>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// A JSON object of the writer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the message uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Earlier tasks that it refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_tasks: Vec<TaskId>,
}

impl Message {
    /// A message with these parts and nothing else.
    pub fn new(id: MessageId, role: Role, parts: Vec<Part>) -> Self {
        Self {
            id,
            role,
            parts,
            context: None,
            task: None,
            metadata: None,
            extensions: Vec::new(),
            reference_tasks: Vec::new(),
        }
    }

    /// The same message, placed in a task and its conversation.
    #[must_use]
    pub fn within(mut self, context: &ContextId, task: &TaskId) -> Self {
        self.context = Some(context.clone());
        self.task = Some(task.clone());
        self
    }

    /// About how many bytes its content takes.
    pub fn weight(&self) -> usize {
        self.parts.iter().map(Part::weight).sum::<usize>()
            + self.metadata.as_ref().map_or(0, |json| json.as_str().len())
    }

    /// All text parts, one per line.
    pub fn text(&self) -> String {
        let mut lines = self.parts.iter().filter_map(|part| match &part.content {
            PartContent::Text(text) if !text.is_empty() => Some(text.as_str()),
            _ => None,
        });
        let mut text = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            text.push('\n');
            text.push_str(line);
        }
        text
    }
}

/// One piece of a message or an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What it holds.
    pub content: PartContent,
    /// A JSON object of the writer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// A file name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// The MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

impl Part {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: PartContent::Text(text.into()), metadata: None, filename: None, media_type: None }
    }

    /// About how many bytes its content takes.
    pub fn weight(&self) -> usize {
        let content = match &self.content {
            PartContent::Text(text) | PartContent::Raw(text) | PartContent::Url(text) => text.len(),
            PartContent::Data(data) => data.as_str().len(),
        };
        content + self.metadata.as_ref().map_or(0, |json| json.as_str().len())
    }

    /// Structured data.
    pub fn data(data: Json) -> Self {
        Self { content: PartContent::Data(data), metadata: None, filename: None, media_type: None }
    }
}

/// The content of a [`Part`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartContent {
    /// Text.
    Text(String),
    /// Bytes, as standard base64 text.
    Raw(String),
    /// A link to the content.
    Url(String),
    /// Any JSON value.
    Data(Json),
}

/// An output of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Unique within the task.
    pub id: ArtifactId,
    /// A name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The content; never empty.
    pub parts: Vec<Part>,
    /// A JSON object of the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl Artifact {
    /// An answer as an output: it has the id and the parts of the message.
    pub fn of_answer(answer: &Message) -> Self {
        Self {
            id: answer.id.as_str().into(),
            name: Some("answer".to_owned()),
            description: None,
            parts: answer.parts.clone(),
            metadata: None,
        }
    }
}
