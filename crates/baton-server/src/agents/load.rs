//! Loads the local agents, with diagnostics.

use super::{AllAgents, LocalAgents};
use crate::{AgentOptions, AgentRequirement, PeerOptions, ServerError, peers};
use baton_document::Diagnostic;
use baton_local::{AdditionalSources, DirectoryAgents, LoadError, MemoryStorage, SpecCheck};
use baton_ports::{AgentSource as _, UnusableEntry};
use baton_types::{AgentListing, AgentSpec, ModelSpec};
use std::sync::Arc;

/// File in the data directory that maps agents to names.
const NAMES_FILE: &str = "agent-names.json";

/// Agents that a server with these options would serve.
#[derive(Clone, Debug, Default)]
pub struct AgentSummary {
    /// Usable agents.
    pub agents: Vec<Arc<AgentListing>>,
    /// Errors of unusable agents, warnings of usable ones.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loaded agents, and the problems of their files.
pub(crate) struct LoadedAgents {
    pub(crate) source: LocalAgents,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Entries that cannot be used.
    pub(crate) unusable: Vec<UnusableEntry>,
    /// Error if agents could not be loaded; the source has the others.
    pub(crate) error: Option<LoadError>,
}

/// Lists the local agents. An invalid agent never hides others.
pub fn list_local_agents(options: &AgentOptions) -> Result<AgentSummary, ServerError> {
    let LoadedAgents { source, diagnostics, error, .. } = load(options)?;
    match error {
        None => Ok(AgentSummary { agents: source.listings(), diagnostics }),
        Some(error) => Err(load_failure(error, diagnostics)),
    }
}

/// Lists local and remote agents. Sends no requests.
pub fn list_agents(options: &AgentOptions, peers: &PeerOptions) -> Result<AgentSummary, ServerError> {
    let LoadedAgents { source, diagnostics, error, .. } = load(options)?;
    // The agents of an incomplete source are not listed.
    let source = if error.is_some() { LocalAgents::none() } else { source };
    let locals = Arc::new(source);
    let registry = Arc::new(peers::open_registry(peers, &locals)?);
    let agents = AllAgents::new(peers.card_refresh, locals, registry).listings();
    match error {
        Some(error) if agents.is_empty() => Err(load_failure(error, diagnostics)),
        _ => Ok(AgentSummary { agents, diagnostics }),
    }
}

/// Error for agents that could not be loaded.
pub(crate) fn load_failure(error: LoadError, diagnostics: Vec<Diagnostic>) -> ServerError {
    ServerError::Agents { error, diagnostics }
}

/// Loads the agents; an invalid agent never prevents others from being served. Reads the disk.
pub(crate) fn load(options: &AgentOptions) -> Result<LoadedAgents, ServerError> {
    match load_usable(options) {
        Ok(directories) => {
            let diagnostics = directories.warnings().to_vec();
            let unusable = directories.unusable();
            Ok(LoadedAgents { source: local_agents(directories, options), diagnostics, unusable, error: None })
        }
        Err(error) => {
            let LoadedAgents { source, unusable, .. } = open(options)?;
            Ok(LoadedAgents { source, diagnostics: Vec::new(), unusable, error: Some(error) })
        }
    }
}

fn load_usable(options: &AgentOptions) -> Result<DirectoryAgents, LoadError> {
    // The folder for new agents may be missing; paths given explicitly must exist.
    if let Some(path) = options.paths.iter().find(|path| options.folder.is_some() && !path.exists()) {
        return Err(LoadError::Missing { path: path.clone() });
    }
    DirectoryAgents::load_with_sources(&options.paths, sources(options), check())
}

/// Loads the usable agents and ignores errors of the rest. Fails if the name file is unreadable, so that no agent is
/// served under the name of another. Reads the disk.
pub(crate) fn open(options: &AgentOptions) -> Result<LoadedAgents, ServerError> {
    let directories = DirectoryAgents::open_with_sources(&options.paths, sources(options), Some(check()));
    let directories = directories.map_err(|error| load_failure(error, Vec::new()))?;
    let unusable = directories.unusable();
    Ok(LoadedAgents { source: local_agents(directories, options), diagnostics: Vec::new(), unusable, error: None })
}

/// Loads what the requirement of the options calls for.
pub(crate) fn load_required(options: &AgentOptions) -> Result<LoadedAgents, ServerError> {
    match options.requirement {
        AgentRequirement::Unchecked | AgentRequirement::Reachable => open(options),
        AgentRequirement::Required | AgentRequirement::Optional => load(options),
    }
}

fn local_agents(directories: DirectoryAgents, options: &AgentOptions) -> LocalAgents {
    let directories = match options.tool_execution {
        Some(tools) => directories.with_tools(tools),
        None => directories,
    };
    LocalAgents::new(directories, options)
}

/// Sources besides the paths: the folder for new agents if there is one, and a storage.
fn sources(options: &AgentOptions) -> AdditionalSources {
    let storage = options.storage.clone().unwrap_or_else(|| Arc::new(MemoryStorage::new()));
    let names = options.names.as_ref().map(|data| data.join(NAMES_FILE));
    AdditionalSources { folder: options.folder.clone(), storages: vec![storage], names }
}

pub(super) fn check() -> SpecCheck {
    Arc::new(playbook_remarks)
}

fn playbook_remarks(agent: &AgentSpec) -> Vec<Diagnostic> {
    let ModelSpec::Playbook { rules } = &agent.model else { return Vec::new() };
    rules.as_deref().map(baton_models::check_playbook).unwrap_or_default()
}
