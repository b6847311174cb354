//! Asking a model.

use baton_types::{
    AgentName, AgentSpec, CallId, Json, MessageId, ModelNote, Reasoning, ToolCall, ToolSpec, Usage, Writing,
};
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
    /// How the model writes.
    pub writing: Writing,
    /// Whether it may call several tools at once.
    pub parallel_calls: bool,
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
        /// Pictures, documents and sound that came with it.
        files: Vec<ChatFile>,
    },
    /// From the agent.
    Assistant {
        /// What it said; may be empty when it called tools.
        text: String,
        /// What it called.
        calls: Vec<ToolCall>,
        /// What it thought, when the same model is to be given that back.
        reasoning: Option<Reasoning>,
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

/// A file as a model is given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatFile {
    /// Its name, when it has one.
    pub name: Option<String>,
    /// MIME type.
    pub media_type: String,
    /// The content, or where it is.
    pub content: ChatFileContent,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatFileContent {
    /// Bytes, as standard base64 text.
    Bytes(Arc<str>),
    /// Where the model's service finds it.
    Url(String),
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
    /// All of the reasoning, once it is complete; comes before the end when the service wants it back.
    Reasoned(Reasoning),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// Something happened on the way that is worth a record; text that came before it stays.
    Note(ModelNote),
    /// The end; always last.
    Done {
        /// What the call used.
        usage: Usage,
        /// Why it ended.
        finish: Finish,
        /// Who answered, as `provider:model`, when that is not who was asked.
        by: Option<String>,
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
        /// What the service said about repeating the request.
        advice: RetryAdvice,
    },
    /// The conversation is longer than the model's window.
    #[error("the conversation does not fit the model's window: {0}")]
    TooLong(String),
    /// The service was not reached, or did not answer in time; nothing of the answer was heard.
    #[error("the model's service cannot be reached: {0}")]
    Unreachable(String),
    /// The service did not begin to answer in time.
    #[error("the model's service did not answer in time: {0}")]
    TimedOut(String),
    /// The agent's model settings cannot work.
    #[error("the model is not configured: {0}")]
    Configuration(String),
    /// The stream broke off.
    #[error("the model's stream ended early: {0}")]
    Interrupted(String),
}

/// What a service says about repeating a request that it refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryAdvice {
    /// How long it asked to wait; kept when no other try is made here, for callers that may come back.
    pub wait: Option<Duration>,
    /// Whether the account has no quota left, so that waiting does not help.
    pub quota_exhausted: bool,
}

/// A model's answer as it comes; dropping it stops the model.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// Somebody who answers.
pub trait Model: Send + Sync + 'static {
    /// The name recorded with answers: `playbook`, or `provider:model`.
    fn name(&self) -> &str;

    /// What is known about it.
    fn about(&self) -> ModelAbout {
        ModelAbout::default()
    }

    /// About how many tokens a text is; for bounds, never for bills.
    fn tokens(&self, text: &str) -> u64 {
        u64::try_from(text.len().div_ceil(4)).unwrap_or(u64::MAX)
    }

    /// What that much use costs now; none when nobody knows.
    fn price(&self, usage: Usage) -> Option<MicroDollars> {
        let _ = usage;
        None
    }

    /// What that much use costs now when `by` answered, as the end of the answer names it; a chain of models has several
    /// prices.
    fn price_by(&self, by: &str, usage: Usage) -> Option<MicroDollars> {
        if by == self.name() { self.price(usage) } else { None }
    }

    /// Begins an answer.
    fn call(&self, call: ModelCall) -> ModelStream;
}

/// What is known about a model; what is not given nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelAbout {
    /// The provider as the GenAI conventions name it, such as `openai` or `aws.bedrock`.
    pub provider: Option<String>,
    /// Tokens that fit its window, read and written together.
    pub window: Option<u64>,
    /// Tokens that it writes at most in one call.
    pub max_output: Option<u64>,
    /// Whether it looks at pictures.
    pub images: Option<bool>,
}

/// Millionths of a dollar.
pub type MicroDollars = u64;

/// Finds the model of an agent.
pub trait Models: Send + Sync + 'static {
    /// The model that answers for this definition.
    fn model(&self, agent: &AgentSpec) -> Result<Arc<dyn Model>, ModelError>;
}
