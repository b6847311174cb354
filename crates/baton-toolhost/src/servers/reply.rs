//! Results and errors of servers.

use baton_types::ToolSpec;
use rmcp::model::{ErrorData, InputRequests, Prompt, Tool};
use std::time::Duration;

/// Outcome of a call.
#[derive(Clone, Debug)]
pub enum ServerReply<T = rmcp::model::CallToolResult> {
    /// The call is complete.
    Done(T),
    /// The server asks questions; the same call continues with the answers and the state.
    InputRequired {
        /// The questions by key: sampling, elicitation, roots.
        requests: InputRequests,
        /// To be returned with the answers.
        state: Option<String>,
    },
}

/// Server error.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ServerError {
    /// The agent has no such server.
    #[error("no MCP server is called '{server}'")]
    Unknown {
        /// The requested name.
        server: String,
    },
    /// The server is disabled, failed, waits for a login, or is still starting.
    #[error("the MCP server '{server}' is not ready: {reason}")]
    NotReady {
        /// The server.
        server: String,
        /// Cause and remedy.
        reason: String,
    },
    /// No activity or no result in time; the call was cancelled.
    #[error("the MCP server '{server}' did not answer within {limit:?}")]
    TimedOut {
        /// The server.
        server: String,
        /// The exceeded limit.
        limit: Duration,
    },
    /// The connection broke during the call; whether the call had effects is unknown.
    #[error("the connection to the MCP server '{server}' broke: {reason}")]
    Broken {
        /// The server.
        server: String,
        /// Known cause.
        reason: String,
    },
    /// The server returned a protocol error.
    #[error("the MCP server '{server}' refused: {}", error.message)]
    Rejected {
        /// The server.
        server: String,
        /// The protocol error.
        error: Box<ErrorData>,
    },
    /// The state matches no call that waits for answers: it expired, or belongs to another caller.
    #[error("the question has expired; make the call again")]
    Expired,
    /// The call is invalid.
    #[error("{reason}")]
    Invalid {
        /// Cause and remedy.
        reason: String,
    },
}

/// A server tool exposed to an agent.
#[derive(Clone, Debug)]
pub struct OfferedTool {
    /// Specification for models: exposed name, sanitized description, permission.
    pub spec: ToolSpec,
    /// The server's key.
    pub server: String,
    /// The server's definition, with the name at the server.
    pub definition: Tool,
}

/// A server prompt exposed to an agent.
#[derive(Clone, Debug)]
pub struct OfferedPrompt {
    /// The exposed name.
    pub name: String,
    /// The server's key.
    pub server: String,
    /// The server's definition, with the name at the server.
    pub definition: Prompt,
}

/// An item with its server.
#[derive(Clone, Debug)]
pub struct ServerItem<T> {
    /// The server's key.
    pub server: String,
    /// The item.
    pub item: T,
}

/// A change at a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEvent {
    /// Its tools changed.
    Tools,
    /// Its prompts changed.
    Prompts,
    /// Its resources changed.
    Resources,
    /// A subscribed resource changed.
    ResourceUpdated {
        /// The server's key.
        server: String,
        /// The resource.
        uri: String,
    },
    /// Its status changed.
    Status,
}
