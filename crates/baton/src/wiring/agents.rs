//! The agents to serve: the good ones, and what is wrong with the others.

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

/// Agents that work, and remarks about all of them.
pub(crate) struct Loaded {
    /// The agents, by name.
    pub(crate) agents: Vec<Arc<AgentListing>>,
    /// Errors of those that do not work, warnings of those that do.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The same agents, looked at again when asked.
    pub(super) source: LocalAgents,
}

/// The file of the data directory that says which agent has which name.
const NAMES: &str = "agent-names.json";

/// Where agents are looked for, and how they are served.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(super) paths: &'a [PathBuf],
    /// Where new agents are kept.
    pub(super) folder: Option<&'a Path>,
    pub(super) tools: Option<ToolExecution>,
    /// The data directory, which knows the names that they had.
    pub(super) data: Option<&'a Path>,
}

impl<'a> Wanted<'a> {
    /// All that the settings name.
    pub(super) fn all(settings: &'a Settings) -> Self {
        Self { folder: settings.new_agents.as_deref(), ..Self::named(settings) }
    }

    /// Those of the paths that the settings name.
    pub(crate) fn named(settings: &'a Settings) -> Self {
        Self { paths: &settings.agents, folder: None, tools: settings.tools, data: Some(&settings.data) }
    }

    /// Agents that are made without a directory are gone with the process; with a folder for them, they are kept there.
    fn beside(self) -> Beside {
        let (folder, names) = (self.folder.map(Path::to_owned), self.data.map(|data| data.join(NAMES)));
        Beside { folder, storages: vec![Arc::new(MemoryStorage::new())], names }
    }
}

/// Reads the agents; one that does not work never keeps another from being served.
pub(crate) fn load(wanted: Wanted<'_>) -> Result<Loaded, Failure> {
    load_usable(wanted).map_err(|error| not_loaded(&error))
}

/// The same, with why there are none in a form that can be told apart.
pub(super) fn load_usable(wanted: Wanted<'_>) -> Result<Loaded, LoadError> {
    let Wanted { paths, folder, tools, .. } = wanted;
    // A folder for new agents may be missing; what was named to be served may not.
    if let Some(path) = paths.iter().find(|path| folder.is_some() && !path.exists()) {
        return Err(LoadError::Missing { path: path.clone() });
    }
    let directories = DirectoryAgents::load_beside(paths, wanted.beside(), check())?;
    let diagnostics = directories.warnings().to_vec();
    let source = LocalAgents::new(directories, tools);
    Ok(Loaded { agents: source.listed(), diagnostics, source })
}

/// Why no agents were read, for people.
pub(super) fn not_loaded(error: &LoadError) -> Failure {
    let failure = Failure::new(error.code(), error.to_string());
    match error {
        LoadError::Missing { .. } | LoadError::Empty { .. } => {
            failure.hint("Name a directory that holds agents, or change to one.")
        }
        _ => failure,
    }
}

/// Reads what can be used, whatever is wrong with the rest; but nobody is served under the name of another because the
/// names are not known.
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

/// The agents of directories, and those that are made while this process runs, with the choice of who runs their tools.
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

    /// No agents yet, and no directory for any.
    pub(super) fn none() -> Self {
        Self::new(DirectoryAgents::open_with(&[], vec![Arc::new(MemoryStorage::new())], Some(check())), None)
    }

    /// Notices changes without being asked, as long as this is waited for.
    pub(super) async fn watch(self: Arc<Self>) {
        self.directories.watch().await;
    }

    /// The directories that define an agent.
    fn defining(&self, agent: &AgentName) -> Result<&DirectoryAgents, String> {
        let is_here = self.directories.has(agent);
        is_here
            .then_some(&self.directories)
            .ok_or_else(|| format!("no directory here defines '{agent}'; change it where it lives"))
    }

    /// Agents elsewhere that definitions hand work to.
    pub(super) fn away(&self) -> Vec<HandoffTarget> {
        self.directories.away()
    }

    /// How often definitions have changed.
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
