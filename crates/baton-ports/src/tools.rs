//! Running the tools of an agent, local or remote.

use crate::{BoxFuture, ChangeStream};
use baton_types::{
    AgentName, AgentSpec, Json, McpTool, Principal, Role, TaskId, ToolAnswers, ToolCall, ToolInputRequest, ToolSpec,
};
use std::time::Duration;

/// Output of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// Any JSON value; plain text is a JSON string.
    pub output: Json,
    /// Whether the tool failed; the output then describes the error for the model.
    pub is_error: bool,
}

/// Outcome of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// The call is complete.
    Done(ToolOutput),
    /// The tool requires input; the same call continues with the answers.
    InputRequired(ToolInputRequest),
}

/// One tool call with its context.
#[derive(Clone, Copy)]
pub struct ToolInvocation<'a> {
    /// The agent that owns the tool.
    pub agent: &'a AgentSpec,
    /// The tool.
    pub tool: &'a ToolSpec,
    /// The call.
    pub call: &'a ToolCall,
    /// The principal that the agent works for.
    pub principal: &'a Principal,
    /// The task, when the call is part of one.
    pub task: Option<&'a TaskId>,
    /// W3C trace context.
    pub trace: Option<&'a str>,
    /// Answers to earlier questions of the same call.
    pub answers: Option<&'a ToolAnswers>,
    /// Services of the host for the tool.
    pub helper: &'a dyn ToolHelper,
}

/// Services that a running tool can request from its host.
pub trait ToolHelper: Send + Sync {
    /// Requests a completion from a model; the error is a reason for the tool.
    fn sample(&self, request: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>>;

    /// Handoff depth of work that the tool gives to agents.
    fn depth(&self) -> u32 {
        0
    }

    /// The task of a remote agent that left the call to its client.
    fn remote_task(&self) -> Option<TaskId> {
        None
    }

    /// Receives progress of the call.
    fn progress(&self, progress: ToolProgress) {
        let _ = progress;
    }
}

/// Sampling request of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SamplingRequest {
    /// The requested system prompt.
    pub system: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<(Role, String)>,
    /// Maximum number of tokens.
    pub max_tokens: Option<u32>,
    /// The agent that shall answer instead of a model.
    pub agent_uri: Option<String>,
    /// The conversation that the agent shall continue.
    pub context: Option<String>,
    /// Handoff depth of the work, as declared by the tool.
    pub depth: u32,
    /// The tool's id for the handoff.
    pub handoff: Option<String>,
}

/// Result of a sampling request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SamplingResult {
    /// The text.
    pub text: String,
    /// Name of the model, or `a2a-agent`, optionally followed by a slash and the agent's name.
    pub model: String,
    /// The task of the answering agent.
    pub task: Option<String>,
    /// The conversation with that agent.
    pub context: Option<String>,
}

/// Progress of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolProgress {
    /// Completed amount.
    pub done: f64,
    /// Total amount.
    pub total: Option<f64>,
    /// Description of the progress.
    pub message: Option<String>,
}

/// Status of an agent's MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its name in the definition.
    pub name: String,
    /// `stdio`, `http`, `sse` or `internal`.
    pub transport: String,
    /// Current state.
    pub state: ServerState,
    /// Negotiated protocol version, once known.
    pub protocol: Option<String>,
    /// Number of tools.
    pub tools: usize,
    /// Reason why it is not ready.
    pub reason: Option<String>,
    /// Remedy for that reason.
    pub hint: Option<String>,
    /// The last lines of its standard error.
    pub log: Vec<String>,
}

/// State of an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// Disabled in the definition.
    Disabled,
    /// Not needed yet.
    Idle,
    /// Starting up.
    Starting,
    /// Its tools can be called.
    Ready,
    /// Failed; retried after a delay.
    Failed,
    /// A login is required.
    NeedsLogin,
}

impl ServerState {
    /// Stable name of the state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Idle => "idle",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::NeedsLogin => "needs_login",
        }
    }
}

/// Runs tools; dropping the future stops the tool.
pub trait ToolHost: Send + Sync + 'static {
    /// Runs one call until it ends or requires input; tool failures are outputs, not errors.
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome>;

    /// Tools of the agent beyond its definition, sorted by name, without denied tools; waits at most this long for
    /// servers that are starting.
    fn available_tools<'a>(&'a self, agent: &'a AgentSpec, timeout: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        let _ = (agent, timeout);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Finds a tool by name: of the agent's definition, or of one of its servers. Waits at most this long for a server
    /// that is starting and could provide it.
    fn find_tool<'a>(
        &'a self,
        agent: &'a AgentSpec,
        name: &'a str,
        timeout: Duration,
    ) -> BoxFuture<'a, Option<ToolSpec>> {
        Box::pin(async move {
            if let Some(own) = agent.tools.iter().find(|tool| tool.name == name) {
                return Some(own.clone());
            }
            for timeout in [Duration::ZERO, timeout] {
                let offered = self.available_tools(agent, timeout).await;
                if let Some(tool) = offered.into_iter().find(|tool| tool.name == name) {
                    return Some(tool);
                }
                if !self.may_provide_tool(&agent.name, name) {
                    break;
                }
            }
            None
        })
    }

    /// Tools of the agent's servers that are denied or disabled, sorted by the names that they would have; waits at
    /// most this long for servers that are starting.
    fn denied_tools<'a>(&'a self, agent: &'a AgentSpec, timeout: Duration) -> BoxFuture<'a, Vec<(String, McpTool)>> {
        let _ = (agent, timeout);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Whether a server that is starting could provide a tool of this name.
    fn may_provide_tool(&self, agent: &AgentName, tool: &str) -> bool {
        let _ = (agent, tool);
        false
    }

    /// Status of the agent's servers.
    fn servers(&self, agent: &AgentName) -> Vec<ServerStatus> {
        let _ = agent;
        Vec::new()
    }

    /// Yields when the result of [`ToolHost::available_tools`] may have changed for this agent.
    fn changes(&self, agent: &AgentName) -> ChangeStream {
        let _ = agent;
        crate::agents::no_changes()
    }
}
