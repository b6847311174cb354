//! The data directory: accessible to its owner only, and ignored by version control.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// File that excludes a data directory from version control.
const GITIGNORE: &str = ".gitignore";
const IGNORE_ALL: &str = "# Created by Baton: the data directory contains keys, tokens and conversations.\n*\n";

/// Files and directories below a data directory that contain secrets or conversations. Keys are not included: the key
/// loader rejects keys that other users could have read.
const PRIVATE_PATHS: [&str; 12] = [
    "server.json",
    "lock",
    "journal.db",
    "journal.db-wal",
    "journal.db-shm",
    "peers.json",
    "agent-names.json",
    "mcp-oauth",
    "mcp-sessions",
    "audit.jsonl",
    "spans",
    "vectors",
];

/// Paths that exist only if there was a journal.
const JOURNAL_ARTIFACTS: [&str; 4] = ["journal.db-wal", "keys", "spans/log", "spans/blocks"];

/// Files of a project: a directory that contains one is not exclusive to Baton.
const PROJECT_FILES: [&str; 3] = [".git", "baton.yaml", "agent.yaml"];

/// A correction made to a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Access of other users to a file or directory was removed.
    Tightened {
        /// The file or directory.
        path: PathBuf,
        /// Permissions before the correction.
        mode: u32,
    },
    /// The file that excludes the directory from version control was added.
    Ignored(PathBuf),
}

/// Reason why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirectoryError {
    /// An I/O error.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Other users have access, and this user may not change that.
    #[error("other users can access {} (mode {mode:04o}), and this user cannot change the mode; run \
             `chmod {wanted:o} {}` as its owner", .path.display(), .path.display())]
    Exposed {
        /// The file or directory.
        path: PathBuf,
        /// Current permissions.
        mode: u32,
        /// Required permissions.
        wanted: u32,
    },
}

/// Creates a data directory for its owner only, or corrects an existing one.
pub fn prepare_data_directory(directory: &Path) -> Result<Vec<Correction>, DataDirectoryError> {
    let failed = |source| DataDirectoryError::Io { path: directory.to_owned(), source };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(failed)?;
    let mut corrections = Vec::new();
    for exposed in exposed_paths(directory) {
        tighten(&exposed)?;
        corrections.push(Correction::Tightened { path: exposed.path, mode: exposed.mode });
    }
    if lacks_gitignore(directory) {
        let path = directory.join(GITIGNORE);
        let added = fs::OpenOptions::new().write(true).create_new(true).open(&path);
        let written = added.and_then(|mut file| io::Write::write_all(&mut file, IGNORE_ALL.as_bytes()));
        match written {
            // Another process may have created it first.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(DataDirectoryError::Io { path, source: error });
            }
            _ => corrections.push(Correction::Ignored(path)),
        }
    }
    Ok(corrections)
}

/// Whether version control would include the data. A directory that contains a project is left unchanged.
pub fn lacks_gitignore(directory: &Path) -> bool {
    let shared = PROJECT_FILES.iter().any(|name| directory.join(name).exists());
    let around = match (directory.canonicalize(), env::current_dir().and_then(fs::canonicalize)) {
        (Ok(directory), Ok(current)) => current.starts_with(directory),
        _ => true,
    };
    !directory.join(GITIGNORE).exists() && !shared && !around
}

/// A file or directory that other users can access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExposedPath {
    /// The file or directory.
    pub path: PathBuf,
    /// Current permissions.
    pub mode: u32,
    /// Required permissions.
    pub wanted: u32,
}

/// Paths of a data directory that other users can access.
#[cfg(unix)]
pub fn exposed_paths(directory: &Path) -> Vec<ExposedPath> {
    use std::os::unix::fs::PermissionsExt as _;
    let exposed = |path: PathBuf, found: io::Result<fs::Metadata>| {
        let metadata = found.ok().filter(|metadata| !metadata.is_symlink())?;
        let mode = metadata.permissions().mode() & 0o7777;
        (mode & 0o077 != 0).then(|| ExposedPath { path, mode, wanted: if metadata.is_dir() { 0o700 } else { 0o600 } })
    };
    // The directory itself may be given as a symbolic link.
    let root = exposed(directory.to_owned(), fs::metadata(directory));
    let parts = PRIVATE_PATHS.iter().map(|name| directory.join(name));
    root.into_iter().chain(parts.filter_map(|path| exposed(path.clone(), fs::symlink_metadata(&path)))).collect()
}

/// Paths of a data directory that other users can access; always empty on this system, whose permissions are not
/// checked.
#[cfg(not(unix))]
pub fn exposed_paths(_directory: &Path) -> Vec<ExposedPath> {
    Vec::new()
}

#[cfg(unix)]
fn tighten(exposed: &ExposedPath) -> Result<(), DataDirectoryError> {
    use std::os::unix::fs::PermissionsExt as _;
    let ExposedPath { path, mode, wanted } = exposed;
    fs::set_permissions(path, fs::Permissions::from_mode(*wanted)).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            DataDirectoryError::Exposed { path: path.clone(), mode: *mode, wanted: *wanted }
        }
        _ => DataDirectoryError::Io { path: path.clone(), source: error },
    })
}

#[cfg(not(unix))]
fn tighten(_exposed: &ExposedPath) -> Result<(), DataDirectoryError> {
    Ok(())
}

/// Paths that show that a data directory had a journal; empty for a new directory.
pub fn journal_evidence(directory: &Path) -> Vec<&'static str> {
    let is_there = |name: &&str| {
        let path = directory.join(name);
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some()),
            Ok(found) => found.len() > 0,
            Err(_) => false,
        }
    };
    JOURNAL_ARTIFACTS.iter().copied().filter(is_there).collect()
}
