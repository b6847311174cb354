//! The files of an agent: their stamps, to see that something changed, and their bytes.

use crate::{SystemClock, discover::Found, storage::Pending};
use baton_agentdir::{
    DEFINITION_FILES, Diagnostic, GUIDE_FILE, MAX_REFERENCES, MCP_FILES, PLAYBOOK_FILE, PROMPT_FILE,
    REFERENCE_DIRECTORIES, RULE_DIRECTORY, SKILL_DIRECTORY, SKILL_FILE, document::Place, is_definition_path,
    provider::VARIABLES_FILE, reference_type,
};
use baton_ports::{AgentFiles, Clock};
use baton_types::Digest;
use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    io::{self, Read},
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

const MAX_FILE: u64 = 1 << 20;
/// Other programs keep vectors in the files of their agents.
const MAX_FOREIGN_FILE: u64 = 64 << 20;
const MAX_ITEM_BYTES: usize = 16 << 20;
/// The names that are looked at in a directory of references.
const MAX_LISTED: usize = 10 * MAX_REFERENCES;
/// A file that was written this recently may be written again without its stamp showing it.
const SETTLING: Duration = Duration::from_secs(2);
/// How often files are read again because somebody wrote meanwhile.
const TRIES: usize = 5;

/// What the file system says about the files, without reading them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    files: BTreeMap<String, Stamp>,
    /// Of a change that was begun.
    pending: Option<Stamp>,
    /// Whether a change would show.
    pub(crate) is_settled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<Duration>,
    identity: [i64; 4],
}

impl Stamps {
    /// Of everything that the agent may be made of.
    pub(crate) fn of(found: &Found) -> Self {
        let mut files = BTreeMap::new();
        for file in candidates(found) {
            if let Ok(metadata) = fs::metadata(found.real.join(&file)) {
                files.insert(file, Stamp::of(&metadata));
            }
        }
        let pending = fs::metadata(Pending::path(found)).ok().map(|metadata| Stamp::of(&metadata));
        let now = Duration::from_millis(u64::try_from(SystemClock.now().as_millis()).unwrap_or_default());
        let is_old = |stamp: &Stamp| stamp.modified.is_some_and(|modified| modified + SETTLING < now);
        let is_settled = pending.is_none() && files.values().all(is_old);
        Self { files, pending, is_settled }
    }

    /// The same stamps have the same digest, and others another.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(format!("{:?} {:?}", self.files, self.pending).as_bytes())
    }

    fn is_same(&self, other: &Self) -> bool {
        self.files == other.files && self.pending == other.pending
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|moment| moment.duration_since(UNIX_EPOCH).ok());
        Self { length: metadata.len(), modified, identity: identity(metadata) }
    }
}

/// A file that took another's place, or whose time was set back, is another.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev().cast_signed(), metadata.ino().cast_signed(), metadata.ctime(), metadata.ctime_nsec()]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [i64; 4] {
    [0; 4]
}

/// Whether a file of this path may be part of the agent.
pub(crate) fn belongs(found: &Found, path: &str) -> bool {
    match &found.file {
        Some(file) if found.is_alone() => path == file || path == VARIABLES_FILE,
        Some(file) => path == file || is_definition_path(path) && !DEFINITION_FILES.contains(&path),
        None => is_definition_path(path),
    }
}

/// Files that may be there, in a stable order.
fn candidates(found: &Found) -> Vec<String> {
    let single = [PROMPT_FILE, PLAYBOOK_FILE, GUIDE_FILE, VARIABLES_FILE];
    let fixed = DEFINITION_FILES.into_iter().chain(MCP_FILES).chain(single);
    let mut names: Vec<String> = match &found.file {
        Some(file) if found.is_alone() => return vec![file.clone(), VARIABLES_FILE.to_owned()],
        _ => fixed.map(str::to_owned).filter(|file| belongs(found, file)).collect(),
    };
    let agent = &found.real;
    // One look at the directory is cheaper than asking for each file that it may have.
    let there = listed(agent);
    let is_whole = !there.is_empty() && there.len() < MAX_LISTED;
    // Some file systems take upper and lower case for the same.
    let may_be = |name: &str| !is_whole || there.iter().any(|there| there.eq_ignore_ascii_case(name));
    names.retain(|file| may_be(file));
    let among = |directories: &[&'static str]| -> Vec<&'static str> {
        directories.iter().copied().filter(|directory| may_be(directory)).collect()
    };
    names.extend(items(agent, &among(&[RULE_DIRECTORY])));
    names.extend(items(agent, &among(&REFERENCE_DIRECTORIES)));
    let skills = among(&[SKILL_DIRECTORY]).into_iter().flat_map(|skills| listed(&agent.join(skills)));
    let skills = skills.take(MAX_REFERENCES + 1);
    names.extend(skills.map(|skill| format!("{SKILL_DIRECTORY}/{skill}/{SKILL_FILE}")));
    names
}

/// Files that lie directly in directories of items.
fn items(agent: &Path, directories: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for directory in directories {
        let files = listed(&agent.join(directory)).into_iter().filter(|name| reference_type(name).is_some());
        names.extend(files.map(|name| format!("{directory}/{name}")));
    }
    names.sort();
    // One more than there may be, so that somebody is told.
    names.truncate(MAX_REFERENCES + 1);
    names
}

fn listed(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().take(MAX_LISTED);
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The bytes of the files, and what is wrong with reading them.
pub(crate) struct Content {
    pub(crate) files: AgentFiles,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Of all of it.
    pub(crate) digest: Digest,
    /// A change that was begun and is not finished; the files are as it leaves them.
    pub(crate) pending: Option<Pending>,
}

impl Content {
    /// Reads the files as they were at one moment; of a change of several files all is there or nothing.
    pub(crate) fn read(found: &Found) -> (Self, Stamps) {
        let mut before = Stamps::of(found);
        let mut content = Self::read_once(found, &before);
        for _ in 1..TRIES {
            let after = Stamps::of(found);
            if before.is_same(&after) {
                break;
            }
            content = Self::read_once(found, &after);
            before = after;
        }
        (content, before)
    }

    fn read_once(found: &Found, stamps: &Stamps) -> Self {
        let pending = stamps.pending.as_ref().and_then(|_| Pending::read(found).ok().flatten());
        let mut files = BTreeMap::new();
        let mut diagnostics = Vec::new();
        let mut room = MAX_ITEM_BYTES;
        for file in stamps.files.keys() {
            let is_item = file.contains('/') || file == GUIDE_FILE;
            let bytes = match read_bounded(&found.real, file, is_item) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(remark) if is_item || is_beside(found, file) => {
                    diagnostics.push(remark.softened("it is left out"));
                    continue;
                }
                Err(remark) => {
                    diagnostics.push(remark);
                    continue;
                }
            };
            if is_item {
                let Some(left) = room.checked_sub(bytes.len()) else {
                    let message = "all references together are larger than 16 MB; this one is left out";
                    let remark = Diagnostic::warning(file, Place::START, message);
                    diagnostics.push(remark.with_hint("keep fewer or shorter files"));
                    continue;
                };
                room = left;
            }
            files.insert(file.clone(), bytes);
        }
        if let Some(pending) = &pending {
            pending.finish(&mut files);
        }
        let parts = files.iter().map(|(file, bytes)| format!("{file:?} {}\n", Digest::of(bytes)));
        let remarks = diagnostics.iter().map(|remark| format!("{remark}\n"));
        let digest = Digest::of(parts.chain(remarks).collect::<String>().as_bytes());
        Self { files, diagnostics, digest, pending }
    }
}

/// Whether the agent is there without this file.
fn is_beside(found: &Found, file: &str) -> bool {
    let own = match &found.file {
        Some(own) => Some(own.as_str()),
        None => DEFINITION_FILES.into_iter().find(|name| found.real.join(name).is_file()),
    };
    MCP_FILES.contains(&file) && own != Some(file)
}

/// `None` when there is no such file; otherwise its bytes, or what to say about it.
fn read_bounded(agent: &Path, file: &str, is_item: bool) -> Result<Option<Vec<u8>>, Diagnostic> {
    let problem = |message: String, hint: &str| Diagnostic::error(file, Place::START, message).with_hint(hint);
    let readable = "check that the file can be read by the user that runs Baton";
    let path = agent.join(file);
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        // Opening a pipe would wait for whoever writes into it.
        Ok(_) => return Err(problem("this is not a file".to_owned(), "put a file there, or remove it")),
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(problem(format!("the file cannot be opened: {error}"), readable)),
    }
    // Everybody who may use the agent can read its references, so a link must not bring in other files.
    let is_outside = || !fs::canonicalize(&path).is_ok_and(|real| real.starts_with(agent));
    if is_item && is_outside() {
        return Err(problem("the link leads out of the agent's directory".to_owned(), "copy the file into it"));
    }
    let opened = match File::open(&path) {
        Ok(opened) => opened,
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(problem(format!("the file cannot be opened: {error}"), readable)),
    };
    let is_own = |name: &&str| *name == baton_agentdir::AGENT_FILE || *name == PROMPT_FILE || *name == PLAYBOOK_FILE;
    let is_small = is_item || is_own(&file);
    let (most, said) = if is_small { (MAX_FILE, "1 MB") } else { (MAX_FOREIGN_FILE, "64 MB") };
    let mut bytes = Vec::new();
    match opened.take(most + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > most => {
            Err(problem(format!("the file is larger than {said}"), "keep large content in other files"))
        }
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(problem(format!("the file cannot be read: {error}"), readable)),
    }
}
