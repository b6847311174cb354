//! Asking a model.

use baton_types::{AgentName, AgentSpec, CallId, Json, MessageId, ToolCall, ToolSpec, Usage};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc, time::Duration};

/// Everything a model is given for one call.
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// Which agent asks.
    pub agent: AgentName,
    /// The system prompt.
    pub system: String,
    /// The conversation, oldest first; every tool call is followed by its result.
    pub messages: Vec<ChatMessage>,
    /// Tools on offer.
    pub tools: Vec<ToolSpec>,
    /// Whether tools may, must or must not be called.
    pub tool_choice: ToolChoice,
    /// The form of the answer.
    pub format: OutputFormat,
    /// Which model call of the run, from 1.
    pub turn: u32,
    /// Which try at this turn, from 1.
    pub attempt: u32,
    /// The id that the answer will have.
    pub message_id: MessageId,
    /// Metadata of the latest user message, a JSON object.
    pub metadata: Option<Json>,
}

/// One message of the conversation as models know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatMessage {
    /// From the caller.
    User {
        /// The message's own id.
        id: MessageId,
        /// Its text; data parts follow as JSON.
        text: String,
    },
    /// From the agent.
    Assistant {
        /// What it said; may be empty when it called tools.
        text: String,
        /// What it called.
        calls: Vec<ToolCall>,
    },
    /// The result of one call.
    Tool {
        /// The call.
        call: CallId,
        /// Which tool.
        name: String,
        /// The result, as the model reads it.
        output: Json,
        /// Whether the tool failed.
        is_error: bool,
        /// The caller's message that said just this, as the answer to a question does; no further message repeats it.
        said: Option<MessageId>,
    },
}

/// Whether a model may call tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Not at all.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// The form of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// Words.
    #[default]
    Text,
    /// Any JSON object.
    JsonObject,
    /// JSON that fits a schema.
    JsonSchema(Json),
}

/// One step of a model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEvent {
    /// More of the answer.
    Text(String),
    /// More of the reasoning; shown, never stored as answer.
    Reasoning(String),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// The end; always last.
    Done {
        /// What the call used.
        usage: Usage,
        /// Why it ended.
        finish: Finish,
    },
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It said all it had to say.
    Stop,
    /// It waits for tool results.
    ToolCalls,
    /// It ran out of room.
    Length,
    /// It declined.
    Refusal,
}

/// Why a model call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The service said no; may be tried again after a while when `retry_after` says so.
    #[error("the model answered status {status}: {message}")]
    Refused {
        /// HTTP-like status.
        status: u16,
        /// What the service said.
        message: String,
        /// When it may be tried again.
        retry_after: Option<Duration>,
    },
    /// The agent's model settings cannot work.
    #[error("the model is not configured: {0}")]
    Configuration(String),
    /// The stream broke off.
    #[error("the model's stream ended early: {0}")]
    Interrupted(String),
}

/// A model's answer as it comes; dropping it stops the model.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// Somebody who answers.
pub trait Model: Send + Sync + 'static {
    /// The name recorded with answers, such as `playbook`.
    fn name(&self) -> &str;

    /// Begins an answer.
    fn call(&self, call: ModelCall) -> ModelStream;
}

/// Finds the model of an agent.
pub trait Models: Send + Sync + 'static {
    /// The model that answers for this definition.
    fn model(&self, agent: &AgentSpec) -> Result<Arc<dyn Model>, ModelError>;
}
