//! Write-ahead record of a change of several files: the change is committed once the record is written.

use crate::{definition_file::DraftFile, discover::DiscoveredAgent};
use baton_ports::AgentFiles;
use baton_types::Digest;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

const FILE: &str = ".baton-saving";
const MAX_RECORD_BYTES: u64 = 256 << 20;

/// New content of files, and digests of their old content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingChange {
    pub(super) changes: Vec<FileChange>,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: String,
    /// Digest of the old content; `None` if the file did not exist.
    pub(super) old: Option<Digest>,
    /// New content; `None` deletes the file.
    pub(super) new: Option<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
struct PendingHeader {
    /// Digest of everything after this line.
    digest: Digest,
    files: Vec<PendingFileEntry>,
}

#[derive(Serialize, Deserialize)]
struct PendingFileEntry {
    path: String,
    old: Option<Digest>,
    length: Option<usize>,
}

impl PendingChange {
    pub(super) fn from_changes(files: &AgentFiles, changes: &BTreeMap<String, Option<Vec<u8>>>) -> Self {
        let old = |path: &str| files.get(path).map(|bytes| Digest::compute(bytes));
        let change = |(path, new): (&String, &Option<Vec<u8>>)| FileChange {
            path: path.clone(),
            old: old(path),
            new: new.clone(),
        };
        Self { changes: changes.iter().map(change).collect() }
    }

    /// Path of the record.
    pub(crate) fn path(found: &DiscoveredAgent) -> PathBuf {
        match &found.file {
            Some(file) => found.real.join(format!("{FILE}-{file}")),
            None => found.real.join(FILE),
        }
    }

    /// Reads an unfinished change; `None` if there is none or it contains files that do not belong to the agent.
    pub(crate) fn read(found: &DiscoveredAgent) -> io::Result<Option<Self>> {
        let path = Self::path(found);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_RECORD_BYTES => return Err(io::Error::other("the file is too large")),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        let decoded = Self::decode(&fs::read(&path)?);
        Ok(decoded.filter(|pending| pending.changes.iter().all(|change| crate::files::belongs(found, &change.path))))
    }

    /// Writes the record, which commits the change.
    pub(super) fn write(&self, found: &DiscoveredAgent) -> io::Result<()> {
        let path = Self::path(found);
        let draft = DraftFile::write(&path, &self.encode()?)?;
        draft.replace_target(&path)
    }

    /// Applies the change to files; a file that was modified since keeps its new content.
    pub(crate) fn apply_to(&self, files: &mut AgentFiles) {
        for change in &self.changes {
            if files.get(&change.path).map(|bytes| Digest::compute(bytes)) == change.old {
                match &change.new {
                    Some(bytes) => files.insert(change.path.clone(), bytes.clone()),
                    None => files.remove(&change.path),
                };
            }
        }
    }

    fn encode(&self) -> io::Result<Vec<u8>> {
        let bytes: Vec<u8> = self.changes.iter().flat_map(|change| change.new.iter().flatten().copied()).collect();
        let entry = |change: &FileChange| PendingFileEntry {
            path: change.path.clone(),
            old: change.old.clone(),
            length: change.new.as_ref().map(Vec::len),
        };
        let header = PendingHeader { digest: Digest::compute(&bytes), files: self.changes.iter().map(entry).collect() };
        let mut all = serde_json::to_vec(&header).map_err(io::Error::other)?;
        all.push(b'\n');
        all.extend(bytes);
        Ok(all)
    }

    fn decode(all: &[u8]) -> Option<Self> {
        let end = all.iter().position(|byte| *byte == b'\n')?;
        let (header, mut rest) = (all.get(..end)?, all.get(end + 1..)?);
        let header: PendingHeader = serde_json::from_slice(header).ok()?;
        if Digest::compute(rest) != header.digest {
            return None;
        }
        let mut changes = Vec::new();
        for PendingFileEntry { path, old, length } in header.files {
            let new = match length {
                Some(length) => {
                    let (content, remaining) = rest.split_at_checked(length)?;
                    rest = remaining;
                    Some(content.to_vec())
                }
                None => None,
            };
            changes.push(FileChange { path, old, new });
        }
        Some(Self { changes })
    }

    /// Deletes the record.
    pub(super) fn delete_record(path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
