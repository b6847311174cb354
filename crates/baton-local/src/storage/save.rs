//! Crash-safe changes of agent files: each change is applied completely or not at all.
//!
//! A single file is replaced by a rename. For several files, a write-ahead record is first written next to the agent:
//! from then on readers see the new content, and the next process with write access applies it.

use super::PendingChange;
use crate::{
    definition_file::{ReplaceOutcome, lock_directory, replace, sync_directory},
    discover::{DRAFT_SUFFIX, DiscoveredAgent},
    files::{AgentContent, belongs},
};
use baton_ports::AgentFiles;
use baton_types::Digest;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Outcome of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SaveOutcome {
    /// The change is on disk; the digest covers all files.
    Done(Digest),
    /// Another process is writing, or has written since the files were read; its version is kept.
    Conflict,
}

/// Replaces or deletes files atomically, if they still match the digest.
pub(crate) fn save(
    found: &DiscoveredAgent,
    expected: &Digest,
    changes: &BTreeMap<String, Option<Vec<u8>>>,
) -> io::Result<SaveOutcome> {
    if let Some(path) = changes.keys().find(|path| !belongs(found, path)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("an agent has no file {path:?}")));
    }
    let Some(_lock) = lock_directory(&found.real)? else { return Ok(SaveOutcome::Conflict) };
    apply_pending(found)?;
    let (content, _) = AgentContent::read(found);
    if content.digest != *expected {
        return Ok(SaveOutcome::Conflict);
    }
    let mut changes = changes.clone();
    changes.retain(|path, new| content.files.get(path) != new.as_ref());
    for path in changes.keys() {
        writable(&found.real.join(path))?;
    }
    match changes.len() {
        0 => return Ok(SaveOutcome::Done(content.digest)),
        1 => {
            for (path, new) in &changes {
                let old = content.files.get(path).map(Vec::as_slice);
                if write_or_delete(found, path, old, new.as_deref())? == ReplaceOutcome::Conflict {
                    return Ok(SaveOutcome::Conflict);
                }
            }
        }
        _ => {
            PendingChange::from_changes(&content.files, &changes).write(found)?;
            apply_pending(found)?;
        }
    }
    Ok(SaveOutcome::Done(AgentContent::read(found).0.digest))
}

/// Finishes the change of a process that was killed. Reading does not depend on it, so errors are only logged.
pub(crate) fn finish_pending(found: &DiscoveredAgent) {
    if let Ok(Some(_lock)) = lock_directory(&found.real)
        && let Err(error) = apply_pending(found)
    {
        tracing::debug!(path = %found.shown.display(), %error, "an unfinished change is still pending");
    }
}

/// Applies an unfinished change. The caller must hold the lock of the directory.
fn apply_pending(found: &DiscoveredAgent) -> io::Result<()> {
    let path = PendingChange::path(found);
    let Some(pending) = PendingChange::read(found)? else {
        // An unreadable record was not written completely by this program.
        return PendingChange::delete_record(&path);
    };
    for change in &pending.changes {
        let file = found.real.join(&change.path);
        let current = match fs::read(&file) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if current.as_deref().map(Digest::compute) == change.old {
            // A concurrent save of the file takes precedence.
            write_or_delete(found, &change.path, current.as_deref(), change.new.as_deref())?;
        }
    }
    PendingChange::delete_record(&path)?;
    sync_directory(&found.real)
}

/// Writes or deletes one file.
fn write_or_delete(
    found: &DiscoveredAgent,
    path: &str,
    old: Option<&[u8]>,
    new: Option<&[u8]>,
) -> io::Result<ReplaceOutcome> {
    let file = found.real.join(path);
    let directory = file.parent().unwrap_or(&found.real);
    match new {
        Some(new) => {
            if !directory.is_dir() {
                fs::create_dir_all(directory)?;
                sync_directory(&found.real)?;
            }
            replace(&found.real, &file, old, new)
        }
        None if old.is_some() => {
            fs::remove_file(&file)?;
            sync_directory(directory)?;
            Ok(ReplaceOutcome::Done)
        }
        None => Ok(ReplaceOutcome::Done),
    }
}

fn writable(file: &Path) -> io::Result<()> {
    match fs::metadata(file) {
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"))
        }
        _ => Ok(()),
    }
}

/// Atomically creates the directory of a new agent.
pub(crate) fn create(folder: &Path, name: &str, files: &AgentFiles) -> io::Result<DiscoveredAgent> {
    let directory = folder.join(name);
    if fs::symlink_metadata(&directory).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it already exists"));
    }
    fs::create_dir_all(folder)?;
    let real = fs::canonicalize(folder)?;
    let Some(_lock) = lock_directory(&real)? else {
        return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process is writing there"));
    };
    let draft = draft(&real, name);
    remove_directory(&draft)?;
    fs::create_dir(&draft)?;
    let created = DiscoveredAgent { shown: draft.clone(), real: draft.clone(), file: None };
    let written = files.iter().try_for_each(|(path, bytes)| {
        if !belongs(&created, path) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("an agent has no file {path:?}")));
        }
        write_or_delete(&created, path, None, Some(bytes)).map(drop)
    });
    let placed = written.and_then(|()| fs::rename(&draft, real.join(name)));
    if let Err(error) = placed {
        let _ = remove_directory(&draft);
        return Err(error);
    }
    sync_directory(&real)?;
    Ok(DiscoveredAgent { shown: directory, real: real.join(name), file: None })
}

/// Deletes an agent with all its files.
pub(crate) fn remove(found: &DiscoveredAgent) -> io::Result<()> {
    if let Some(file) = &found.file {
        let Some(_lock) = lock_directory(&found.real)? else {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process is writing there"));
        };
        apply_pending(found)?;
        fs::remove_file(found.real.join(file))?;
        return sync_directory(&found.real);
    }
    let (Some(folder), Some(name)) = (found.real.parent(), found.real.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this directory cannot be removed"));
    };
    let draft = draft(folder, &name.to_string_lossy());
    remove_directory(&draft)?;
    // After this rename a partially deleted agent is never found.
    fs::rename(&found.real, &draft)?;
    sync_directory(folder)?;
    remove_directory(&draft)
}

fn draft(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}{DRAFT_SUFFIX}"))
}

fn remove_directory(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
