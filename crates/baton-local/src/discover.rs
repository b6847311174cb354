//! Which directories a path stands for.

use crate::LoadError;
use baton_agentdir::AGENT_FILE;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const MAX_AGENTS: usize = 1000;

/// A directory that holds an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// As the user wrote it, for messages.
    pub(crate) shown: PathBuf,
    /// Where it really is.
    pub(crate) real: PathBuf,
}

/// The agent directories that a path stands for, when this many are known already.
pub(crate) fn discover(path: &Path, known: usize) -> Result<Vec<Found>, LoadError> {
    let mut all = Vec::new();
    for shown in directories(path)? {
        let real = fs::canonicalize(&shown).map_err(|source| LoadError::Io { path: shown.clone(), source })?;
        all.push(Found { shown, real });
    }
    if known + all.len() > MAX_AGENTS {
        return Err(LoadError::TooMany { path: path.to_owned(), limit: MAX_AGENTS });
    }
    Ok(all)
}

fn directories(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(LoadError::Missing { path: path.to_owned() });
        }
        Err(error) => return Err(io(error)),
    };
    if metadata.is_file() {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = path.file_name().is_some_and(|name| name == AGENT_FILE);
        return if named { Ok(vec![parent.to_owned()]) } else { Err(LoadError::Empty { path: path.to_owned() }) };
    }
    if path.join(AGENT_FILE).is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut children = Vec::new();
    for entry in fs::read_dir(path).map_err(io)? {
        let child = entry.map_err(io)?.path();
        if child.join(AGENT_FILE).is_file() {
            children.push(child);
        }
        if children.len() > MAX_AGENTS {
            return Err(LoadError::TooMany { path: path.to_owned(), limit: MAX_AGENTS });
        }
    }
    children.sort();
    if children.is_empty() { Err(LoadError::Empty { path: path.to_owned() }) } else { Ok(children) }
}
