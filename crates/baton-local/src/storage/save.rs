//! Changes of the files of an agent: all of one change or nothing of it, wherever the process may be killed.
//!
//! One file is replaced by renaming. Several are first written down beside the agent as what is to become of them: whoever
//! reads the agent from then on reads it as if they were there, and whoever may write brings them there.

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

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    /// It is on disk, and this is the digest of all files now.
    Done(Digest),
    /// Somebody else writes, or wrote since the files were read; they are as they left them.
    Not,
}

/// Replaces or removes files, all or none, if they are still those of the digest.
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

/// Finishes what somebody began who is not there any more; not needed to read the agent, so what fails is left.
pub(crate) fn settle(found: &Found) {
    if let Ok(Some(_alone)) = alone(&found.real)
        && let Err(error) = bring(found)
    {
        tracing::debug!(path = %found.shown.display(), %error, "a change that was begun waits for being finished");
    }
}

/// Brings files to where a change that was begun leaves them. The directory has to be held.
fn bring(found: &Found) -> io::Result<()> {
    let path = Pending::path(found);
    let Some(pending) = Pending::read(found)? else {
        // What cannot be understood is not what this program wrote to its end.
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
            // Whoever saves the file at this very moment keeps what they wrote.
            put(found, &change.path, current.as_deref(), change.new.as_deref())?;
        }
    }
    Pending::forget(&path)?;
    synced(&found.real)
}

/// Puts one file where it belongs.
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

/// Makes the directory of a new agent, complete or not at all.
pub(crate) fn create(folder: &Path, name: &str, files: &AgentFiles) -> io::Result<Found> {
    let directory = folder.join(name);
    if fs::symlink_metadata(&directory).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there already"));
    }
    fs::create_dir_all(folder)?;
    let real = fs::canonicalize(folder)?;
    let Some(_alone) = alone(&real)? else {
        return Err(io::Error::new(io::ErrorKind::WouldBlock, "somebody else writes there"));
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

/// Takes an agent away with all of its files.
pub(crate) fn remove(found: &Found) -> io::Result<()> {
    if let Some(file) = &found.file {
        let Some(_alone) = alone(&found.real)? else {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "somebody else writes there"));
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
    // From here on nobody finds half of an agent.
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
