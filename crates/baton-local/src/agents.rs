//! Agents from directories on disk.

use crate::discover::{Found, discover, read};
use baton_agentdir::Diagnostic;
use baton_ports::AgentSource;
use baton_types::{AgentName, AgentSpec, ErrorCode};
use parking_lot::RwLock;
use std::{fmt, io, path::PathBuf, sync::Arc};

/// A further opinion on an agent, such as whether its model can be made; an error in it refuses the agent.
pub type SpecCheck = Arc<dyn Fn(&AgentSpec) -> Vec<Diagnostic> + Send + Sync>;

/// Why agents could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path does not exist.
    #[error("{path} does not exist", path = .path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// There is no agent at the path.
    #[error(
        "{path} holds no agent: neither it nor a directory in it has an agent.yaml; make one with `baton new NAME`",
        path = .path.display()
    )]
    Empty {
        /// The path as given.
        path: PathBuf,
    },
    /// There are more agents than one Baton serves.
    #[error("{path} holds more than {limit} agents", path = .path.display())]
    TooMany {
        /// The path as given.
        path: PathBuf,
        /// The most there may be.
        limit: usize,
    },
    /// The file system said no.
    #[error("{path} cannot be read: {source}", path = .path.display())]
    Io {
        /// What was read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Two directories want the same name.
    #[error(
        "two agents are named '{name}': {first} and {second}; change `name` in one agent.yaml",
        first = .first.display(), second = .second.display()
    )]
    Duplicate {
        /// The name.
        name: AgentName,
        /// One directory.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// Files have errors; warnings are listed as well.
    #[error("{}", lines(.0))]
    Invalid(Vec<Diagnostic>),
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl LoadError {
    /// The code that people see.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Missing { .. } | Self::Empty { .. } => ErrorCode::AGENT_NOT_FOUND,
            Self::TooMany { .. } | Self::Io { .. } | Self::Duplicate { .. } | Self::Invalid(_) => {
                ErrorCode::AGENT_INVALID
            }
        }
    }
}

/// What a reload changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reload {
    /// Agents that are new, different or gone.
    pub changed: Vec<AgentName>,
    /// Everything to say about the files; an agent whose file has an error stays as it was.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone)]
struct Served {
    found: Found,
    agent: Arc<AgentSpec>,
}

/// The agents of some directories, read again when asked.
pub struct DirectoryAgents {
    paths: Vec<PathBuf>,
    check: Option<SpecCheck>,
    warnings: Vec<Diagnostic>,
    // Sorted by name.
    served: RwLock<Vec<Served>>,
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

    fn load_with(paths: &[PathBuf], check: Option<SpecCheck>) -> Result<Self, LoadError> {
        let mut served = Vec::new();
        let mut diagnostics = Vec::new();
        for found in discover(paths)? {
            let (agent, remarks) = read(&found, check.as_ref());
            diagnostics.extend(remarks);
            served.extend(agent.map(|agent| Served { found, agent: Arc::new(agent) }));
        }
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(LoadError::Invalid(diagnostics));
        }
        let served = sorted(served)?;
        Ok(Self { paths: paths.to_vec(), check, warnings: diagnostics, served: RwLock::new(served) })
    }

    /// Remarks about agents that work all the same.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Reads everything again. An agent whose files have an error now stays as it was; when the directories
    /// themselves are unusable, or two agents want one name, everything stays as it was.
    ///
    /// Reads the disk, so call it where blocking is allowed.
    pub fn reload(&self) -> Result<Reload, LoadError> {
        let before = self.served.read().clone();
        let mut after = Vec::with_capacity(before.len());
        let mut diagnostics = Vec::new();
        for found in discover(&self.paths)? {
            let (agent, remarks) = read(&found, self.check.as_ref());
            diagnostics.extend(remarks);
            let good = agent.map(|agent| Served { found: found.clone(), agent: Arc::new(agent) });
            after.extend(good.or_else(|| before.iter().find(|old| old.found == found).cloned()));
        }
        let after = sorted(after)?;
        let differs = |one: &Served, others: &[Served]| !others.iter().any(|other| other.agent == one.agent);
        let mut changed: Vec<AgentName> = after.iter().filter(|new| differs(new, &before)).map(named).collect();
        changed.extend(before.iter().filter(|old| differs(old, &after)).map(named));
        changed.sort();
        changed.dedup();
        *self.served.write() = after;
        Ok(Reload { changed, diagnostics })
    }
}

fn named(served: &Served) -> AgentName {
    served.agent.name.clone()
}

fn sorted(mut served: Vec<Served>) -> Result<Vec<Served>, LoadError> {
    served.sort_by(|a, b| a.agent.name.cmp(&b.agent.name));
    for pair in served.windows(2) {
        if let [first, second] = pair
            && first.agent.name == second.agent.name
        {
            return Err(LoadError::Duplicate {
                name: named(first),
                first: first.found.shown.clone(),
                second: second.found.shown.clone(),
            });
        }
    }
    Ok(served)
}

impl AgentSource for DirectoryAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.served.read().iter().map(|served| Arc::clone(&served.agent)).collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        let served = self.served.read();
        let index = served.binary_search_by(|served| served.agent.name.cmp(name)).ok()?;
        served.get(index).map(|served| Arc::clone(&served.agent))
    }
}

impl fmt::Debug for DirectoryAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryAgents").field("paths", &self.paths).finish_non_exhaustive()
    }
}
