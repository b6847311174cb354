//! The agents to serve: the good ones, and what is wrong with the others.

use crate::failure::Failure;
use baton_agentdir::{AGENT_FILE, Diagnostic};
use baton_local::{DirectoryAgents, LoadError, SpecCheck};
use baton_ports::AgentSource;
use baton_types::{AgentName, AgentSpec, ModelSpec, ToolExecution};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Agents that work, and remarks about all of them.
pub(crate) struct Loaded {
    /// The agents, by name.
    pub(crate) agents: Vec<Arc<AgentSpec>>,
    /// Errors of those that do not work, warnings of those that do.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads the agents below the paths; one that does not work never keeps another from being served.
pub(crate) fn load(paths: &[PathBuf], tools: Option<ToolExecution>) -> Result<Loaded, Failure> {
    let check: SpecCheck = Arc::new(playbook_remarks);
    let source = match DirectoryAgents::load_checked(paths, Arc::clone(&check)) {
        Ok(all) => return Ok(loaded(&all, all.warnings().to_vec(), tools)),
        Err(LoadError::Invalid(diagnostics)) => good_ones(paths, &check).map(|good| (good, diagnostics)),
        Err(error) => Err(error),
    };
    match source {
        Ok((Some(good), diagnostics)) => Ok(loaded(&good, diagnostics, tools)),
        Ok((None, diagnostics)) => Ok(Loaded { agents: Vec::new(), diagnostics }),
        Err(error @ (LoadError::Missing { .. } | LoadError::Empty { .. })) => {
            Err(Failure::new(error.code(), error.to_string())
                .hint("Name a directory that holds agents, or change to one."))
        }
        Err(error) => Err(Failure::new(error.code(), error.to_string())),
    }
}

fn loaded(source: &DirectoryAgents, diagnostics: Vec<Diagnostic>, tools: Option<ToolExecution>) -> Loaded {
    let chosen = |agent: Arc<AgentSpec>| match tools {
        Some(tools) if agent.tool_execution != tools => {
            Arc::new(AgentSpec { tool_execution: tools, ..AgentSpec::clone(&agent) })
        }
        _ => agent,
    };
    Loaded { agents: source.agents().into_iter().map(chosen).collect(), diagnostics }
}

/// The agents among these that load, if any do.
fn good_ones(paths: &[PathBuf], check: &SpecCheck) -> Result<Option<DirectoryAgents>, LoadError> {
    let directories = paths.iter().flat_map(|path| directories(path));
    let good: Vec<PathBuf> = directories
        .filter(|directory| DirectoryAgents::load_checked(std::slice::from_ref(directory), Arc::clone(check)).is_ok())
        .collect();
    match good.is_empty() {
        true => Ok(None),
        false => DirectoryAgents::load_checked(&good, Arc::clone(check)).map(Some),
    }
}

/// The path itself when it is an agent, else the agents in it.
fn directories(path: &Path) -> Vec<PathBuf> {
    if path.is_file() || path.join(AGENT_FILE).is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|child| child.join(AGENT_FILE).is_file()).collect()
}

fn playbook_remarks(agent: &AgentSpec) -> Vec<Diagnostic> {
    let ModelSpec::Playbook { rules } = &agent.model else { return Vec::new() };
    rules.as_deref().map(baton_models::check).unwrap_or_default()
}

/// A fixed set of agents as the engine's port.
pub(super) struct FixedAgents(pub(super) Vec<Arc<AgentSpec>>);

impl AgentSource for FixedAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.clone()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.0.iter().find(|agent| agent.name == *name).cloned()
    }
}
