//! Finds the agents at a path.

use crate::LoadError;
use baton_agentdir::{DEFINITION_FILES, Format, PLAYBOOK_FILE};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Maximum number of agents served from directories.
const MAX_AGENTS: usize = 20_000;
/// Bytes of a YAML file that are read to detect an agent; programs that generate such files write the distinctive keys
/// first.
const MAX_DETECTION_BYTES: u64 = 64 << 10;
/// Name suffix of directories that are being created or deleted; they are not agents.
pub(crate) const DRAFT_SUFFIX: &str = ".baton-draft";

/// A directory or a file that holds an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiscoveredAgent {
    /// The path as written by the user, for messages.
    pub(crate) shown: PathBuf,
    /// Canonical path of the directory.
    pub(crate) real: PathBuf,
    /// The file that holds this agent; `None` if the directory is the agent.
    pub(crate) file: Option<String>,
}

impl DiscoveredAgent {
    /// The path of a file of the agent, as written by the user.
    pub(crate) fn shown_file(&self, file: &str) -> PathBuf {
        match self.file {
            Some(_) => self.shown.with_file_name(file),
            None => self.shown.join(file),
        }
    }

    /// Whether the agent is a single file, independent of its siblings.
    pub(crate) fn is_single_file(&self) -> bool {
        self.file.as_deref().is_some_and(|file| !DEFINITION_FILES.contains(&file))
    }
}

/// The agents at a path, given the number already found; `is_known` tells whether a file was an agent before.
pub(crate) fn discover(
    path: &Path,
    agent_count: usize,
    is_known: &dyn Fn(&Path) -> bool,
) -> Result<Vec<DiscoveredAgent>, LoadError> {
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(LoadError::Missing { path: path.to_owned() });
        }
        Err(error) => return Err(io(error)),
    };
    let all = if metadata.is_file() {
        vec![named_file(path, is_known)?]
    } else {
        let real = fs::canonicalize(path).map_err(io)?;
        match has_definition(path) {
            true => vec![DiscoveredAgent { shown: path.to_owned(), real, file: None }],
            false => children(path, &real, is_known)?,
        }
    };
    if all.is_empty() {
        return Err(LoadError::Empty { path: path.to_owned() });
    }
    if agent_count + all.len() > MAX_AGENTS {
        return Err(LoadError::TooMany { path: path.to_owned(), limit: MAX_AGENTS });
    }
    Ok(all)
}

/// The agent of an explicitly named file.
fn named_file(path: &Path, is_known: &dyn Fn(&Path) -> bool) -> Result<DiscoveredAgent, LoadError> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = fs::canonicalize(parent).map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let first = DEFINITION_FILES.iter().find(|file| parent.join(file).is_file());
    if first == Some(&name) {
        return Ok(DiscoveredAgent { shown: parent.to_owned(), real, file: None });
    }
    match DEFINITION_FILES.contains(&name) || is_known(&real.join(name)) || is_agent_file(path, name) {
        true => Ok(DiscoveredAgent { shown: path.to_owned(), real, file: Some(name.to_owned()) }),
        false => Err(LoadError::Empty { path: path.to_owned() }),
    }
}

/// The agents directly in a directory: directories with a definition, and agent files.
fn children(path: &Path, real: &Path, is_known: &dyn Fn(&Path) -> bool) -> Result<Vec<DiscoveredAgent>, LoadError> {
    let io = |path: &Path, source| LoadError::Io { path: path.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| io(path, error))? {
        let entry = entry.map_err(|error| io(path, error))?;
        let shown = entry.path();
        let Ok(name) = entry.file_name().into_string() else {
            if has_definition(&shown) {
                let real = fs::canonicalize(&shown).map_err(|error| io(&shown, error))?;
                found.push(DiscoveredAgent { shown, real, file: None });
            }
            continue;
        };
        if is_draft(&name) {
            continue;
        }
        let kind = entry.file_type().map_err(|error| io(&shown, error))?;
        let is_link = kind.is_symlink();
        let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
        if is_yaml && (kind.is_file() || is_link && shown.is_file()) {
            if name != PLAYBOOK_FILE && (is_known(&real.join(&name)) || is_agent_file(&shown, &name)) {
                found.push(DiscoveredAgent { shown, real: real.to_owned(), file: Some(name) });
            }
        } else if (kind.is_dir() || is_link) && has_definition(&shown) {
            let real = match is_link {
                true => fs::canonicalize(&shown).map_err(|error| io(&shown, error))?,
                false => real.join(&name),
            };
            found.push(DiscoveredAgent { shown, real, file: None });
        }
        if found.len() > MAX_AGENTS {
            return Err(LoadError::TooMany { path: path.to_owned(), limit: MAX_AGENTS });
        }
    }
    found.sort_by(|one, other| one.shown.cmp(&other.shown));
    Ok(found)
}

/// Whether this is the name of a directory that is being created or deleted.
pub(crate) fn is_draft(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(DRAFT_SUFFIX)
}

fn has_definition(directory: &Path) -> bool {
    DEFINITION_FILES.iter().any(|file| directory.join(file).is_file())
}

/// Whether a single file is an agent; other kinds of YAML files are rejected.
fn is_agent_file(path: &Path, name: &str) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_DETECTION_BYTES).read_to_end(&mut bytes));
    let is_other = || bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"apiVersion:"));
    if read.is_err() || is_other() {
        return false;
    }
    Format::detect(&BTreeMap::from([(name.to_owned(), bytes)])) == Some(Format::Tsagent)
}
