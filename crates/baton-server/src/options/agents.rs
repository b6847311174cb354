//! Options of the local agents.

use baton_ports::AgentStorage;
use baton_types::{AgentResources, AgentSpec, ToolExecution};
use std::{fmt, path::PathBuf, sync::Arc};

/// Sources of local agents.
#[derive(Clone, Default)]
pub struct AgentOptions {
    /// Agents that are part of the program; they cannot be changed at runtime and hide stored agents of the same name.
    pub program: Vec<ProgramAgent>,
    /// Directories of agents, or directories that contain them.
    pub paths: Vec<PathBuf>,
    /// The folder for agents that are created at runtime.
    pub folder: Option<PathBuf>,
    /// Storage of agents besides directories, in memory by default; it keeps new agents if there is no folder.
    pub storage: Option<Arc<dyn AgentStorage>>,
    /// Data directory with the persisted names of agents.
    pub names: Option<PathBuf>,
    /// Where tools run, for all agents; the setting of each agent if not given.
    pub tool_execution: Option<ToolExecution>,
    /// The agents that the server needs to open.
    pub requirement: AgentRequirement,
}

impl fmt::Debug for AgentOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentOptions").field("paths", &self.paths).field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// An agent that is part of the program, with its resources.
#[derive(Clone, Debug)]
pub struct ProgramAgent {
    /// The definition.
    pub spec: Arc<AgentSpec>,
    /// MCP servers and exported tools.
    pub resources: Arc<AgentResources>,
}

/// The agents that a server needs to open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentRequirement {
    /// None; entries that cannot be used are reported later.
    #[default]
    Unchecked,
    /// At least one usable agent.
    Required,
    /// As `Required`, unless agents can be created in a folder or the directories are empty.
    Optional,
    /// At least one usable agent, or a remote agent whose card is not known yet.
    Reachable,
}
