//! Files and directories, with the order of syncs that makes a name durable.

use baton_span_ports::SpanStoreError;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Error with the failed operation and the path.
pub(crate) fn unavailable<'a>(verb: &'a str, path: &'a Path) -> impl Fn(io::Error) -> SpanStoreError + 'a {
    move |error| SpanStoreError::Unavailable(format!("cannot {verb} {}: {error}", path.display()))
}

/// Renames a file or directory; the new name is durable when this returns.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), SpanStoreError> {
    fs::rename(from, to).map_err(unavailable("rename", from))?;
    match to.parent() {
        Some(parent) => sync_directory(parent),
        None => Ok(()),
    }
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(path: &Path) -> Result<(), SpanStoreError> {
    let synced = File::open(path).and_then(|directory| sync(&directory, path));
    synced.map_err(unavailable("sync", path))
}

/// Syncs a file with its metadata.
pub(crate) fn sync(file: &File, path: &Path) -> io::Result<()> {
    failing(path)?;
    file.sync_all()
}

/// Syncs the content of a file.
pub(crate) fn sync_data(file: &File, path: &Path) -> io::Result<()> {
    failing(path)?;
    file.sync_data()
}

#[cfg(not(test))]
fn failing(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use faults::failing;

/// Creates a directory with its parents, accessible to the owner only.
pub(crate) fn make_directory(path: &Path) -> Result<(), SpanStoreError> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unavailable("create", path))?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_directory(parent),
        _ => Ok(()),
    }
}

/// The names in a directory, sorted; names that are not UTF-8 are skipped.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, SpanStoreError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(unavailable("list", path))? {
        let entry = entry.map_err(unavailable("list", path))?;
        names.extend(entry.file_name().into_string().ok());
    }
    names.sort_unstable();
    Ok(names)
}

/// Removes a file, or a directory with its content; a missing path is not an error.
pub(crate) fn remove(path: &Path) -> Result<(), SpanStoreError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unavailable("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Upper bound of candidate names for a damaged file.
const MAX_NAMES: u32 = 10_000;

/// Moves a damaged file or directory into the quarantine directory and returns its new path.
pub(crate) fn quarantine(path: &Path, directory: &Path) -> Result<PathBuf, SpanStoreError> {
    make_directory(directory)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file");
    let numbered = (2..MAX_NAMES).map(|number| directory.join(format!("{name}.{number}")));
    let mut free = std::iter::once(directory.join(name)).chain(numbered).filter(|target| !target.exists());
    let Some(target) = free.next() else {
        return Err(SpanStoreError::Unavailable(format!("{} contains too many files; empty it", directory.display())));
    };
    rename(path, &target)?;
    if let Some(parent) = path.parent() {
        sync_directory(parent)?;
    }
    Ok(target)
}

/// Injected sync failures for tests.
#[cfg(test)]
pub(crate) mod faults {
    use parking_lot::Mutex;
    use std::{
        collections::HashMap,
        io,
        ops::Range,
        path::{Path, PathBuf},
        sync::LazyLock,
    };

    /// Number of syncs so far, and the ones that fail.
    type Plan = (usize, Range<usize>);

    /// By file or directory.
    static FAILING: LazyLock<Mutex<HashMap<PathBuf, Plan>>> = LazyLock::new(Mutex::default);

    /// Makes the given ones of the next syncs of a path fail; the next sync is number 0.
    pub(crate) fn fail_syncs(path: &Path, calls: Range<usize>) {
        FAILING.lock().insert(path.to_owned(), (0, calls));
    }

    pub(super) fn failing(path: &Path) -> io::Result<()> {
        let mut failing = FAILING.lock();
        let Some((count, calls)) = failing.get_mut(path) else { return Ok(()) };
        *count += 1;
        if calls.contains(&(*count - 1)) { Err(io::Error::other("a test wants it so")) } else { Ok(()) }
    }
}
