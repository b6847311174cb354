//! Running the tools that an agent has, wherever they live.

use crate::{BoxFuture, Changes};
use baton_types::{
    AgentName, AgentSpec, Json, McpTool, Principal, Role, TaskId, ToolAnswers, ToolAsk, ToolCall, ToolSpec,
};
use std::time::Duration;

/// What a tool gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// Any JSON value; plain text is a JSON string.
    pub output: Json,
    /// Whether the tool failed; the output then says how, for the model.
    pub is_error: bool,
}

/// How far a call came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// To its end.
    Done(ToolOutput),
    /// To a question; the same call goes on with the answers.
    Asks(ToolAsk),
}

/// One call, with everything that running it may need.
#[derive(Clone, Copy)]
pub struct ToolRun<'a> {
    /// Whose tool.
    pub agent: &'a AgentSpec,
    /// Which.
    pub tool: &'a ToolSpec,
    /// The call.
    pub call: &'a ToolCall,
    /// For whom the agent works.
    pub principal: &'a Principal,
    /// The task, when the call is part of one.
    pub task: Option<&'a TaskId>,
    /// W3C trace context.
    pub trace: Option<&'a str>,
    /// Answers to what the same call asked before.
    pub answers: Option<&'a ToolAnswers>,
    /// What the tool may ask of its host.
    pub helper: &'a dyn ToolHelper,
}

/// What a tool may ask of whoever runs it, while it runs.
pub trait ToolHelper: Send + Sync {
    /// Has a model write something; the error says why it did not, for the tool.
    fn sample(&self, ask: SampleAsk) -> BoxFuture<'_, Result<Sampled, String>>;

    /// How often the work that a tool would give to agents has been handed over then.
    fn depth(&self) -> u32 {
        0
    }

    /// The task of an agent elsewhere that left the call to its caller.
    fn remote_task(&self) -> Option<TaskId> {
        None
    }

    /// Hears how far a call got.
    fn progress(&self, progress: ToolProgress) {
        let _ = progress;
    }
}

/// What a tool would like a model to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleAsk {
    /// The system prompt that the tool wants.
    pub system: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<(Role, String)>,
    /// At most this many tokens.
    pub max_tokens: Option<u32>,
    /// The agent that is meant to answer instead of a model.
    pub agent_uri: Option<String>,
    /// The conversation that the agent is meant to go on with.
    pub context: Option<String>,
    /// How often the work has been handed over then, as far as the tool says.
    pub depth: u32,
    /// What the tool calls the handing over.
    pub handoff: Option<String>,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    /// The words.
    pub text: String,
    /// Who wrote them: a model's name, or `a2a-agent`, which a slash and the agent's name may follow.
    pub model: String,
    /// The task of the agent that answered.
    pub task: Option<String>,
    /// The conversation with it.
    pub context: Option<String>,
}

/// How far a call got.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolProgress {
    /// How much is done.
    pub done: f64,
    /// Of how much.
    pub total: Option<f64>,
    /// In words.
    pub message: Option<String>,
}

/// Where an MCP server of an agent stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its name in the definition.
    pub name: String,
    /// `stdio`, `http`, `sse` or `internal`.
    pub transport: String,
    /// Where it stands.
    pub state: ServerState,
    /// The protocol version that is spoken, once it is.
    pub protocol: Option<String>,
    /// How many tools it has.
    pub tools: usize,
    /// Why it is not ready.
    pub reason: Option<String>,
    /// What to do about that.
    pub hint: Option<String>,
    /// The last lines it wrote to its standard error.
    pub log: Vec<String>,
}

/// The states of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// Switched off in the definition.
    Disabled,
    /// Nobody needed it yet.
    Idle,
    /// On its way.
    Starting,
    /// Its tools can be called.
    Ready,
    /// It failed, and is tried again after a while.
    Failed,
    /// Somebody has to log in.
    NeedsLogin,
}

impl ServerState {
    /// The word for it.
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
    /// Runs one call until it ends or asks; failures of the tool are outputs, not errors.
    fn call<'a>(&'a self, run: ToolRun<'a>) -> BoxFuture<'a, ToolOutcome>;

    /// Tools that the agent has beside those of its definition, sorted by name, none of them denied; waits at most
    /// this long for servers that are on their way.
    fn offered<'a>(&'a self, agent: &'a AgentSpec, patience: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        let _ = (agent, patience);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Tools of the agent's servers that it is not offered because they are denied or switched off, by the names under
    /// which they would be, sorted; waits at most this long for servers that are on their way.
    fn hidden<'a>(&'a self, agent: &'a AgentSpec, patience: Duration) -> BoxFuture<'a, Vec<(String, McpTool)>> {
        let _ = (agent, patience);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Whether a server that is on its way could bring a tool of this name.
    fn may_come(&self, agent: &AgentName, tool: &str) -> bool {
        let _ = (agent, tool);
        false
    }

    /// Where the agent's servers stand.
    fn servers(&self, agent: &AgentName) -> Vec<ServerStatus> {
        let _ = agent;
        Vec::new()
    }

    /// Yields after what [`ToolHost::offered`] gives may have changed for this agent.
    fn changes(&self, agent: &AgentName) -> Changes {
        let _ = agent;
        crate::agents::no_changes()
    }
}
