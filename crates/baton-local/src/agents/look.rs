//! One look at the directories: what did not change is taken over, the rest is read.

use super::snapshot::{Served, Snapshot};
use crate::{
    LoadError, SpecCheck,
    discover::{Found, discover},
    files::{Content, Stamps},
};
use baton_agentdir::{AGENT_FILE, Diagnostic, document, parse};
use baton_ports::Unusable;
use baton_types::{AgentName, AgentSpec, Digest, ToolRunner};
use std::{fs, path::PathBuf, sync::Arc};

/// One agent directory as it was when it was last read.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) found: Found,
    /// The agent as it was when it last could be used.
    pub(super) served: Option<Served>,
    pub(super) diagnostics: Vec<Diagnostic>,
    stamps: Option<Stamps>,
    digest: Digest,
}

impl Place {
    /// Has the files read again at the next look, whatever their stamps say.
    pub(super) fn forget(&mut self) {
        self.stamps = None;
        self.digest = Digest::of(b"");
    }

    fn is_broken(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Something that keeps an agent, or a path full of them, from being used as it stands.
pub(super) struct Problem {
    entry: PathBuf,
    error: LoadError,
}

impl Problem {
    pub(super) fn duplicate(name: AgentName, first: &Found, second: &Found) -> Self {
        let (first, second) = (first.shown.clone(), second.shown.clone());
        Self { entry: second.clone(), error: LoadError::Duplicate { name, first, second } }
    }

    pub(super) fn unusable(&self) -> Unusable {
        Unusable { entry: self.entry.display().to_string(), reason: self.error.to_string() }
    }
}

/// The error to stop with when everything has to be good: paths before files before names.
pub(super) fn worst(problems: Vec<Problem>, snapshot: &Snapshot) -> Option<LoadError> {
    let mut duplicate = None;
    let mut is_invalid = false;
    for problem in problems {
        match problem.error {
            LoadError::Invalid(_) => is_invalid = true,
            error @ LoadError::Duplicate { .. } => duplicate = duplicate.or(Some(error)),
            error => return Some(error),
        }
    }
    if is_invalid { Some(LoadError::Invalid(snapshot.diagnostics())) } else { duplicate }
}

/// The agent directories as they are now.
pub(super) fn look(before: &Snapshot, paths: &[PathBuf], check: Option<&SpecCheck>) -> (Vec<Place>, Vec<Problem>) {
    let mut places: Vec<Place> = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        let found = match discover(path, places.len()) {
            Ok(found) => found,
            Err(error) => {
                let is_gone = matches!(error, LoadError::Missing { .. } | LoadError::Empty { .. });
                problems.push(Problem { entry: path.clone(), error });
                // What cannot be looked at stays as it was; what is not there is gone.
                let below = before.places.iter().filter(|old| !is_gone && old.found.shown.starts_with(path));
                below.map(|old| old.found.clone()).collect()
            }
        };
        for found in found {
            if places.iter().any(|place| place.found.real == found.real) {
                continue;
            }
            let old = before.places.iter().find(|old| old.found.real == found.real);
            let place = again(&found, old, check);
            if place.is_broken() {
                let errors = place.diagnostics.iter().filter(|remark| remark.is_error()).cloned().collect();
                problems.push(Problem { entry: found.shown.clone(), error: LoadError::Invalid(errors) });
            }
            places.push(place);
        }
    }
    (places, problems)
}

/// The directory, read only if its files may have changed.
fn again(found: &Found, old: Option<&Place>, check: Option<&SpecCheck>) -> Place {
    let stamps = Stamps::of(found);
    // What is wrong may have been put right elsewhere, such as a tool's directory that was missing.
    let good = old.filter(|old| !old.is_broken() && old.found == *found);
    if let Some(old) = good
        && old.stamps.as_ref().is_some_and(|before| before.is_settled && *before == stamps)
    {
        return old.clone();
    }
    let content = Content::read(found, &stamps);
    if let Some(old) = good.filter(|old| old.digest == content.digest) {
        return Place { stamps: Some(stamps), ..old.clone() };
    }
    let digest = content.digest.clone();
    let (served, mut diagnostics) = read(found, content, check);
    for remark in &mut diagnostics {
        remark.file = found.shown.join(&remark.file).display().to_string();
    }
    let served = served.or_else(|| old?.served.clone());
    Place { found: found.clone(), served, diagnostics, stamps: Some(stamps), digest }
}

/// The agent that the files make, or why they make none.
fn read(found: &Found, content: Content, check: Option<&SpecCheck>) -> (Option<Served>, Vec<Diagnostic>) {
    let Content { files, mut diagnostics, .. } = content;
    if diagnostics.iter().any(Diagnostic::is_error) {
        return (None, diagnostics);
    }
    let Some(base) = found.real.to_str() else {
        let message = "the directory's path is not UTF-8";
        let remark = Diagnostic::error(AGENT_FILE, document::Place::START, message);
        diagnostics.push(remark.with_hint("rename the directory"));
        return (None, diagnostics);
    };
    let parsed = parse(&files, base);
    diagnostics.extend(parsed.diagnostics);
    if let Some(spec) = &parsed.agent {
        diagnostics.extend(tools_stay_inside(found, spec));
        diagnostics.extend(check.map(|check| check(spec)).unwrap_or_default());
    }
    let is_good = !diagnostics.iter().any(Diagnostic::is_error);
    let served = parsed.agent.filter(|_| is_good);
    (served.map(|agent| Served { agent: Arc::new(agent), kit: Arc::new(parsed.kit) }), diagnostics)
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
        let message = format!("the directory of tool {:?} {problem}", tool.name);
        diagnostics.push(
            Diagnostic::error(AGENT_FILE, document::Place::START, message)
                .with_hint("create it inside the agent's directory, or correct `directory`"),
        );
    }
    diagnostics
}
