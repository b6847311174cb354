//! Loads the agents to serve, with diagnostics.

use crate::{config::BatonSettings, failure::CliError};
use baton_document::Diagnostic;
use baton_local::{AdditionalSources, DirectoryAgents, LoadError, MemoryStorage, SpecCheck};
use baton_ports::{AgentRepository, AgentSource, BoxFuture, ChangeStream, UnusableEntry};
use baton_types::{AgentListing, AgentName, AgentResources, AgentSpec, HandoffTarget, ModelSpec, ToolExecution};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Usable agents, and diagnostics of all.
pub(crate) struct LoadedAgents {
    pub(crate) agents: Vec<Arc<AgentListing>>,
    /// Errors of unusable agents, warnings of usable ones.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Source of the same agents, for refreshes.
    pub(super) source: LocalAgents,
}

/// File in the data directory that maps agents to names.
const NAMES_FILE: &str = "agent-names.json";

/// Paths to search for agents, and options for serving them.
#[derive(Clone, Copy)]
pub(crate) struct AgentSelection<'a> {
    pub(super) paths: &'a [PathBuf],
    /// Folder for new agents.
    pub(super) folder: Option<&'a Path>,
    pub(super) tools: Option<ToolExecution>,
    /// The data directory with the persisted agent names.
    pub(super) data: Option<&'a Path>,
}

impl<'a> AgentSelection<'a> {
    /// All agents of the settings.
    pub(super) fn all(settings: &'a BatonSettings) -> Self {
        Self { folder: settings.new_agents.as_deref(), ..Self::named(settings) }
    }

    /// Agents of the paths in the settings, without the folder for new agents.
    pub(crate) fn named(settings: &'a BatonSettings) -> Self {
        Self { paths: &settings.agents, folder: None, tools: settings.tools, data: Some(&settings.data) }
    }

    /// Storages for new agents: the folder if there is one, else in memory.
    fn storage_options(self) -> AdditionalSources {
        let (folder, names) = (self.folder.map(Path::to_owned), self.data.map(|data| data.join(NAMES_FILE)));
        AdditionalSources { folder, storages: vec![Arc::new(MemoryStorage::new())], names }
    }
}

/// Loads the agents; an invalid agent never prevents others from being served.
pub(crate) fn load(selection: AgentSelection<'_>) -> Result<LoadedAgents, CliError> {
    load_usable(selection).map_err(|error| load_failure(&error))
}

/// Like `load`, with a typed error.
pub(super) fn load_usable(selection: AgentSelection<'_>) -> Result<LoadedAgents, LoadError> {
    let AgentSelection { paths, folder, tools, .. } = selection;
    // The folder for new agents may be missing; paths given explicitly must exist.
    if let Some(path) = paths.iter().find(|path| folder.is_some() && !path.exists()) {
        return Err(LoadError::Missing { path: path.clone() });
    }
    let directories = DirectoryAgents::load_with_sources(paths, selection.storage_options(), check())?;
    let diagnostics = directories.warnings().to_vec();
    let source = LocalAgents::new(directories, tools);
    Ok(LoadedAgents { agents: source.listings(), diagnostics, source })
}

/// Error to report for agents that could not be loaded.
pub(super) fn load_failure(error: &LoadError) -> CliError {
    let failure = CliError::new(error.code(), error.to_string());
    match error {
        LoadError::Missing { .. } | LoadError::Empty { .. } => {
            failure.hint("Name a directory that holds agents, or change to one.")
        }
        _ => failure,
    }
}

/// Loads the usable agents and ignores errors of the rest. Fails if the name file is unreadable, so that no agent is
/// served under the name of another.
pub(super) fn open(selection: AgentSelection<'_>) -> Result<(LocalAgents, Vec<UnusableEntry>), CliError> {
    let directories = DirectoryAgents::open_with_sources(selection.paths, selection.storage_options(), Some(check()));
    let directories = directories.map_err(|error| load_failure(&error))?;
    let unusable = directories.unusable();
    Ok((LocalAgents::new(directories, selection.tools), unusable))
}

fn check() -> SpecCheck {
    Arc::new(playbook_remarks)
}

fn playbook_remarks(agent: &AgentSpec) -> Vec<Diagnostic> {
    let ModelSpec::Playbook { rules } = &agent.model else { return Vec::new() };
    rules.as_deref().map(baton_models::check_playbook).unwrap_or_default()
}

/// Agents of directories and agents created at runtime, with the setting where their tools run.
pub(super) struct LocalAgents {
    pub(super) directories: Arc<DirectoryAgents>,
}

impl LocalAgents {
    fn new(directories: DirectoryAgents, tools: Option<ToolExecution>) -> Self {
        let directories = match tools {
            Some(tools) => directories.with_tools(tools),
            None => directories,
        };
        Self { directories: Arc::new(directories) }
    }

    /// No agents and no directories.
    pub(super) fn none() -> Self {
        Self::new(DirectoryAgents::open_with(&[], vec![Arc::new(MemoryStorage::new())], Some(check())), None)
    }

    /// Watches for changes until the future is dropped.
    pub(super) async fn watch(self: Arc<Self>) {
        self.directories.watch().await;
    }

    /// Repository of the definitions.
    pub(super) fn repository(&self) -> Arc<dyn AgentRepository> {
        self.directories.clone()
    }

    /// Remote agents that definitions hand work to.
    pub(super) fn remote_targets(&self) -> Vec<HandoffTarget> {
        self.directories.remote_targets()
    }

    /// Revision of the definitions; increases with every change.
    pub(super) fn revision(&self) -> u64 {
        self.directories.change_count()
    }
}

impl AgentSource for LocalAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.directories.agents()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.directories.agent(name)
    }

    fn listings(&self) -> Vec<Arc<AgentListing>> {
        self.directories.listings()
    }

    fn has(&self, name: &AgentName) -> bool {
        self.directories.has(name)
    }

    fn sole_local_agent(&self) -> Option<Arc<AgentSpec>> {
        self.directories.sole_local_agent()
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        self.directories.agent_resources(name)
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<UnusableEntry>> {
        self.directories.refresh()
    }

    fn changes(&self) -> ChangeStream {
        self.directories.changes()
    }
}
