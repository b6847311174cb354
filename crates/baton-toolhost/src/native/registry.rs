//! Registry of the native functions of agents.

use super::{Tool, call, schema};
use baton_ports::{BoxFuture, ToolHost, ToolInvocation, ToolOutcome, ToolOutput};
use baton_types::{AgentName, ErrorCode, ToolSpec};
use std::collections::BTreeMap;

/// A tool that cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tool '{tool}' of the agent '{agent}' {reason}")]
pub struct ToolProblem {
    /// The agent.
    pub agent: AgentName,
    /// The name of the tool.
    pub tool: String,
    /// Cause and remedy.
    pub reason: &'static str,
}

impl ToolProblem {
    /// The stable error code.
    pub fn code(&self) -> ErrorCode {
        ErrorCode::AGENT_INVALID
    }
}

/// Native functions by agent and name; filled before agents are served.
#[derive(Debug, Default)]
pub struct NativeTools {
    tools: BTreeMap<AgentName, BTreeMap<String, Tool>>,
}

impl NativeTools {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a function for an agent.
    pub fn add(&mut self, agent: &AgentName, tool: Tool) -> Result<(), ToolProblem> {
        let name = tool.spec.name.clone();
        let problem = |reason| Err(ToolProblem { agent: agent.clone(), tool: name.clone(), reason });
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(is_allowed) {
            return problem("needs a name of 1 to 64 of the characters A-Z, a-z, 0-9, _ and -");
        }
        if !schema::is_object(&tool.spec.parameters.to_value()) {
            return problem("must take a struct with named fields, so that its arguments have names");
        }
        let tools = self.tools.entry(agent.clone()).or_default();
        if tools.contains_key(&name) {
            return problem("was registered before; give one of them another name");
        }
        tools.insert(name, tool);
        Ok(())
    }

    /// The tool specifications of an agent, sorted by name.
    pub fn specs(&self, agent: &AgentName) -> Vec<ToolSpec> {
        self.tools.get(agent).into_iter().flat_map(BTreeMap::values).map(|tool| tool.spec.clone()).collect()
    }

    async fn run_call(&self, run: ToolInvocation<'_>) -> ToolOutput {
        match self.tools.get(&run.agent.name).and_then(|tools| tools.get(&run.tool.name)) {
            Some(tool) => call::call(tool, run).await,
            None => call::failed(format!(
                "{} was not run: this program has no such function\nWhat to do: tell the user; the tool was there when \
                 the work began.",
                run.call.name
            )),
        }
    }
}

impl ToolHost for NativeTools {
    /// Runs one call; failures and panics become outputs.
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move { ToolOutcome::Done(self.run_call(run).await) })
    }
}
