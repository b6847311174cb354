//! Agent files: stamps for change detection, and content.

mod stamps;

pub(crate) use stamps::AgentStamps;

use crate::{discover::DiscoveredAgent, storage::PendingChange};
use baton_agentdir::{
    DEFINITION_FILES, GUIDE_FILE, MCP_FILES, PLAYBOOK_FILE, PROMPT_FILE, is_definition_path, provider::VARIABLES_FILE,
};
use baton_document::{Diagnostic, SourceLocation};
use baton_ports::AgentFiles;
use baton_types::Digest;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

const MAX_FILE: u64 = 1 << 20;
/// Other programs store embeddings in the files of their agents.
const MAX_FOREIGN_FILE: u64 = 64 << 20;
const MAX_ITEM_BYTES: usize = 16 << 20;
/// Maximum attempts to read the files without a concurrent write.
const MAX_READ_ATTEMPTS: usize = 5;

/// Whether a file with this path may be part of the agent.
pub(crate) fn belongs(found: &DiscoveredAgent, path: &str) -> bool {
    match &found.file {
        Some(file) if found.is_single_file() => path == file || path == VARIABLES_FILE,
        Some(file) => path == file || is_definition_path(path) && !DEFINITION_FILES.contains(&path),
        None => is_definition_path(path),
    }
}

/// Content of the files, and diagnostics of reading them.
pub(crate) struct AgentContent {
    pub(crate) files: AgentFiles,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Digest of all files and diagnostics.
    pub(crate) digest: Digest,
    /// An unfinished change; the files are as after this change.
    pub(crate) pending: Option<PendingChange>,
}

impl AgentContent {
    /// Reads a consistent snapshot of the files; a change of several files is included completely or not at all.
    pub(crate) fn read(found: &DiscoveredAgent) -> (Self, AgentStamps) {
        let mut before = AgentStamps::collect(found);
        let mut content = Self::read_once(found, &before);
        for _ in 1..MAX_READ_ATTEMPTS {
            let after = AgentStamps::collect_since(found, &before);
            if before.is_same(&after) {
                break;
            }
            content = Self::read_once(found, &after);
            before = after;
        }
        (content, before)
    }

    fn read_once(found: &DiscoveredAgent, stamps: &AgentStamps) -> Self {
        let pending = stamps.pending.as_ref().and_then(|_| PendingChange::read(found).ok().flatten());
        let mut files = BTreeMap::new();
        let mut diagnostics = Vec::new();
        let mut room = MAX_ITEM_BYTES;
        for file in stamps.files.keys() {
            let is_item = file.contains('/') || file == GUIDE_FILE;
            let bytes = match read_bounded(&found.real, file, stamps, is_item) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(remark) if is_item || is_optional(found, file) => {
                    diagnostics.push(remark.into_warning("it is left out"));
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
                    let remark = Diagnostic::warning(file, SourceLocation::START, message);
                    diagnostics.push(remark.with_hint("keep fewer or shorter files"));
                    continue;
                };
                room = left;
            }
            files.insert(file.clone(), bytes);
        }
        if let Some(pending) = &pending {
            pending.apply_to(&mut files);
        }
        let parts = files.iter().map(|(file, bytes)| format!("{file:?} {}\n", Digest::compute(bytes)));
        let remarks = diagnostics.iter().map(|remark| format!("{remark}\n"));
        let digest = Digest::compute(parts.chain(remarks).collect::<String>().as_bytes());
        Self { files, diagnostics, digest, pending }
    }
}

/// Whether the agent is usable without this file.
fn is_optional(found: &DiscoveredAgent, file: &str) -> bool {
    let own = match &found.file {
        Some(own) => Some(own.as_str()),
        None => DEFINITION_FILES.into_iter().find(|name| found.real.join(name).is_file()),
    };
    MCP_FILES.contains(&file) && own != Some(file)
}

/// The content of a file; `None` if it does not exist.
fn read_bounded(agent: &Path, file: &str, stamps: &AgentStamps, is_item: bool) -> Result<Option<Vec<u8>>, Diagnostic> {
    let problem = |message: String, hint: &str| Diagnostic::error(file, SourceLocation::START, message).with_hint(hint);
    let readable = "check that the file can be read by the user that runs Baton";
    let path = agent.join(file);
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let Some(stamp) = stamps.files.get(file) else { return Ok(None) };
    if !stamp.is_file {
        // Opening a pipe would block until it has a writer.
        return Err(problem("this is not a file".to_owned(), "put a file there, or remove it"));
    }
    // All users of the agent can read its references, so a link must not include files from outside.
    let is_outside = || !stamps.is_plain(file) && !fs::canonicalize(&path).is_ok_and(|real| real.starts_with(agent));
    if is_item && is_outside() {
        return Err(problem("the link points outside the agent's directory".to_owned(), "copy the file into it"));
    }
    let opened = match File::open(&path) {
        Ok(opened) => opened,
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(problem(format!("the file cannot be opened: {error}"), readable)),
    };
    let is_own = |name: &&str| *name == baton_agentdir::AGENT_FILE || *name == PROMPT_FILE || *name == PLAYBOOK_FILE;
    let is_small = is_item || is_own(&file);
    let (max, label) = if is_small { (MAX_FILE, "1 MB") } else { (MAX_FOREIGN_FILE, "64 MB") };
    // One additional byte to detect the end of the file, so that a single read suffices.
    let capacity = stamp.length.min(max) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(capacity).unwrap_or_default());
    match opened.take(max + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > max => {
            Err(problem(format!("the file is larger than {label}"), "keep large content in other files"))
        }
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(problem(format!("the file cannot be read: {error}"), readable)),
    }
}
