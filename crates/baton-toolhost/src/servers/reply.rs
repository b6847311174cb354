//! What servers give, and why they do not.

use baton_types::ToolSpec;
use rmcp::model::{ErrorData, InputRequests, Prompt, Tool};
use std::time::Duration;

/// How far a call came.
#[derive(Clone, Debug)]
pub enum ServerReply<T = rmcp::model::CallToolResult> {
    /// To its end.
    Done(T),
    /// To questions; the same call goes on with the answers and the state.
    Asks {
        /// The questions by key: sampling, elicitation, roots.
        requests: InputRequests,
        /// To be given back with the answers.
        state: Option<String>,
    },
}

/// Why a server gave nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ServerError {
    /// The agent has no such server.
    #[error("no MCP server is called '{server}'")]
    Unknown {
        /// The name that was asked for.
        server: String,
    },
    /// It is switched off, failed, waits for a login, or is not there yet.
    #[error("the MCP server '{server}' is not ready: {reason}")]
    NotReady {
        /// Which.
        server: String,
        /// Why, and what to do.
        reason: String,
    },
    /// No sign of life, or not done in time; the server was told to stop.
    #[error("the MCP server '{server}' did not answer within {limit:?}")]
    TimedOut {
        /// Which.
        server: String,
        /// The limit that was reached.
        limit: Duration,
    },
    /// The connection broke during the call; whether the call had effects is unknown.
    #[error("the connection to the MCP server '{server}' broke: {reason}")]
    Broken {
        /// Which.
        server: String,
        /// What is known about it.
        reason: String,
    },
    /// The server refused, in the protocol's own words.
    #[error("the MCP server '{server}' refused: {}", error.message)]
    Refused {
        /// Which.
        server: String,
        /// As it was said.
        error: Box<ErrorData>,
    },
    /// The state names no call that waits for answers: it expired, or belongs to another caller.
    #[error("the question has expired; make the call again")]
    Expired,
    /// Something is wrong with the call itself.
    #[error("{reason}")]
    Invalid {
        /// What, and what to do.
        reason: String,
    },
}

/// A tool of a server as an agent has it.
#[derive(Clone, Debug)]
pub struct OfferedTool {
    /// As models see it: exposed name, cleaned description, permission.
    pub spec: ToolSpec,
    /// The server's key.
    pub server: String,
    /// As the server defined it, under its own name.
    pub definition: Tool,
}

/// A prompt of a server as an agent has it.
#[derive(Clone, Debug)]
pub struct OfferedPrompt {
    /// The exposed name.
    pub name: String,
    /// The server's key.
    pub server: String,
    /// As the server defined it, under its own name.
    pub definition: Prompt,
}

/// Something that belongs to a server.
#[derive(Clone, Debug)]
pub struct ServerItem<T> {
    /// The server's key.
    pub server: String,
    /// The thing.
    pub item: T,
}

/// What changed at a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEvent {
    /// What it offers as tools.
    Tools,
    /// What it offers as prompts.
    Prompts,
    /// What it offers as resources.
    Resources,
    /// One resource that somebody subscribed to.
    ResourceUpdated {
        /// The server's key.
        server: String,
        /// Which.
        uri: String,
    },
    /// Where it stands.
    Status,
}
