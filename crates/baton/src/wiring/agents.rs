//! Loads the agents to serve, with diagnostics.

use crate::{config::Settings, failure::Failure};
use baton_agentdir::Diagnostic;
use baton_local::{Beside, DirectoryAgents, LoadError, MemoryStorage, SpecCheck};
use baton_ports::{
    AgentBook, AgentBookError, AgentChanged, AgentFiles, AgentSource, BoxFuture, Changes, PermissionBook,
    PermissionBookError, PermissionChanged, Unusable,
};
use baton_types::{
    AgentChange, AgentKit, AgentListing, AgentName, AgentSpec, ErrorCode, HandoffTarget, ModelSpec, PermissionChange,
    ToolExecution,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Usable agents, and diagnostics of all.
pub(crate) struct Loaded {
    pub(crate) agents: Vec<Arc<AgentListing>>,
    /// Errors of unusable agents, warnings of usable ones.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Source of the same agents, for refreshes.
    pub(super) source: LocalAgents,
}

/// File in the data directory that maps agents to names.
const NAMES: &str = "agent-names.json";

/// Paths to search for agents, and options for serving them.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(super) paths: &'a [PathBuf],
    /// Folder for new agents.
    pub(super) folder: Option<&'a Path>,
    pub(super) tools: Option<ToolExecution>,
    /// The data directory with the persisted agent names.
    pub(super) data: Option<&'a Path>,
}

impl<'a> Wanted<'a> {
    /// All agents of the settings.
    pub(super) fn all(settings: &'a Settings) -> Self {
        Self { folder: settings.new_agents.as_deref(), ..Self::named(settings) }
    }

    /// Agents of the paths in the settings, without the folder for new agents.
    pub(crate) fn named(settings: &'a Settings) -> Self {
        Self { paths: &settings.agents, folder: None, tools: settings.tools, data: Some(&settings.data) }
    }

    /// Storages for new agents: the folder if there is one, else in memory.
    fn beside(self) -> Beside {
        let (folder, names) = (self.folder.map(Path::to_owned), self.data.map(|data| data.join(NAMES)));
        Beside { folder, storages: vec![Arc::new(MemoryStorage::new())], names }
    }
}

/// Loads the agents; an invalid agent never prevents others from being served.
pub(crate) fn load(wanted: Wanted<'_>) -> Result<Loaded, Failure> {
    load_usable(wanted).map_err(|error| not_loaded(&error))
}

/// Like `load`, with a typed error.
pub(super) fn load_usable(wanted: Wanted<'_>) -> Result<Loaded, LoadError> {
    let Wanted { paths, folder, tools, .. } = wanted;
    // The folder for new agents may be missing; paths given explicitly must exist.
    if let Some(path) = paths.iter().find(|path| folder.is_some() && !path.exists()) {
        return Err(LoadError::Missing { path: path.clone() });
    }
    let directories = DirectoryAgents::load_beside(paths, wanted.beside(), check())?;
    let diagnostics = directories.warnings().to_vec();
    let source = LocalAgents::new(directories, tools);
    Ok(Loaded { agents: source.listed(), diagnostics, source })
}

/// Error to report for agents that could not be loaded.
pub(super) fn not_loaded(error: &LoadError) -> Failure {
    let failure = Failure::new(error.code(), error.to_string());
    match error {
        LoadError::Missing { .. } | LoadError::Empty { .. } => {
            failure.hint("Name a directory that holds agents, or change to one.")
        }
        _ => failure,
    }
}

/// Loads the usable agents and ignores errors of the rest. Fails if the name file is unreadable, so that no agent is
/// served under the name of another.
pub(super) fn open(wanted: Wanted<'_>) -> Result<(LocalAgents, Vec<Unusable>), Failure> {
    let directories = DirectoryAgents::open_beside(wanted.paths, wanted.beside(), Some(check()));
    let directories = directories.map_err(|error| not_loaded(&error))?;
    let unusable = directories.unusable();
    Ok((LocalAgents::new(directories, wanted.tools), unusable))
}

fn check() -> SpecCheck {
    Arc::new(playbook_remarks)
}

fn playbook_remarks(agent: &AgentSpec) -> Vec<Diagnostic> {
    let ModelSpec::Playbook { rules } = &agent.model else { return Vec::new() };
    rules.as_deref().map(baton_models::check).unwrap_or_default()
}

/// Agents of directories and agents created at runtime, with the setting where their tools run.
pub(super) struct LocalAgents {
    pub(super) directories: DirectoryAgents,
}

impl LocalAgents {
    fn new(directories: DirectoryAgents, tools: Option<ToolExecution>) -> Self {
        let directories = match tools {
            Some(tools) => directories.with_tools(tools),
            None => directories,
        };
        Self { directories }
    }

    /// No agents and no directories.
    pub(super) fn none() -> Self {
        Self::new(DirectoryAgents::open_with(&[], vec![Arc::new(MemoryStorage::new())], Some(check())), None)
    }

    /// Watches for changes until the future is dropped.
    pub(super) async fn watch(self: Arc<Self>) {
        self.directories.watch().await;
    }

    /// The directories, if one of them defines this agent.
    fn defining(&self, agent: &AgentName) -> Result<&DirectoryAgents, String> {
        let is_here = self.directories.has(agent);
        is_here
            .then_some(&self.directories)
            .ok_or_else(|| format!("no local directory defines '{agent}'; change it on its own server"))
    }

    /// Remote agents that definitions hand work to.
    pub(super) fn away(&self) -> Vec<HandoffTarget> {
        self.directories.away()
    }

    /// Revision of the definitions; increases with every change.
    pub(super) fn changed(&self) -> u64 {
        self.directories.changed()
    }
}

impl AgentSource for LocalAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.directories.agents()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.directories.agent(name)
    }

    fn listed(&self) -> Vec<Arc<AgentListing>> {
        self.directories.listed()
    }

    fn has(&self, name: &AgentName) -> bool {
        self.directories.has(name)
    }

    fn sole(&self) -> Option<Arc<AgentSpec>> {
        self.directories.sole()
    }

    fn kit(&self, name: &AgentName) -> Arc<AgentKit> {
        self.directories.kit(name)
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<Unusable>> {
        self.directories.refresh()
    }

    fn changes(&self) -> Changes {
        self.directories.changes()
    }
}

impl PermissionBook for LocalAgents {
    fn change<'a>(
        &'a self,
        agent: &'a AgentName,
        change: PermissionChange,
    ) -> BoxFuture<'a, Result<PermissionChanged, PermissionBookError>> {
        match self.defining(agent) {
            Ok(directories) => directories.change(agent, change),
            Err(detail) => {
                let code = ErrorCode::AGENT_NOT_CHANGED;
                Box::pin(std::future::ready(Err(PermissionBookError { code, detail })))
            }
        }
    }
}

impl AgentBook for LocalAgents {
    fn amend<'a>(
        &'a self,
        agent: &'a AgentName,
        change: AgentChange,
    ) -> BoxFuture<'a, Result<AgentChanged, AgentBookError>> {
        match self.defining(agent) {
            Ok(directories) => directories.amend(agent, change),
            Err(detail) => refused(detail),
        }
    }

    fn create<'a>(&'a self, files: AgentFiles) -> BoxFuture<'a, Result<AgentName, AgentBookError>> {
        self.directories.create(files)
    }

    fn remove<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<(), AgentBookError>> {
        match self.defining(agent) {
            Ok(directories) => directories.remove(agent),
            Err(detail) => refused(detail),
        }
    }
}

fn refused<'a, T: Send + 'a>(detail: String) -> BoxFuture<'a, Result<T, AgentBookError>> {
    Box::pin(std::future::ready(Err(AgentBookError { code: ErrorCode::AGENT_NOT_CHANGED, detail })))
}
