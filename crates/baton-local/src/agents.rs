//! Agents from directories on disk, and from whatever else keeps them.

mod book;
mod home;
mod look;
mod naming;
mod permissions;
mod snapshot;
mod watch;

use crate::LoadError;
use baton_agentdir::Diagnostic;
use baton_ports::{AgentSource, AgentStorage, BoxFuture, Changes, Unusable};
use baton_types::{AgentKit, AgentName, AgentSpec};
use futures_util::stream;
use parking_lot::{Mutex, RwLock};
use std::{fmt, path::PathBuf, sync::Arc, time::Duration};
use tokio::{task::spawn_blocking, time::Instant};

pub use book::StorageBook;
use home::Origin;
use snapshot::Snapshot;

/// A further opinion on an agent, such as whether its model can be made; an error in it refuses the agent.
pub type SpecCheck = Arc<dyn Fn(&AgentSpec) -> Vec<Diagnostic> + Send + Sync>;

/// Looking at the disk more often than this tells nobody anything.
const REFRESH_EVERY: Duration = Duration::from_secs(1);

/// What a reload changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reload {
    /// Agents that are new, different or gone, or whose kit is different.
    pub changed: Vec<AgentName>,
    /// Everything to say about the files; an agent whose file has an error stays as it was.
    pub diagnostics: Vec<Diagnostic>,
    /// What cannot be used as it stands now.
    pub unusable: Vec<Unusable>,
}

/// The agents of some directories, read again when asked.
///
/// A change is noticed by looking at the stamps of files rather than by being told by the system: that works in every file
/// system and container, needs no watch for each of many directories, and is bounded in what it costs.
pub struct DirectoryAgents {
    shelf: Arc<Shelf>,
    warnings: Vec<Diagnostic>,
    refreshed: tokio::sync::Mutex<Option<Instant>>,
}

struct Shelf {
    origins: Vec<Origin>,
    check: Option<SpecCheck>,
    now: RwLock<Arc<Snapshot>>,
    // Held while the disk is looked at, so that an older look never replaces a newer one.
    looking: Mutex<()>,
    changes: tokio::sync::watch::Sender<u64>,
}

impl DirectoryAgents {
    /// Reads all agents; a path is an agent's directory, its `agent.yaml`, or a directory of agent directories.
    ///
    /// Reads the disk, so call it where blocking is allowed.
    pub fn load(paths: &[PathBuf]) -> Result<Self, LoadError> {
        Self::load_with(paths, None)
    }

    /// As [`DirectoryAgents::load`], with a further opinion on every agent, now and at each reload.
    pub fn load_checked(paths: &[PathBuf], check: SpecCheck) -> Result<Self, LoadError> {
        Self::load_with(paths, Some(check))
    }

    /// As [`DirectoryAgents::load_checked`], but an agent whose files have errors does not keep the others from being
    /// served; [`DirectoryAgents::unusable`] tells about it.
    pub fn load_usable(paths: &[PathBuf], check: SpecCheck) -> Result<Self, LoadError> {
        match Self::look(paths, Some(check)) {
            (agents, None | Some(LoadError::Invalid(_))) => Ok(agents),
            (_, Some(error)) => Err(error),
        }
    }

    fn load_with(paths: &[PathBuf], check: Option<SpecCheck>) -> Result<Self, LoadError> {
        match Self::look(paths, check) {
            (agents, None) => Ok(agents),
            (_, Some(error)) => Err(error),
        }
    }

    /// What is there, and the worst of what is wrong with it.
    fn look(paths: &[PathBuf], check: Option<SpecCheck>) -> (Self, Option<LoadError>) {
        let origins = on_disk(paths);
        let (snapshot, problems) = Snapshot::default().next(&origins, check.as_ref());
        let worst = look::worst(problems, &snapshot);
        (Self::of(origins, check, snapshot), worst)
    }

    /// Reads the agents that work; [`DirectoryAgents::unusable`] tells about the others, which are looked at again at
    /// each reload.
    ///
    /// Reads the disk, so call it where blocking is allowed.
    pub fn open(paths: &[PathBuf], check: Option<SpecCheck>) -> Self {
        Self::open_with(paths, Vec::new(), check)
    }

    /// As [`DirectoryAgents::open`], with the agents that these storages keep; no two agents have the same name.
    ///
    /// Reads all of them, so call it where blocking is allowed.
    pub fn open_with(paths: &[PathBuf], storages: Vec<Arc<dyn AgentStorage>>, check: Option<SpecCheck>) -> Self {
        let mut origins = on_disk(paths);
        origins.extend(storages.into_iter().map(Origin::Kept));
        let (snapshot, _) = Snapshot::default().next(&origins, check.as_ref());
        Self::of(origins, check, snapshot)
    }

    fn of(origins: Vec<Origin>, check: Option<SpecCheck>, snapshot: Snapshot) -> Self {
        let warnings = snapshot.diagnostics();
        let shelf = Shelf {
            origins,
            check,
            now: RwLock::new(Arc::new(snapshot)),
            looking: Mutex::new(()),
            changes: tokio::sync::watch::Sender::new(0),
        };
        Self { shelf: Arc::new(shelf), warnings, refreshed: tokio::sync::Mutex::new(None) }
    }

    /// Remarks about the files as they were when they were first read.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// What cannot be used, as of the last look; an agent that could be used before is served as it was then.
    pub fn unusable(&self) -> Vec<Unusable> {
        self.shelf.now().unusable.clone()
    }

    /// Reads again what changed. An agent whose files have an error now stays as it was; one whose directory is gone
    /// is gone.
    ///
    /// Reads the disk, so call it where blocking is allowed.
    pub fn reload(&self) -> Reload {
        self.shelf.reload()
    }
}

fn on_disk(paths: &[PathBuf]) -> Vec<Origin> {
    paths.iter().cloned().map(Origin::Path).collect()
}

impl Shelf {
    fn now(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now.read())
    }

    fn reload(&self) -> Reload {
        let _alone = self.looking.lock();
        let before = self.now();
        let (after, _) = before.next(&self.origins, self.check.as_ref());
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
        self.shelf.now.read().agents()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.shelf.now.read().served(name).map(|served| Arc::clone(&served.agent))
    }

    fn kit(&self, name: &AgentName) -> Arc<AgentKit> {
        self.shelf.now.read().served(name).map(|served| Arc::clone(&served.kit)).unwrap_or_default()
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<Unusable>> {
        Box::pin(async {
            let mut refreshed = self.refreshed.lock().await;
            let is_due = refreshed.is_none_or(|moment| moment.elapsed() >= REFRESH_EVERY);
            if !is_due {
                return self.unusable();
            }
            let shelf = Arc::clone(&self.shelf);
            match spawn_blocking(move || shelf.reload()).await {
                Ok(reload) => {
                    *refreshed = Some(Instant::now());
                    reload.unusable
                }
                Err(_) => self.unusable(),
            }
        })
    }

    fn changes(&self) -> Changes {
        let heard = self.shelf.changes.subscribe();
        Box::pin(stream::unfold(heard, |mut heard| async {
            heard.changed().await.ok()?;
            Some(((), heard))
        }))
    }
}

impl fmt::Debug for DirectoryAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryAgents").field("agents", &self.shelf.now().agents().len()).finish_non_exhaustive()
    }
}
