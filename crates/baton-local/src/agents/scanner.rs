//! Scans for agents: unchanged ones are reused, the others are read.

use super::{
    definition_cache::DefinitionCache,
    location::{AgentFilesLocation, AgentOrigin, ChangeStamp, StorageEntry, is_foreign},
    snapshot::Snapshot,
    source::{Definition, DefinitionSource, MemoryBudget, ServedAgent},
};
use crate::{LoadError, SpecCheck, discover::discover, files::AgentContent};
use baton_agentdir::{AGENT_FILE, parse};
use baton_document::Diagnostic;
use baton_ports::UnusableEntry;
use baton_types::{AgentListing, AgentName, AgentSpec, Digest, ToolRunner};
use std::{
    collections::HashSet,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};
use tokio::time::Instant;

/// Maximum number of reader threads, and minimum number of agents per thread.
const MAX_THREADS: usize = 8;
const MIN_AGENTS_PER_THREAD: usize = 64;
/// Interval between reads of sources without stamps.
const UNSTAMPED_READ_INTERVAL: Duration = Duration::from_secs(10);

/// Options and caches of a scan.
pub(super) struct ScanContext<'a> {
    pub(super) check: Option<&'a SpecCheck>,
    /// Memory budget for files.
    pub(super) memory_budget: &'a Arc<MemoryBudget>,
    pub(super) loaded: &'a DefinitionCache,
    /// Whether sources without stamps are read in every scan.
    pub(super) is_thorough: bool,
}

/// The last known state of one agent.
#[derive(Clone)]
pub(super) struct ScannedAgent {
    pub(super) home: AgentFilesLocation,
    /// The last usable version.
    pub(super) served: Option<ServedAgent>,
    pub(super) diagnostics: Vec<Diagnostic>,
    stamps: Option<ChangeStamp>,
    digest: Digest,
    read_at: Instant,
}

impl ScannedAgent {
    /// Forces a read in the next scan, regardless of stamps.
    pub(super) fn mark_stale(&mut self) {
        self.stamps = None;
        self.digest = Digest::compute(b"");
    }

    /// Whether the files may have changed since they were read.
    pub(super) fn has_changed(&self) -> bool {
        let Some(before) = &self.stamps else { return false };
        !before.is_settled() || self.home.stamps(Some(before)).as_ref() != Some(before)
    }

    fn is_stale(&self) -> bool {
        self.digest == Digest::compute(b"")
    }

    fn is_broken(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// A problem with an agent or a path.
pub(super) struct ScanProblem {
    entry: PathBuf,
    error: LoadError,
}

impl ScanProblem {
    pub(super) fn duplicate(name: AgentName, first: &AgentFilesLocation, second: &AgentFilesLocation) -> Self {
        let (first, second) = (first.shown().to_owned(), second.shown().to_owned());
        Self { entry: second.clone(), error: LoadError::Duplicate { name, first, second } }
    }

    /// Whether the path is merely missing or empty.
    fn is_missing(&self) -> bool {
        matches!(self.error, LoadError::Missing { .. } | LoadError::Empty { .. })
    }

    pub(super) fn unusable(&self) -> UnusableEntry {
        UnusableEntry { entry: self.entry.display().to_string(), reason: self.error.to_string() }
    }
}

/// The error for strict loading, by precedence: paths, files, names.
pub(super) fn most_severe(problems: Vec<ScanProblem>, snapshot: &Snapshot) -> Option<LoadError> {
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

/// Scans all origins; agents are in the order of discovery.
pub(super) fn scan_origins(
    before: &Snapshot,
    origins: &[AgentOrigin],
    context: &ScanContext<'_>,
) -> (Vec<ScannedAgent>, Vec<ScanProblem>) {
    let (homes, mut problems) = homes(before, origins);
    let scanned_agents = read_all(before, &homes, context);
    for scanned in scanned_agents.iter().filter(|scanned| scanned.is_broken()) {
        let errors = scanned.diagnostics.iter().filter(|remark| remark.is_error()).cloned().collect();
        problems.push(ScanProblem { entry: scanned.home.shown().to_owned(), error: LoadError::Invalid(errors) });
    }
    (scanned_agents, problems)
}

/// Locations of agents, without duplicates.
fn homes(before: &Snapshot, origins: &[AgentOrigin]) -> (Vec<AgentFilesLocation>, Vec<ScanProblem>) {
    let mut homes: Vec<AgentFilesLocation> = Vec::new();
    let mut seen_keys = HashSet::new();
    let mut problems = Vec::new();
    for (number, origin) in origins.iter().enumerate() {
        let found = match origin {
            AgentOrigin::Path(path) => on_disk(before, path, homes.len()),
            AgentOrigin::Folder(path) => match on_disk(before, path, homes.len()) {
                Err((problem, _)) if problem.is_missing() => Ok(Vec::new()),
                found => found,
            },
            AgentOrigin::Storage(storage) => match storage.keys() {
                Ok(keys) => {
                    let location =
                        |key| AgentFilesLocation::Storage(StorageEntry { storage: Arc::clone(storage), number, key });
                    Ok(keys.into_iter().map(location).collect())
                }
                Err(error) => {
                    let entry = PathBuf::from("the storage of agents");
                    let source = std::io::Error::other(error);
                    let problem = ScanProblem { entry: entry.clone(), error: LoadError::Io { path: entry, source } };
                    let is_of = |home: &&AgentFilesLocation| matches!(home, AgentFilesLocation::Storage(stored) if stored.number == number);
                    let old = before.scanned_agents.iter().map(|scanned| &scanned.home).filter(is_of).cloned();
                    Err((problem, old.collect()))
                }
            },
        };
        let found = found.unwrap_or_else(|(problem, old): (ScanProblem, Vec<AgentFilesLocation>)| {
            problems.push(problem);
            old
        });
        homes.extend(found.into_iter().filter(|home| seen_keys.insert(home.location_key())));
    }
    (homes, problems)
}

/// Agents at a path. On a read error the previous ones are kept; at a missing path they are removed.
fn on_disk(
    before: &Snapshot,
    path: &Path,
    agent_count: usize,
) -> Result<Vec<AgentFilesLocation>, (ScanProblem, Vec<AgentFilesLocation>)> {
    match discover(path, agent_count, &|file| before.is_agent_file(file)) {
        Ok(found) => Ok(found.into_iter().map(AgentFilesLocation::Disk).collect()),
        Err(error) => {
            let is_gone = matches!(error, LoadError::Missing { .. } | LoadError::Empty { .. });
            let below =
                |home: &&AgentFilesLocation| !is_gone && home.directory().is_some() && home.shown().starts_with(path);
            let old = before.scanned_agents.iter().map(|scanned| &scanned.home).filter(below).cloned().collect();
            Err((ScanProblem { entry: path.to_owned(), error }, old))
        }
    }
}

/// Reads changed agents, in parallel if there are many.
fn read_all(before: &Snapshot, homes: &[AgentFilesLocation], context: &ScanContext<'_>) -> Vec<ScannedAgent> {
    let again = |home: &AgentFilesLocation| read_if_changed(home, before.find(&home.location_key()), context);
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let threads = cores.min(homes.len() / MIN_AGENTS_PER_THREAD);
    if threads < 2 {
        return homes.iter().map(again).collect();
    }
    let share = homes.len().div_ceil(threads);
    thread::scope(|scope| {
        let again = &again;
        let parts: Vec<_> =
            homes.chunks(share).map(|part| (part, scope.spawn(move || part.iter().map(again).collect()))).collect();
        let read = |(part, reading): (&[AgentFilesLocation], thread::ScopedJoinHandle<'_, Vec<ScannedAgent>>)| {
            // If the thread panicked, its share is read again here, so that the panic reaches the caller.
            reading.join().unwrap_or_else(|_| part.iter().map(again).collect())
        };
        parts.into_iter().flat_map(read).collect()
    })
}

/// Returns the agent's state; reads its files only if they may have changed.
fn read_if_changed(home: &AgentFilesLocation, old: Option<&ScannedAgent>, context: &ScanContext<'_>) -> ScannedAgent {
    // An agent with errors is always read again: the fix may be elsewhere, such as the missing directory of a tool.
    let good = old.filter(|old| !old.is_broken() && old.home.shown() == home.shown());
    let before = good.and_then(|old| old.stamps.as_ref());
    if let Some(old) = good {
        let is_early = !context.is_thorough && old.read_at.elapsed() < UNSTAMPED_READ_INTERVAL;
        let is_same = match home.stamps(before) {
            Some(now) => before.is_some_and(|before| before.is_settled() && *before == now),
            None => before.is_none() && home.directory().is_none() && is_early && !old.is_stale(),
        };
        if is_same {
            return old.clone();
        }
    }
    let (content, stamps) = home.content();
    let read_at = Instant::now();
    if let Some(old) = good.filter(|old| old.digest == content.digest) {
        return ScannedAgent { stamps, read_at, ..old.clone() };
    }
    let digest = content.digest.clone();
    let (served, mut diagnostics) = read(home, content, old.and_then(|old| old.served.as_ref()), context);
    for remark in &mut diagnostics {
        remark.file = match home {
            AgentFilesLocation::Disk(found) => found.shown_file(&remark.file).display().to_string(),
            AgentFilesLocation::Storage(entry) => format!("{}/{}", entry.key, remark.file),
        };
    }
    let served = served.or_else(|| old?.served.clone());
    ScannedAgent { home: home.clone(), served, diagnostics, stamps, digest, read_at }
}

/// Parses the agent, or returns the errors.
fn read(
    home: &AgentFilesLocation,
    content: AgentContent,
    old: Option<&ServedAgent>,
    context: &ScanContext<'_>,
) -> (Option<ServedAgent>, Vec<Diagnostic>) {
    let is_foreign = is_foreign(&content);
    let AgentContent { files, mut diagnostics, .. } = content;
    if diagnostics.iter().any(Diagnostic::is_error) {
        return (None, diagnostics);
    }
    let Some(base) = home.base() else {
        let message = "the directory's path is not UTF-8";
        let remark = Diagnostic::error(AGENT_FILE, baton_document::SourceLocation::START, message);
        diagnostics.push(remark.with_hint("rename the directory"));
        return (None, diagnostics);
    };
    let parsed = parse(&files, base);
    diagnostics.extend(parsed.diagnostics);
    if let Some(spec) = &parsed.agent {
        diagnostics.extend(tools_stay_inside(home, spec));
        diagnostics.extend(context.check.map(|check| check(spec)).unwrap_or_default());
    }
    let is_good = !diagnostics.iter().any(Diagnostic::is_error);
    let served = parsed.agent.filter(|_| is_good).map(|agent| {
        let definition = Definition { agent: Arc::new(agent), resources: Arc::new(parsed.resources) };
        // Equivalent files are not a change.
        if let Some(old) = old.filter(|old| old.source.parses_to(&definition)) {
            return old.clone();
        }
        let listing = Arc::new(AgentListing::from_agent(&definition.agent, &definition.resources));
        let source =
            Arc::new(DefinitionSource::new(home.clone(), &definition, is_foreign, files, context.memory_budget));
        let served = ServedAgent { listing, source };
        context.loaded.insert_if_free(&served, definition);
        served
    });
    (served, diagnostics)
}

/// Rejects working directories outside the agent's directory: a symbolic link inside it could lead out.
fn tools_stay_inside(home: &AgentFilesLocation, agent: &AgentSpec) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for tool in &agent.tools {
        let ToolRunner::Command(command) = &tool.runner else { continue };
        let Some(inside) = home.directory() else {
            let message = format!("tool {:?} runs a program, and this agent has no directory to run it in", tool.name);
            let remark = Diagnostic::error(AGENT_FILE, baton_document::SourceLocation::START, message);
            diagnostics.push(remark.with_hint("keep the agent in a directory, or offer the tool by an MCP server"));
            continue;
        };
        let problem = match fs::canonicalize(&command.directory) {
            Ok(real) if real.starts_with(inside) && real.is_dir() => continue,
            Ok(_) => "is not a directory inside the agent's directory".to_owned(),
            Err(error) => format!("cannot be used: {error}"),
        };
        let message = format!("the directory of tool {:?} {problem}", tool.name);
        diagnostics.push(
            Diagnostic::error(AGENT_FILE, baton_document::SourceLocation::START, message)
                .with_hint("create it inside the agent's directory, or correct `directory`"),
        );
    }
    diagnostics
}
