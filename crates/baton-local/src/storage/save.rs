//! Crash-safe changes of agent files: each change is applied completely or not at all.
//!
//! A single file is replaced by a rename. For several files, a write-ahead record is first written next to the agent:
//! from then on readers see the new content, and the next process with write access applies it.

use super::Pending;
use crate::{
    definition_file::{Replaced, alone, replace, synced},
    discover::{DRAFT_ENDING, Found},
    files::{Content, belongs},
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
pub(crate) enum Saved {
    /// The change is on disk; the digest covers all files.
    Done(Digest),
    /// Another process is writing, or has written since the files were read; its version is kept.
    Not,
}

/// Replaces or deletes files atomically, if they still match the digest.
pub(crate) fn save(found: &Found, expected: &Digest, changes: &BTreeMap<String, Option<Vec<u8>>>) -> io::Result<Saved> {
    if let Some(path) = changes.keys().find(|path| !belongs(found, path)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("an agent has no file {path:?}")));
    }
    let Some(_alone) = alone(&found.real)? else { return Ok(Saved::Not) };
    bring(found)?;
    let (content, _) = Content::read(found);
    if content.digest != *expected {
        return Ok(Saved::Not);
    }
    let mut changes = changes.clone();
    changes.retain(|path, new| content.files.get(path) != new.as_ref());
    for path in changes.keys() {
        writable(&found.real.join(path))?;
    }
    match changes.len() {
        0 => return Ok(Saved::Done(content.digest)),
        1 => {
            for (path, new) in &changes {
                let old = content.files.get(path).map(Vec::as_slice);
                if put(found, path, old, new.as_deref())? == Replaced::Not {
                    return Ok(Saved::Not);
                }
            }
        }
        _ => {
            Pending::of(&content.files, &changes).write(found)?;
            bring(found)?;
        }
    }
    Ok(Saved::Done(Content::read(found).0.digest))
}

/// Finishes the change of a process that was killed. Reading does not depend on it, so errors are only logged.
pub(crate) fn settle(found: &Found) {
    if let Ok(Some(_alone)) = alone(&found.real)
        && let Err(error) = bring(found)
    {
        tracing::debug!(path = %found.shown.display(), %error, "an unfinished change is still pending");
    }
}

/// Applies an unfinished change. The caller must hold the lock of the directory.
fn bring(found: &Found) -> io::Result<()> {
    let path = Pending::path(found);
    let Some(pending) = Pending::read(found)? else {
        // An unreadable record was not written completely by this program.
        return Pending::forget(&path);
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
            put(found, &change.path, current.as_deref(), change.new.as_deref())?;
        }
    }
    Pending::forget(&path)?;
    synced(&found.real)
}

/// Writes or deletes one file.
fn put(found: &Found, path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> io::Result<Replaced> {
    let file = found.real.join(path);
    let directory = file.parent().unwrap_or(&found.real);
    match new {
        Some(new) => {
            if !directory.is_dir() {
                fs::create_dir_all(directory)?;
                synced(&found.real)?;
            }
            replace(&found.real, &file, old, new)
        }
        None if old.is_some() => {
            fs::remove_file(&file)?;
            synced(directory)?;
            Ok(Replaced::Done)
        }
        None => Ok(Replaced::Done),
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
pub(crate) fn create(folder: &Path, name: &str, files: &AgentFiles) -> io::Result<Found> {
    let directory = folder.join(name);
    if fs::symlink_metadata(&directory).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it already exists"));
    }
    fs::create_dir_all(folder)?;
    let real = fs::canonicalize(folder)?;
    let Some(_alone) = alone(&real)? else {
        return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process is writing there"));
    };
    let draft = draft(&real, name);
    gone(&draft)?;
    fs::create_dir(&draft)?;
    let made = Found { shown: draft.clone(), real: draft.clone(), file: None };
    let written = files.iter().try_for_each(|(path, bytes)| {
        if !belongs(&made, path) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("an agent has no file {path:?}")));
        }
        put(&made, path, None, Some(bytes)).map(drop)
    });
    let placed = written.and_then(|()| fs::rename(&draft, real.join(name)));
    if let Err(error) = placed {
        let _ = gone(&draft);
        return Err(error);
    }
    synced(&real)?;
    Ok(Found { shown: directory, real: real.join(name), file: None })
}

/// Deletes an agent with all its files.
pub(crate) fn remove(found: &Found) -> io::Result<()> {
    if let Some(file) = &found.file {
        let Some(_alone) = alone(&found.real)? else {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process is writing there"));
        };
        bring(found)?;
        fs::remove_file(found.real.join(file))?;
        return synced(&found.real);
    }
    let (Some(folder), Some(name)) = (found.real.parent(), found.real.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this directory cannot be removed"));
    };
    let draft = draft(folder, &name.to_string_lossy());
    gone(&draft)?;
    // After this rename a partially deleted agent is never found.
    fs::rename(&found.real, &draft)?;
    synced(folder)?;
    gone(&draft)
}

fn draft(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}{DRAFT_ENDING}"))
}

fn gone(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
