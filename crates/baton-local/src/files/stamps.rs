//! File system metadata of agent files, for change detection without reading them.

use super::belongs;
use crate::{discover::DiscoveredAgent, storage::PendingChange};
use baton_agentdir::{
    DEFINITION_FILES, GUIDE_FILE, MAX_REFERENCES, MCP_FILES, PLAYBOOK_FILE, PROMPT_FILE, REFERENCE_DIRECTORIES,
    RULE_DIRECTORY, SKILL_DIRECTORY, SKILL_FILE, provider::VARIABLES_FILE, reference_type,
};
use baton_system::SystemClock;
use baton_types::{Clock, Digest};
use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    path::Path,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

/// Maximum number of names read per directory.
const MAX_LISTED: usize = 10 * MAX_REFERENCES;
/// A file modified this recently may change again without a new timestamp.
const SETTLE_PERIOD: Duration = Duration::from_secs(2);
/// Maximum age of a directory listing; some file systems do not update directory timestamps.
const LISTING_TTL: Duration = Duration::from_secs(60);

/// File system metadata of all files of an agent.
#[derive(Clone, Debug)]
pub(crate) struct AgentStamps {
    pub(super) files: BTreeMap<String, FileStamp>,
    /// Metadata of an unfinished change.
    pub(super) pending: Option<FileStamp>,
    /// Whether any later change is detectable.
    pub(crate) is_settled: bool,
    listing: Arc<FileListing>,
}

/// The listing is not compared: it only tells which files to check.
impl PartialEq for AgentStamps {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) && self.is_settled == other.is_settled
    }
}

impl Eq for AgentStamps {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    pub(super) length: u64,
    pub(super) is_file: bool,
    is_link: bool,
    modified: Option<Duration>,
    identity: [i64; 4],
}

impl AgentStamps {
    /// Stamps of all files that the agent may consist of.
    pub(crate) fn collect(found: &DiscoveredAgent) -> Self {
        Self::from_listing(found, Arc::new(FileListing::collect(found)))
    }

    /// Current stamps; the listing of unchanged directories is reused.
    pub(crate) fn collect_since(found: &DiscoveredAgent, before: &Self) -> Self {
        match before.listing.is_current(found) {
            true => Self::from_listing(found, Arc::clone(&before.listing)),
            false => Self::collect(found),
        }
    }

    fn from_listing(found: &DiscoveredAgent, listing: Arc<FileListing>) -> Self {
        let stamps =
            listing.names.iter().filter_map(|file| Some((file.clone(), FileStamp::at(&found.real.join(file))?)));
        let files: BTreeMap<String, FileStamp> = stamps.collect();
        let pending = listing.may_be_pending.then(|| FileStamp::at(&PendingChange::path(found))).flatten();
        let now = now();
        let is_settled = pending.is_none() && files.values().all(|stamp| stamp.is_old(now));
        Self { files, pending, is_settled, listing }
    }

    /// Digest of the stamps; equal exactly if the stamps are equal.
    pub(crate) fn digest(&self) -> Digest {
        Digest::compute(format!("{:?} {:?}", self.files, self.pending).as_bytes())
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.files == other.files && self.pending == other.pending
    }

    /// Whether the path to the file contains no symbolic link.
    pub(super) fn is_plain(&self, file: &str) -> bool {
        let directory = file.rsplit_once('/').map_or("", |(directory, _)| directory);
        let is_link = |(listed, stamp): &(String, FileStamp)| (listed == directory).then_some(stamp.is_link);
        self.files.get(file).is_some_and(|stamp| !stamp.is_link)
            && self.listing.directories.iter().find_map(is_link) == Some(false)
    }
}

impl FileStamp {
    /// Stamp of a file, or of the target of a link.
    fn at(path: &Path) -> Option<Self> {
        let mut metadata = fs::symlink_metadata(path).ok()?;
        let is_link = metadata.is_symlink();
        if is_link {
            metadata = fs::metadata(path).ok()?;
        }
        let modified = metadata.modified().ok().and_then(|moment| moment.duration_since(UNIX_EPOCH).ok());
        let (length, identity) = (metadata.len(), identity(&metadata));
        Some(Self { length, is_file: metadata.is_file(), is_link, modified, identity })
    }

    /// Whether any later write changes the stamp.
    fn is_old(&self, now: Duration) -> bool {
        self.modified.is_some_and(|modified| modified + SETTLE_PERIOD < now)
    }
}

fn now() -> Duration {
    Duration::from_millis(u64::try_from(SystemClock.now().as_millis()).unwrap_or_default())
}

/// Identity of a file: differs for a file that was replaced, or whose modification time was reset.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev().cast_signed(), metadata.ino().cast_signed(), metadata.ctime(), metadata.ctime_nsec()]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [i64; 4] {
    [0; 4]
}

/// Files that may exist.
#[derive(Debug)]
struct FileListing {
    /// In a stable order.
    names: Vec<String>,
    /// Whether there may be an unfinished change.
    may_be_pending: bool,
    /// The listed directories, with their stamps before the listing.
    directories: Vec<(String, FileStamp)>,
    /// Whether the directory stamps reveal any later change.
    is_settled: bool,
    created_at: Duration,
}

impl FileListing {
    fn collect(found: &DiscoveredAgent) -> Self {
        let mut lister = DirectoryLister { agent: &found.real, directories: Vec::new(), is_known: true };
        let (names, may_be_pending) = lister.candidates(found);
        let created_at = now();
        let is_settled = lister.is_known && lister.directories.iter().all(|(_, stamp)| stamp.is_old(created_at));
        Self { names, may_be_pending, directories: lister.directories, is_settled, created_at }
    }

    /// Whether listing again would have the same result.
    fn is_current(&self, found: &DiscoveredAgent) -> bool {
        let is_same = |(directory, before): &(String, FileStamp)| {
            FileStamp::at(&found.real.join(directory)).is_some_and(|now| now == *before)
        };
        let age = now().checked_sub(self.created_at);
        self.is_settled && age.is_some_and(|age| age < LISTING_TTL) && self.directories.iter().all(is_same)
    }
}

/// Lists the directories of an agent.
struct DirectoryLister<'a> {
    agent: &'a Path,
    directories: Vec<(String, FileStamp)>,
    /// Whether all directories could be listed completely.
    is_known: bool,
}

impl DirectoryLister<'_> {
    /// Files that may exist, and whether there may be an unfinished change.
    fn candidates(&mut self, found: &DiscoveredAgent) -> (Vec<String>, bool) {
        let single = [PROMPT_FILE, PLAYBOOK_FILE, GUIDE_FILE, VARIABLES_FILE];
        let fixed = DEFINITION_FILES.into_iter().chain(MCP_FILES).chain(single);
        let mut names: Vec<String> = match &found.file {
            Some(file) if found.is_single_file() => return (vec![file.clone(), VARIABLES_FILE.to_owned()], true),
            _ => fixed.map(str::to_owned).filter(|file| belongs(found, file)).collect(),
        };
        // Listing the directory once is cheaper than checking each possible file.
        let there = self.listed("");
        let is_complete = !there.is_empty() && there.len() < MAX_LISTED;
        self.is_known &= is_complete;
        // Some file systems are case-insensitive.
        let may_be = |name: &str| !is_complete || there.iter().any(|there| there.eq_ignore_ascii_case(name));
        let pending = PendingChange::path(found);
        let may_be_pending = pending.file_name().and_then(|name| name.to_str()).is_none_or(may_be);
        names.retain(|file| may_be(file));
        let existing = |directories: &[&'static str]| -> Vec<&'static str> {
            directories.iter().copied().filter(|directory| may_be(directory)).collect()
        };
        names.extend(self.items(&existing(&[RULE_DIRECTORY])));
        names.extend(self.items(&existing(&REFERENCE_DIRECTORIES)));
        for skills in existing(&[SKILL_DIRECTORY]) {
            let all = self.listed(skills).into_iter().take(MAX_REFERENCES + 1);
            names.extend(all.map(|skill| format!("{SKILL_DIRECTORY}/{skill}/{SKILL_FILE}")));
        }
        (names, may_be_pending)
    }

    /// Files directly in item directories.
    fn items(&mut self, directories: &[&str]) -> Vec<String> {
        let mut names = Vec::new();
        for directory in directories {
            let files = self.listed(directory).into_iter().filter(|name| reference_type(name).is_some());
            names.extend(files.map(|name| format!("{directory}/{name}")));
        }
        names.sort();
        // One more than the maximum, so that the excess is reported.
        names.truncate(MAX_REFERENCES + 1);
        names
    }

    fn listed(&mut self, directory: &str) -> Vec<String> {
        let path = self.agent.join(directory);
        match FileStamp::at(&path) {
            Some(stamp) => self.directories.push((directory.to_owned(), stamp)),
            None => self.is_known = false,
        }
        let entries = fs::read_dir(&path).into_iter().flatten().take(MAX_LISTED);
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}
