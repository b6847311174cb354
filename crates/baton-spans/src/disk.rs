//! Files and directories, with the order of syncs that makes a name durable.

use baton_ports::SpanStoreError;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Says what could not be done to which file.
pub(crate) fn unavailable<'a>(verb: &'a str, path: &'a Path) -> impl Fn(io::Error) -> SpanStoreError + 'a {
    move |error| SpanStoreError::Unavailable(format!("cannot {verb} {}: {error}", path.display()))
}

/// Gives a file or directory its name; the name is durable when this returns.
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

/// Makes a file durable, with its length and all else that is known of it.
pub(crate) fn sync(file: &File, path: &Path) -> io::Result<()> {
    failing(path)?;
    file.sync_all()
}

/// Makes what is in a file durable.
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

/// Makes a directory that only its owner can read, and those above it.
pub(crate) fn make_directory(path: &Path) -> Result<(), SpanStoreError> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unavailable("make", path))?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_directory(parent),
        _ => Ok(()),
    }
}

/// The names in a directory; those that are no text are nobody's here.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, SpanStoreError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(unavailable("list", path))? {
        let entry = entry.map_err(unavailable("list", path))?;
        names.extend(entry.file_name().into_string().ok());
    }
    names.sort_unstable();
    Ok(names)
}

/// Removes a file or a directory with all in it; one that is not there is gone already.
pub(crate) fn remove(path: &Path) -> Result<(), SpanStoreError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unavailable("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Names that are tried for a damaged file before it is given up: each is of another day.
const MAX_NAMES: u32 = 10_000;

/// Moves a damaged file or directory into a directory where nobody looks for it, and says where it is now.
pub(crate) fn set_aside(path: &Path, directory: &Path) -> Result<PathBuf, SpanStoreError> {
    make_directory(directory)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file");
    let numbered = (2..MAX_NAMES).map(|number| directory.join(format!("{name}.{number}")));
    let mut free = std::iter::once(directory.join(name)).chain(numbered).filter(|place| !place.exists());
    let Some(place) = free.next() else {
        return Err(SpanStoreError::Unavailable(format!("{} holds too much; empty it", directory.display())));
    };
    rename(path, &place)?;
    if let Some(parent) = path.parent() {
        sync_directory(parent)?;
    }
    Ok(place)
}

/// Syncs that tests let fail.
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

    /// How many syncs there were, and which fail.
    type Plan = (usize, Range<usize>);

    /// By file or directory.
    static FAILING: LazyLock<Mutex<HashMap<PathBuf, Plan>>> = LazyLock::new(Mutex::default);

    /// Lets those of the next syncs of a file or directory fail; the next one is number 0.
    pub(crate) fn fail_syncs(path: &Path, which: Range<usize>) {
        FAILING.lock().insert(path.to_owned(), (0, which));
    }

    pub(super) fn failing(path: &Path) -> io::Result<()> {
        let mut failing = FAILING.lock();
        let Some((count, which)) = failing.get_mut(path) else { return Ok(()) };
        *count += 1;
        if which.contains(&(*count - 1)) { Err(io::Error::other("a test wants it so")) } else { Ok(()) }
    }
}
