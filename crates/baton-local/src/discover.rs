//! Which directories a path stands for, and what their files say.

use crate::{LoadError, SpecCheck};
use baton_agentdir::{AGENT_FILE, Diagnostic, PLAYBOOK_FILE, PROMPT_FILE, document::Place, parse};
use baton_types::{AgentSpec, ToolRunner};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

const MAX_FILE: u64 = 1 << 20;
const MAX_AGENTS: usize = 1000;

/// A directory that holds an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// As the user wrote it, for messages.
    pub(crate) shown: PathBuf,
    /// Where it really is.
    pub(crate) real: PathBuf,
}

/// The agent directories that the paths stand for, each once.
pub(crate) fn discover(paths: &[PathBuf]) -> Result<Vec<Found>, LoadError> {
    let mut all: Vec<Found> = Vec::new();
    for path in paths {
        for shown in directories(path)? {
            let real = fs::canonicalize(&shown).map_err(|source| LoadError::Io { path: shown.clone(), source })?;
            if !all.iter().any(|found| found.real == real) {
                all.push(Found { shown, real });
            }
        }
        if all.len() > MAX_AGENTS {
            return Err(LoadError::TooMany { path: path.clone(), limit: MAX_AGENTS });
        }
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

/// The agent of a directory, or why it has none; remarks name the file as the user would.
pub(crate) fn read(found: &Found, check: Option<&SpecCheck>) -> (Option<AgentSpec>, Vec<Diagnostic>) {
    let mut files = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for file in [AGENT_FILE, PROMPT_FILE, PLAYBOOK_FILE] {
        match read_bounded(&found.real.join(file)) {
            Ok(Some(bytes)) => {
                files.insert(file.to_owned(), bytes);
            }
            Ok(None) => {}
            Err(problem) => diagnostics.push(problem(file)),
        }
    }
    let mut agent = None;
    if diagnostics.is_empty() {
        let parsed = match found.real.to_str() {
            Some(base) => parse(&files, base),
            None => {
                diagnostics.push(
                    Diagnostic::error(AGENT_FILE, Place::START, "the directory's path is not UTF-8")
                        .with_hint("rename the directory"),
                );
                return (None, placed(found, diagnostics));
            }
        };
        agent = parsed.agent;
        diagnostics = parsed.diagnostics;
        if let Some(spec) = &agent {
            diagnostics.extend(tools_stay_inside(found, spec));
            diagnostics.extend(check.map(|check| check(spec)).unwrap_or_default());
        }
        if diagnostics.iter().any(Diagnostic::is_error) {
            agent = None;
        }
    }
    (agent, placed(found, diagnostics))
}

fn placed(found: &Found, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for diagnostic in &mut diagnostics {
        diagnostic.file = found.shown.join(&diagnostic.file).display().to_string();
    }
    diagnostics
}

/// `None` when there is no such file; otherwise its bytes, or what to say about it.
fn read_bounded(path: &Path) -> Result<Option<Vec<u8>>, impl FnOnce(&str) -> Diagnostic + use<>> {
    let problem = |message: String, hint: &'static str| {
        move |file: &str| Diagnostic::error(file, Place::START, message).with_hint(hint)
    };
    let readable = "check that the file can be read by the user that runs Baton";
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(problem(format!("the file cannot be opened: {error}"), readable)),
    };
    let mut bytes = Vec::new();
    match file.take(MAX_FILE + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > MAX_FILE => {
            Err(problem("the file is larger than 1 MB".to_owned(), "keep large content in other files"))
        }
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(problem(format!("the file cannot be read: {error}"), readable)),
    }
}

/// A link inside the directory could still lead a tool's working directory out of it.
fn tools_stay_inside(found: &Found, agent: &AgentSpec) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for tool in &agent.tools {
        let ToolRunner::Command(command) = &tool.runner else { continue };
        let problem = match fs::canonicalize(&command.directory) {
            Ok(real) if real.starts_with(&found.real) && real.is_dir() => continue,
            Ok(_) => "is not a directory inside the agent's directory".to_owned(),
            Err(error) => format!("cannot be used: {error}"),
        };
        diagnostics.push(
            Diagnostic::error(AGENT_FILE, Place::START, format!("the directory of tool {:?} {problem}", tool.name))
                .with_hint("create it inside the agent's directory, or correct `directory`"),
        );
    }
    diagnostics
}
