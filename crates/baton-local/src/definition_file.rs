//! Files that people wrote, replaced as a whole by a text that was made from them.

use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// What came of replacing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// The new text is there, and on disk.
    Done,
    /// Somebody else writes, or wrote since the old text was read; the file is as they left it.
    Not,
}

/// Replaces a file by a new text if it still has the old one, or none, complete or not at all. A link stays: what it leads
/// to is replaced. Whoever calls holds `held`; of several that do this at the same time one succeeds, and the others are
/// told to read again.
pub(crate) fn replace(held: &Path, path: &Path, old: Option<&[u8]>, new: &[u8]) -> io::Result<Replaced> {
    let path = match old {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let directory = path.parent().unwrap_or(Path::new("."));
    let permissions = match old {
        Some(_) => fs::metadata(&path)?.permissions(),
        None => like_its_directory(directory)?,
    };
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    // Several agents may share what a link leads to.
    let _theirs = match directory.starts_with(held) {
        true => None,
        false => match alone(directory)? {
            Some(theirs) => Some(theirs),
            None => return Ok(Replaced::Not),
        },
    };
    let draft = Draft::write(&path, new)?;
    fs::set_permissions(&draft.0, permissions)?;
    // The last thing before the new text takes its place: whoever has no lock may have saved the file by now.
    let is_as_before = match old {
        Some(old) => fs::metadata(&path)?.len() == old.len() as u64 && fs::read(&path)? == old,
        None => fs::symlink_metadata(&path).is_err(),
    };
    if !is_as_before {
        return Ok(Replaced::Not);
    }
    draft.take_place(&path)?;
    Ok(Replaced::Done)
}

/// Whoever may look into a directory may read a new file in it.
fn like_its_directory(directory: &Path) -> io::Result<fs::Permissions> {
    let permissions = fs::metadata(directory)?.permissions();
    #[cfg(unix)]
    let permissions = {
        use std::os::unix::fs::PermissionsExt as _;
        fs::Permissions::from_mode(permissions.mode() & 0o666 | 0o600)
    };
    Ok(permissions)
}

/// A directory that nobody else who asks for it has as long as this is kept; `None` when somebody has it.
pub(crate) fn alone(directory: &Path) -> io::Result<Option<File>> {
    #[cfg(unix)]
    let held = File::open(directory)?;
    // Directories cannot be opened here, so a file in it stands for it.
    #[cfg(not(unix))]
    let held = File::options().create(true).truncate(false).write(true).open(directory.join(".baton-lock"))?;
    match held.try_lock() {
        // Some network file systems know no locks; then the look at the old text has to do.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(held)),
        Err(TryLockError::WouldBlock) => Ok(None),
    }
}

/// The new text beside the file; gone with this value unless it took the file's place.
pub(crate) struct Draft(PathBuf);

impl Draft {
    /// Writes it, for the owner alone.
    pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".baton-new");
        let draft = Self(path.with_file_name(name));
        // What a process left behind that was killed here.
        match fs::remove_file(&draft.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        // Until it has the permissions of the file, which may hold secrets, nobody else reads it.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&draft.0)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(draft)
    }

    /// Puts it into the file's place, on disk when this returns.
    pub(crate) fn take_place(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.0, path)?;
        synced(path.parent().unwrap_or(Path::new(".")))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The name has to survive a power cut as well as the bytes; only Unix lets a directory be synced.
pub(crate) fn synced(directory: &Path) -> io::Result<()> {
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
    fn a_text_that_is_not_the_old_one_any_more_stays() {
        let home = tempfile::TempDir::new().unwrap();
        let file = home.path().join("mcp.json");
        fs::write(&file, "theirs").unwrap();
        assert_eq!(replace(home.path(), &file, Some(b"old"), b"new").unwrap(), Replaced::Not);
        assert_eq!(replace(home.path(), &file, None, b"new").unwrap(), Replaced::Not);
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        fs::write(home.path().join(".mcp.json.baton-new"), "left behind").unwrap();
        assert_eq!(replace(home.path(), &file, Some(b"theirs"), b"new").unwrap(), Replaced::Done);
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
