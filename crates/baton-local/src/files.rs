//! The files of an agent's directory: their stamps, to see that something changed, and their bytes.

use crate::{SystemClock, discover::Found};
use baton_agentdir::{
    AGENT_FILE, Diagnostic, MAX_REFERENCES, MCP_FILES, PLAYBOOK_FILE, PROMPT_FILE, REFERENCE_DIRECTORIES,
    document::Place, reference_type,
};
use baton_ports::Clock;
use baton_types::Digest;
use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    io::{self, Read},
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

const MAX_FILE: u64 = 1 << 20;
const MAX_REFERENCE_BYTES: usize = 16 << 20;
/// The names that are looked at in a directory of references.
const MAX_LISTED: usize = 10 * MAX_REFERENCES;
/// A file that was written this recently may be written again without its stamp showing it.
const SETTLING: Duration = Duration::from_secs(2);

/// What the file system says about the files, without reading them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    files: BTreeMap<String, Stamp>,
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
        let fixed = [AGENT_FILE, PROMPT_FILE, PLAYBOOK_FILE].into_iter().chain(MCP_FILES).map(str::to_owned);
        for file in fixed.chain(references(&found.real)) {
            if let Ok(metadata) = fs::metadata(found.real.join(&file)) {
                files.insert(file, Stamp::of(&metadata));
            }
        }
        let now = Duration::from_millis(u64::try_from(SystemClock.now().as_millis()).unwrap_or_default());
        let is_old = |stamp: &Stamp| stamp.modified.is_some_and(|modified| modified + SETTLING < now);
        let is_settled = files.values().all(is_old);
        Self { files, is_settled }
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

/// Files that lie directly in a directory of references, in a stable order.
fn references(agent: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for directory in REFERENCE_DIRECTORIES {
        let entries = fs::read_dir(agent.join(directory)).into_iter().flatten().take(MAX_LISTED);
        let files = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.extend(files.filter(|name| reference_type(name).is_some()).map(|name| format!("{directory}/{name}")));
    }
    names.sort();
    // One more than there may be, so that somebody is told.
    names.truncate(MAX_REFERENCES + 1);
    names
}

/// The bytes of the files, and what is wrong with reading them.
pub(crate) struct Content {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Of all of it.
    pub(crate) digest: Digest,
}

impl Content {
    /// Reads the files that have a stamp.
    pub(crate) fn read(found: &Found, stamps: &Stamps) -> Self {
        let mut files = BTreeMap::new();
        let mut diagnostics = Vec::new();
        let mut room = MAX_REFERENCE_BYTES;
        for file in stamps.files.keys() {
            let is_reference = file.contains('/');
            let bytes = match read_bounded(&found.real, file) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(remark) if is_reference || MCP_FILES.contains(&file.as_str()) => {
                    diagnostics.push(remark.softened("it is left out"));
                    continue;
                }
                Err(remark) => {
                    diagnostics.push(remark);
                    continue;
                }
            };
            if is_reference {
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
        let parts = files.iter().map(|(file, bytes)| format!("{file:?} {}\n", Digest::of(bytes)));
        let remarks = diagnostics.iter().map(|remark| format!("{remark}\n"));
        let digest = Digest::of(parts.chain(remarks).collect::<String>().as_bytes());
        Self { files, diagnostics, digest }
    }
}

/// `None` when there is no such file; otherwise its bytes, or what to say about it.
fn read_bounded(agent: &Path, file: &str) -> Result<Option<Vec<u8>>, Diagnostic> {
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
    if file.contains('/') && is_outside() {
        return Err(problem("the link leads out of the agent's directory".to_owned(), "copy the file into it"));
    }
    let opened = match File::open(&path) {
        Ok(opened) => opened,
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(problem(format!("the file cannot be opened: {error}"), readable)),
    };
    let mut bytes = Vec::new();
    match opened.take(MAX_FILE + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > MAX_FILE => {
            Err(problem("the file is larger than 1 MB".to_owned(), "keep large content in other files"))
        }
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(problem(format!("the file cannot be read: {error}"), readable)),
    }
}
