//! Messages and artifacts exchanged between callers and agents.

use crate::{ArtifactId, ContextId, Json, MessageId, TaskId};
use serde::{Deserialize, Serialize};

/// Author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Caller of the agent: a person or another agent.
    User,
    /// The agent.
    Agent,
}

/// One complete message; partial text is never a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Id chosen by the author.
    pub id: MessageId,
    /// Author.
    pub role: Role,
    /// Content; never empty.
    pub parts: Vec<Part>,
    /// Conversation of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextId>,
    /// Task of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// JSON object set by the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the message uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Earlier tasks that the message refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_tasks: Vec<TaskId>,
}

impl Message {
    /// Creates a message with these parts and no other fields.
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

    /// Sets the context and the task of the message.
    #[must_use]
    pub fn with_task(mut self, context: &ContextId, task: &TaskId) -> Self {
        self.context = Some(context.clone());
        self.task = Some(task.clone());
        self
    }

    /// Approximate content size in bytes.
    pub fn weight(&self) -> usize {
        self.parts.iter().map(Part::weight).sum::<usize>()
            + self.metadata.as_ref().map_or(0, |json| json.as_str().len())
    }

    /// Non-empty text parts joined by newlines.
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

/// One part of a message or an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Content of the part.
    pub content: PartContent,
    /// JSON object set by the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// File name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

impl Part {
    /// Creates a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: PartContent::Text(text.into()), metadata: None, filename: None, media_type: None }
    }

    /// Approximate content size in bytes.
    pub fn weight(&self) -> usize {
        let content = match &self.content {
            PartContent::Text(text) | PartContent::Raw(text) | PartContent::Url(text) => text.len(),
            PartContent::Data(data) => data.as_str().len(),
        };
        content + self.metadata.as_ref().map_or(0, |json| json.as_str().len())
    }

    /// Creates a data part.
    pub fn data(data: Json) -> Self {
        Self { content: PartContent::Data(data), metadata: None, filename: None, media_type: None }
    }
}

/// Content of a [`Part`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartContent {
    /// Text.
    Text(String),
    /// Bytes as standard base64 text.
    Raw(String),
    /// URL of the content.
    Url(String),
    /// Any JSON value.
    Data(Json),
}

/// Output of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Unique within the task.
    pub id: ArtifactId,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Content; never empty.
    pub parts: Vec<Part>,
    /// JSON object set by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl Artifact {
    /// Artifact for an answer, with the id and the parts of the message.
    pub fn from_answer(answer: &Message) -> Self {
        Self {
            id: answer.id.as_str().into(),
            name: Some("answer".to_owned()),
            description: None,
            parts: answer.parts.clone(),
            metadata: None,
        }
    }
}
