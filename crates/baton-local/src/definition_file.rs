//! Atomic replacement of user-written files.

use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Outcome of replacing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplaceOutcome {
    /// The new content is on disk.
    Done,
    /// Another process is writing, or has written since the old content was read; its version is kept.
    Conflict,
}

/// Atomically replaces a file if it still has the old content, or creates it if there is none. A symbolic link is kept
/// and its target is replaced. The caller holds the lock of `held`; of several concurrent calls one succeeds, and the
/// others have to read again.
pub(crate) fn replace(held: &Path, path: &Path, old: Option<&[u8]>, new: &[u8]) -> io::Result<ReplaceOutcome> {
    let path = match old {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let directory = path.parent().unwrap_or(Path::new("."));
    let permissions = match old {
        Some(_) => fs::metadata(&path)?.permissions(),
        None => permissions_of_new_file(directory)?,
    };
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    // Several agents may share the target of a link.
    let _directory_lock = match directory.starts_with(held) {
        true => None,
        false => match lock_directory(directory)? {
            Some(lock) => Some(lock),
            None => return Ok(ReplaceOutcome::Conflict),
        },
    };
    let draft = DraftFile::write(&path, new)?;
    fs::set_permissions(&draft.0, permissions)?;
    // Checked immediately before the rename: a writer without the lock may have saved the file by now.
    let is_as_before = match old {
        Some(old) => fs::metadata(&path)?.len() == old.len() as u64 && fs::read(&path)? == old,
        None => fs::symlink_metadata(&path).is_err(),
    };
    if !is_as_before {
        return Ok(ReplaceOutcome::Conflict);
    }
    draft.replace_target(&path)?;
    Ok(ReplaceOutcome::Done)
}

/// A new file is readable for all users that may list its directory.
fn permissions_of_new_file(directory: &Path) -> io::Result<fs::Permissions> {
    let permissions = fs::metadata(directory)?.permissions();
    #[cfg(unix)]
    let permissions = {
        use std::os::unix::fs::PermissionsExt as _;
        fs::Permissions::from_mode(permissions.mode() & 0o666 | 0o600)
    };
    Ok(permissions)
}

/// Locks a directory until the returned file is dropped; `None` if it is already locked.
pub(crate) fn lock_directory(directory: &Path) -> io::Result<Option<File>> {
    #[cfg(unix)]
    let held = File::open(directory)?;
    // Directories cannot be opened on this system, so a lock file is used.
    #[cfg(not(unix))]
    let held = File::options().create(true).truncate(false).write(true).open(directory.join(".baton-lock"))?;
    match held.try_lock() {
        // Some network file systems do not support locks; there the comparison with the old content is the only
        // protection.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(held)),
        Err(TryLockError::WouldBlock) => Ok(None),
    }
}

/// New content in a temporary file, deleted on drop unless it has replaced the target.
pub(crate) struct DraftFile(PathBuf);

impl DraftFile {
    /// Writes the temporary file, accessible to its owner only.
    pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".baton-new");
        let draft = Self(path.with_file_name(name));
        // Left behind by a process that was killed at this point.
        match fs::remove_file(&draft.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        // Restricted to the owner until it gets the permissions of the target, which may contain secrets.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&draft.0)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(draft)
    }

    /// Renames it to the target and syncs the directory.
    pub(crate) fn replace_target(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.0, path)?;
        sync_directory(path.parent().unwrap_or(Path::new(".")))
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Syncs a directory, so that a rename survives a power failure. Only Unix supports this.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_file_is_not_replaced() {
        let home = tempfile::TempDir::new().unwrap();
        let file = home.path().join("mcp.json");
        fs::write(&file, "theirs").unwrap();
        assert_eq!(replace(home.path(), &file, Some(b"old"), b"new").unwrap(), ReplaceOutcome::Conflict);
        assert_eq!(replace(home.path(), &file, None, b"new").unwrap(), ReplaceOutcome::Conflict);
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        fs::write(home.path().join(".mcp.json.baton-new"), "left behind").unwrap();
        assert_eq!(replace(home.path(), &file, Some(b"theirs"), b"new").unwrap(), ReplaceOutcome::Done);
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
