//! Calls to chat models.

use baton_types::{
    AgentName, AgentSpec, CallId, GenerationSettings, Json, MessageId, ModelNote, ReasoningBlock, ToolCall, ToolSpec,
    Usage,
};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc, time::Duration};

/// The complete input of one model call.
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// The calling agent.
    pub agent: AgentName,
    /// The system prompt.
    pub system: String,
    /// The conversation, oldest first; every tool call is followed by its result.
    pub messages: Vec<ChatMessage>,
    /// Available tools.
    pub tools: Vec<ToolSpec>,
    /// Whether tools may, must or must not be called.
    pub tool_choice: ToolChoice,
    /// The output format.
    pub format: OutputFormat,
    /// Sampling and output settings.
    pub writing: GenerationSettings,
    /// Whether the model may call several tools in parallel.
    pub parallel_calls: bool,
    /// Number of the model call in the run, from 1.
    pub turn: u32,
    /// Number of the attempt at this turn, from 1.
    pub attempt: u32,
    /// The id of the future answer.
    pub message_id: MessageId,
    /// Metadata of the latest user message, a JSON object.
    pub metadata: Option<Json>,
}

/// One chat message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatMessage {
    /// From the caller.
    User {
        /// Id of the message.
        id: MessageId,
        /// Its text; data parts follow as JSON.
        text: String,
        /// Attached images, documents and audio.
        files: Vec<ChatFile>,
    },
    /// From the agent.
    Assistant {
        /// The text; may be empty if tools were called.
        text: String,
        /// The tool calls.
        calls: Vec<ToolCall>,
        /// The reasoning, if it must be returned to the same model.
        reasoning: Option<ReasoningBlock>,
    },
    /// The result of one call.
    Tool {
        /// Id of the call.
        call: CallId,
        /// Name of the tool.
        name: String,
        /// The result, as the model reads it.
        output: Json,
        /// Whether the tool failed.
        is_error: bool,
        /// The caller's message with the same content, such as the answer to a question; it is not repeated as a
        /// separate message.
        answer_message: Option<MessageId>,
    },
}

/// A file attachment for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatFile {
    /// Its name, when it has one.
    pub name: Option<String>,
    /// MIME type.
    pub media_type: String,
    /// The content or its address.
    pub content: ChatFileContent,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatFileContent {
    /// Bytes, as standard base64 text.
    Bytes(Arc<str>),
    /// An address that the model provider can fetch.
    Url(String),
}

/// Whether a model may call tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool calls.
    None,
    /// At least one tool call.
    Required,
    /// A call of this tool.
    Named(String),
}

/// Output format of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// Plain text.
    #[default]
    Text,
    /// Any JSON object.
    JsonObject,
    /// JSON that matches a schema.
    JsonSchema(Json),
}

/// One event of a model's answer stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEvent {
    /// A text delta of the answer.
    Text(String),
    /// A reasoning delta; displayed, never stored as part of the answer.
    Reasoning(String),
    /// The complete reasoning; sent before the end if the provider needs it in the next request.
    ReasoningComplete(ReasoningBlock),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// A noteworthy event during the call; earlier text stays valid.
    Note(ModelNote),
    /// End of the answer; always the last event.
    Done {
        /// Token usage of the call.
        usage: Usage,
        /// Reason for the end.
        finish: FinishReason,
        /// The model that answered, as `provider:model`, if it is not the requested one.
        answered_by: Option<String>,
    },
}

/// Reason for the end of a model's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The answer is complete.
    Stop,
    /// The model waits for tool results.
    ToolCalls,
    /// The output limit was reached.
    Length,
    /// The model declined to answer.
    Refusal,
}

/// Error of a model call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider returned an error status.
    #[error("the model answered status {status}: {message}")]
    Refused {
        /// HTTP-like status.
        status: u16,
        /// Message of the provider.
        message: String,
        /// Retry information of the provider.
        advice: RetryAdvice,
    },
    /// The conversation exceeds the model's context window.
    #[error("the conversation does not fit the model's window: {0}")]
    TooLong(String),
    /// The provider was unreachable or timed out before any part of the answer.
    #[error("the model's service cannot be reached: {0}")]
    Unreachable(String),
    /// The provider did not start to answer in time.
    #[error("the model's service did not answer in time: {0}")]
    TimedOut(String),
    /// The agent's model settings are invalid.
    #[error("the model is not configured: {0}")]
    Configuration(String),
    /// The stream broke off.
    #[error("the model's stream ended early: {0}")]
    Interrupted(String),
}

/// A provider's information about retries of a refused request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryAdvice {
    /// The requested delay before another attempt. Clients get it with the final error, so that they can retry later.
    pub wait: Option<Duration>,
    /// Whether the account's quota is exhausted, so that waiting does not help.
    pub quota_exhausted: bool,
}

/// A model's answer stream; dropping it stops the model.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// A chat model that streams its completion.
pub trait Model: Send + Sync + 'static {
    /// The name recorded with answers: `playbook`, or `provider:model`.
    fn name(&self) -> &str;

    /// Known properties of the model.
    fn model_info(&self) -> ModelInfo {
        ModelInfo::default()
    }

    /// Approximate number of tokens of a text; for limits, never for billing.
    fn tokens(&self, text: &str) -> u64 {
        u64::try_from(text.len().div_ceil(4)).unwrap_or(u64::MAX)
    }

    /// Current cost of this usage; `None` if unknown.
    fn price(&self, usage: Usage) -> Option<MicroDollars> {
        let _ = usage;
        None
    }

    /// Current cost of this usage for the answering model `by`, as named in [`ModelEvent::Done`]; the models of a
    /// fallback chain differ in price.
    fn price_for(&self, by: &str, usage: Usage) -> Option<MicroDollars> {
        if by == self.name() { self.price(usage) } else { None }
    }

    /// Starts an answer.
    fn call(&self, call: ModelCall) -> ModelStream;
}

/// Known properties of a model; absent values are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelInfo {
    /// The provider as the GenAI conventions name it, such as `openai` or `aws.bedrock`.
    pub provider: Option<String>,
    /// Size of the context window in tokens, input and output together.
    pub window: Option<u64>,
    /// Maximum number of output tokens per call.
    pub max_output: Option<u64>,
    /// Whether the model accepts images.
    pub images: Option<bool>,
}

/// Millionths of a dollar.
pub type MicroDollars = u64;

/// Resolves the model of an agent.
pub trait ModelResolver: Send + Sync + 'static {
    /// The model for this definition.
    fn model(&self, agent: &AgentSpec) -> Result<Arc<dyn Model>, ModelError>;
}
