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

/// Replaces a file by a new text if it still has the old one, complete or not at all. A link stays: what it leads to is
/// replaced. Of several that do this at the same time one succeeds, and the others are told to read again.
pub(crate) fn replace(path: &Path, old: &[u8], new: &[u8]) -> io::Result<Replaced> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let directory = path.parent().unwrap_or(Path::new("."));
    let Some(_alone) = alone(directory)? else { return Ok(Replaced::Not) };
    let draft = Draft::write(&path, new)?;
    fs::set_permissions(&draft.0, permissions)?;
    // The last thing before the new text takes its place: whoever has no lock may have saved the file by now.
    if fs::metadata(&path)?.len() != old.len() as u64 || fs::read(&path)? != old {
        return Ok(Replaced::Not);
    }
    fs::rename(&draft.0, &path)?;
    synced(directory)?;
    Ok(Replaced::Done)
}

/// A directory that nobody else who asks for it has as long as this is kept; `None` when somebody has it.
fn alone(directory: &Path) -> io::Result<Option<File>> {
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
struct Draft(PathBuf);

impl Draft {
    fn write(path: &Path, bytes: &[u8]) -> io::Result<Self> {
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
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The name has to survive a power cut as well as the bytes; only Unix lets a directory be synced.
fn synced(directory: &Path) -> io::Result<()> {
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
        assert_eq!(replace(&file, b"old", b"new").unwrap(), Replaced::Not);
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        fs::write(home.path().join(".mcp.json.baton-new"), "left behind").unwrap();
        assert_eq!(replace(&file, b"theirs", b"new").unwrap(), Replaced::Done);
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
