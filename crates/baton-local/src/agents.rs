//! Agents from directories on disk and from other storages.

mod create;
mod definition_cache;
mod location;
mod names;
mod naming;
mod repository;
mod scanner;
mod snapshot;
mod source;
mod watch;

use crate::LoadError;
use baton_document::Diagnostic;
use baton_ports::{AgentSource, AgentStorage, BoxFuture, ChangeStream, UnusableEntry};
use baton_types::{AgentListing, AgentName, AgentResources, AgentSpec, HandoffTarget, ToolExecution};
use futures_util::stream;
use parking_lot::{Mutex, RwLock};
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{task::spawn_blocking, time::Instant};

use definition_cache::DefinitionCache;
use location::AgentOrigin;
use names::NameAssignments;
use scanner::{ScanContext, ScannedAgent};
use snapshot::Snapshot;
use source::MemoryBudget;

/// Additional validation of an agent, such as whether its model is available; an error rejects the agent.
pub type SpecCheck = Arc<dyn Fn(&AgentSpec) -> Vec<Diagnostic> + Send + Sync>;

/// Minimum interval between scans triggered by `refresh`.
const REFRESH_INTERVAL: Duration = Duration::from_secs(1);

/// Result of a reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reload {
    /// Agents that were added, changed or removed, including changes of their resources.
    pub changed: Vec<AgentName>,
    /// All diagnostics of the files; an agent whose files have errors keeps its previous definition.
    pub diagnostics: Vec<Diagnostic>,
    /// Entries that are currently unusable.
    pub unusable: Vec<UnusableEntry>,
}

/// The agents of some directories, read again on request.
///
/// Changes are detected by polling file stamps instead of file system notifications: this works in every file system
/// and container, needs no watch per directory, and has bounded cost.
pub struct DirectoryAgents {
    catalog: Arc<AgentCatalog>,
    warnings: Vec<Diagnostic>,
    refreshed: tokio::sync::Mutex<Option<Instant>>,
}

struct AgentCatalog {
    origins: Vec<AgentOrigin>,
    check: Option<SpecCheck>,
    memory_budget: Arc<MemoryBudget>,
    loaded: DefinitionCache,
    now: RwLock<Arc<Snapshot>>,
    // Locked during a scan, so that an older snapshot never replaces a newer one.
    names: Mutex<NameAssignments>,
    changes: tokio::sync::watch::Sender<u64>,
    /// Names of agents that the program defines in code.
    reserved_names: OnceLock<Vec<AgentName>>,
}

impl DirectoryAgents {
    /// Loads all agents. A path is an agent's directory, its `agent.yaml`, or a directory of agent directories.
    ///
    /// Reads the disk, so call it where blocking is allowed.
    pub fn load(paths: &[PathBuf]) -> Result<Self, LoadError> {
        Self::load_with(paths, None)
    }

    /// As [`DirectoryAgents::load`], with an additional check of every agent, now and at each reload.
    pub fn load_checked(paths: &[PathBuf], check: SpecCheck) -> Result<Self, LoadError> {
        Self::load_with(paths, Some(check))
    }

    /// As [`DirectoryAgents::load_checked`], but agents with errors do not prevent serving the others;
    /// [`DirectoryAgents::unusable`] lists them.
    pub fn load_usable(paths: &[PathBuf], check: SpecCheck) -> Result<Self, LoadError> {
        match Self::scan_paths(paths, Some(check)) {
            (agents, None | Some(LoadError::Invalid(_))) => Ok(agents),
            (_, Some(error)) => Err(error),
        }
    }

    /// As [`DirectoryAgents::load_usable`], with additional sources. A folder for new agents may be empty, and then the
    /// paths may be empty as well.
    pub fn load_with_sources(
        paths: &[PathBuf],
        sources: AdditionalSources,
        check: SpecCheck,
    ) -> Result<Self, LoadError> {
        let may_be_empty = sources.folder.is_some();
        let names = NameAssignments::read(sources.names.clone())?;
        let origins = sources.origins(paths);
        match Self::from_origins(origins, names, Some(check)) {
            (agents, None | Some(LoadError::Invalid(_))) => Ok(agents),
            (agents, Some(LoadError::Missing { .. } | LoadError::Empty { .. })) if may_be_empty => Ok(agents),
            (_, Some(error)) => Err(error),
        }
    }

    /// As [`DirectoryAgents::open`], with additional sources; fails only if the file of assigned names cannot be read.
    pub fn open_with_sources(
        paths: &[PathBuf],
        sources: AdditionalSources,
        check: Option<SpecCheck>,
    ) -> Result<Self, LoadError> {
        let names = NameAssignments::read(sources.names.clone())?;
        Ok(Self::from_origins(sources.origins(paths), names, check).0)
    }

    fn load_with(paths: &[PathBuf], check: Option<SpecCheck>) -> Result<Self, LoadError> {
        match Self::scan_paths(paths, check) {
            (agents, None) => Ok(agents),
            (_, Some(error)) => Err(error),
        }
    }

    /// Scans the paths; also returns the most severe problem.
    fn scan_paths(paths: &[PathBuf], check: Option<SpecCheck>) -> (Self, Option<LoadError>) {
        Self::from_origins(on_disk(paths), NameAssignments::default(), check)
    }

    /// Loads the usable agents. [`DirectoryAgents::unusable`] lists the others, which are read again at each reload.
    ///
    /// Reads the disk, so call it where blocking is allowed.
    pub fn open(paths: &[PathBuf], check: Option<SpecCheck>) -> Self {
        Self::open_with(paths, Vec::new(), check)
    }

    /// As [`DirectoryAgents::open`], with the agents of these storages; agent names are unique across all of them.
    ///
    /// Reads all of them, so call it where blocking is allowed.
    pub fn open_with(paths: &[PathBuf], storages: Vec<Arc<dyn AgentStorage>>, check: Option<SpecCheck>) -> Self {
        let mut origins = on_disk(paths);
        origins.extend(storages.into_iter().map(AgentOrigin::Storage));
        Self::from_origins(origins, NameAssignments::default(), check).0
    }

    fn from_origins(
        origins: Vec<AgentOrigin>,
        mut names: NameAssignments,
        check: Option<SpecCheck>,
    ) -> (Self, Option<LoadError>) {
        let (memory_budget, loaded) = (MemoryBudget::new(), DefinitionCache::default());
        let context =
            ScanContext { check: check.as_ref(), memory_budget: &memory_budget, loaded: &loaded, is_thorough: true };
        let (snapshot, problems) = Snapshot::default().next(&origins, &mut names, &context);
        let (warnings, worst) = (snapshot.diagnostics(), scanner::most_severe(problems, &snapshot));
        let catalog = AgentCatalog {
            origins,
            check,
            memory_budget,
            loaded,
            now: RwLock::new(Arc::new(snapshot)),
            names: Mutex::new(names),
            changes: tokio::sync::watch::Sender::new(0),
            reserved_names: OnceLock::new(),
        };
        (Self { catalog: Arc::new(catalog), warnings, refreshed: tokio::sync::Mutex::new(None) }, worst)
    }

    /// Overrides the tool execution mode of all agents.
    pub fn with_tools(self, tools: ToolExecution) -> Self {
        self.catalog.loaded.choose_tools(tools);
        self
    }

    /// Persists assigned names, now and after every assignment. Only for the owner of the directory of that file.
    ///
    /// Writes to the disk, so call it where blocking is allowed.
    pub fn persist_names(&self) {
        self.catalog.names.lock().take_ownership();
    }

    /// Reserves the names of agents that the program defines in code: the repository neither creates agents with these
    /// names nor reads, changes or deletes them. Only the first call has an effect.
    pub fn reserve_names(&self, names: Vec<AgentName>) {
        let _ = self.catalog.reserved_names.set(names);
    }

    /// Number of definitions in memory; the others are loaded on demand.
    pub fn loaded(&self) -> usize {
        self.catalog.loaded.count()
    }

    /// Remote handoff targets of all definitions.
    pub fn remote_targets(&self) -> Vec<HandoffTarget> {
        self.catalog.now().all().iter().flat_map(|served| served.source.remote_targets.iter().cloned()).collect()
    }

    /// Number of changes since the start.
    pub fn change_count(&self) -> u64 {
        *self.catalog.changes.borrow()
    }

    /// Diagnostics of the first load.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Unusable entries as of the last scan; an agent that was usable before is still served in its previous version.
    pub fn unusable(&self) -> Vec<UnusableEntry> {
        self.catalog.now().unusable.clone()
    }

    /// Reads changed files again. An agent whose files have errors keeps its previous definition; one whose directory
    /// is missing is removed.
    ///
    /// Reads the disk, so call it where blocking is allowed.
    pub fn reload(&self) -> Reload {
        self.catalog.reload()
    }
}

/// Sources of agents in addition to paths.
#[derive(Clone, Default)]
pub struct AdditionalSources {
    /// The folder for new agents; it may be empty or missing.
    pub folder: Option<PathBuf>,
    /// Storages other than directories; the first stores new agents if there is no folder.
    pub storages: Vec<Arc<dyn AgentStorage>>,
    /// The file of names assigned to agents in earlier runs.
    pub names: Option<PathBuf>,
}

impl AdditionalSources {
    fn origins(self, paths: &[PathBuf]) -> Vec<AgentOrigin> {
        let mut origins = on_disk(paths);
        origins.extend(self.folder.map(AgentOrigin::Folder));
        origins.extend(self.storages.into_iter().map(AgentOrigin::Storage));
        origins
    }
}

impl fmt::Debug for AdditionalSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, storages, names } = self;
        let mut shown = f.debug_struct("AdditionalSources");
        shown.field("folder", folder).field("storages", &storages.len()).field("names", names).finish()
    }
}

fn on_disk(paths: &[PathBuf]) -> Vec<AgentOrigin> {
    paths.iter().cloned().map(AgentOrigin::Path).collect()
}

impl AgentCatalog {
    fn now(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now.read())
    }

    fn reload(&self) -> Reload {
        self.scan(true)
    }

    /// Reads changed files; sources without stamps are read at a limited rate.
    fn reload_stamped(&self) -> Reload {
        self.scan(false)
    }

    /// Whether files of a recently used agent have changed.
    fn has_changes(&self) -> bool {
        let now = self.now();
        let scanned_agents =
            self.loaded.names().into_iter().filter_map(|name| now.find(&now.served(&name)?.source.location_key()));
        scanned_agents.into_iter().any(ScannedAgent::has_changed)
    }

    fn scan(&self, is_thorough: bool) -> Reload {
        let mut names = self.names.lock();
        let before = self.now();
        let context = ScanContext {
            check: self.check.as_ref(),
            memory_budget: &self.memory_budget,
            loaded: &self.loaded,
            is_thorough,
        };
        let (after, _) = before.next(&self.origins, &mut names, &context);
        let changed = after.differs_from(&before);
        let reload = Reload { changed, diagnostics: after.diagnostics(), unusable: after.unusable.clone() };
        *self.now.write() = Arc::new(after);
        if !reload.changed.is_empty() {
            self.changes.send_modify(|count| *count = count.wrapping_add(1));
        }
        reload
    }
}

impl AgentSource for DirectoryAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.catalog.now().all().iter().filter_map(|served| Some(self.catalog.loaded.peek(served)?.agent)).collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        Some(self.catalog.loaded.definition(self.catalog.now().served(name)?)?.agent)
    }

    fn listings(&self) -> Vec<Arc<AgentListing>> {
        self.catalog.now().all().iter().map(|served| Arc::clone(&served.listing)).collect()
    }

    fn has(&self, name: &AgentName) -> bool {
        self.catalog.now.read().served(name).is_some()
    }

    fn sole_local_agent(&self) -> Option<Arc<AgentSpec>> {
        let now = self.catalog.now();
        let mut here = now.all().iter().filter(|served| !served.listing.is_peer());
        let (Some(sole), None) = (here.next(), here.next()) else { return None };
        Some(self.catalog.loaded.definition(sole)?.agent)
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        let now = self.catalog.now();
        now.served(name)
            .and_then(|served| self.catalog.loaded.definition(served))
            .map(|definition| definition.resources)
            .unwrap_or_default()
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<UnusableEntry>> {
        Box::pin(async {
            let mut refreshed = self.refreshed.lock().await;
            let is_due = refreshed.is_none_or(|moment| moment.elapsed() >= REFRESH_INTERVAL);
            if !is_due {
                return self.unusable();
            }
            let catalog = Arc::clone(&self.catalog);
            match spawn_blocking(move || catalog.reload_stamped()).await {
                Ok(reload) => {
                    *refreshed = Some(Instant::now());
                    reload.unusable
                }
                Err(_) => self.unusable(),
            }
        })
    }

    fn changes(&self) -> ChangeStream {
        let receiver = self.catalog.changes.subscribe();
        Box::pin(stream::unfold(receiver, |mut receiver| async {
            receiver.changed().await.ok()?;
            Some(((), receiver))
        }))
    }
}

impl fmt::Debug for DirectoryAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryAgents").field("agents", &self.catalog.now().all().len()).finish_non_exhaustive()
    }
}
