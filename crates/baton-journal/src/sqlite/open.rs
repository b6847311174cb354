//! Taking a data directory into possession and opening its file.

use super::{error::from_sql, migrate};
use baton_ports::JournalError;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

/// Bounds of a [`super::SqliteJournal`]; the defaults suit one machine with little memory.
#[derive(Clone, Debug)]
pub struct Options {
    /// Commits that may wait for the writer; one more is answered with `Busy`.
    pub queue: usize,
    /// Bytes that may wait for the writer.
    pub queue_bytes: usize,
    /// Commits written and synced together at most.
    pub group: usize,
    /// Connections that read, each with its thread.
    pub readers: usize,
    /// Unfinished streams whose position the writer remembers.
    pub cached_heads: usize,
    /// Pages of 4 KB in the write-ahead log after which they are moved to the main file.
    pub checkpoint_pages: u32,
    /// What to do when the directory has no journal.
    pub absent: Absent,
    /// Pages of 4 KB that the file may have; to see what happens when there is no room.
    pub max_pages: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            queue: 16_384,
            queue_bytes: 64 << 20,
            group: 4_096,
            readers: 2,
            cached_heads: 32_768,
            checkpoint_pages: 2_048,
            absent: Absent::Create,
            max_pages: None,
        }
    }
}

/// What to do when a directory has no journal, or an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Absent {
    /// Create it.
    #[default]
    Create,
    /// Create one that takes the place of a lost one: its events are numbered from above this, so that whoever
    /// remembers a position in the lost one reads all of them.
    Replace {
        /// A number that the lost journal cannot have reached.
        above: i64,
    },
    /// Answer [`JournalError::Lost`] and change nothing: the directory has data that a journal belongs to.
    Refuse,
}

pub(super) const FILE: &str = "journal.db";
const LOCK: &str = "lock";
/// Together half a second: far more than a program's start takes, little for somebody who waits for the refusal.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The directory and its lock, and the file inside.
pub(super) struct Possession {
    pub(super) lock: File,
    pub(super) file: PathBuf,
}

fn unusable(directory: &Path) -> impl Fn(std::io::Error) -> JournalError + '_ {
    move |error| JournalError::Unavailable(format!("cannot use {}: {error}", directory.display()))
}

/// A data directory that this process owns until this is dropped.
pub struct DirectoryLock {
    _file: File,
    pub(super) directory: PathBuf,
}

impl DirectoryLock {
    /// Takes the lock of a directory that is there.
    pub fn take(directory: &Path) -> Result<Self, JournalError> {
        Ok(Self { _file: lock(directory)?, directory: directory.to_owned() })
    }
}

fn lock(directory: &Path) -> Result<File, JournalError> {
    let lock = private(&directory.join(LOCK)).map_err(unusable(directory))?;
    match take(&lock) {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked(directory.display().to_string())),
        Err(TryLockError::Error(error)) => Err(unusable(directory)(error)),
    }
}

/// Whether a directory has no journal, or an empty file in its place.
pub(super) fn is_absent(directory: &Path) -> bool {
    directory.join(FILE).metadata().map_or(0, |file| file.len()) == 0
}

/// Creates the directory for its owner only, and takes its lock.
pub(super) fn possess(directory: &Path, absent: Absent) -> Result<Possession, JournalError> {
    let unusable = unusable(directory);
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(&unusable)?;
    let lock = lock(directory)?;
    // SQLite removes the log beside an empty file, so this is looked at before it opens anything.
    if absent == Absent::Refuse && is_absent(directory) {
        return Err(JournalError::Lost(directory.display().to_string()));
    }
    let file = directory.join(FILE);
    private(&file).map_err(&unusable)?;
    // SQLite gives the files beside the database its mode, but takes those of a dead process as they are.
    for beside in ["journal.db-wal", "journal.db-shm"].map(|name| directory.join(name)) {
        if beside.exists() {
            private(&beside).map_err(&unusable)?;
        }
    }
    Ok(Possession { lock, file })
}

/// Whether a process owns this data directory at the moment. A lock that cannot be tried counts as owned.
pub fn is_owned(directory: &Path) -> bool {
    match File::open(directory.join(LOCK)) {
        // Shared, so that two who ask at the same time do not take each other for the owner.
        Ok(lock) => lock.try_lock_shared().is_err(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Opens a file, new or old, that only its owner may read: a journal has what people said to agents.
fn private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mut permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o600);
            if let Err(error) = file.set_permissions(permissions) {
                tracing::warn!(path = %path.display(), %error, "others can read this file");
            }
        }
    }
    Ok(file)
}

/// Takes the lock, with a little patience: a process that was killed while it started a program shares its lock with
/// the new one until that has become the program, so the directory of the dead may be held a moment longer.
#[expect(clippy::disallowed_methods, reason = "the lock of a dead process is let go by nobody who could tell")]
fn take(lock: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            taken_or_failed => return taken_or_failed,
        }
    }
    lock.try_lock()
}

/// The one connection that writes, on a file that is a journal of this binary's schema.
pub(super) fn open_writer(file: &Path, absent: Absent) -> Result<Connection, JournalError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(|error| from_sql(&error))?;
    let schema = migrate::recognise(&connection)?;
    if schema == 0 && absent == Absent::Refuse {
        let directory = file.parent().unwrap_or(file);
        return Err(JournalError::Lost(directory.display().to_string()));
    }
    configure(&connection).map_err(|error| from_sql(&error))?;
    migrate::migrate(&connection, schema)?;
    if let (0, Absent::Replace { above }) = (schema, absent) {
        let raised = connection.execute("UPDATE floor SET last_seq = max(last_seq, ?1)", [above]);
        raised.map_err(|error| from_sql(&error))?;
    }
    Ok(connection)
}

/// A connection that only reads.
pub(super) fn open_reader(file: &Path) -> Result<Connection, JournalError> {
    let open = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY;")?;
        connection.set_prepared_statement_cache_capacity(32);
        keep_plans(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| from_sql(&error))
}

/// `FULL` syncs the log at every commit, also where a sync must be asked for twice (`fullfsync`, macOS). The log is cut
/// back when a burst has made it large. Checkpoints are the writer's own, after it has answered.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 0; \
         PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY; \
         PRAGMA mmap_size = 0; PRAGMA foreign_keys = OFF;",
    )?;
    connection.set_prepared_statement_cache_capacity(32);
    keep_plans(connection)
}

/// Prepared once is prepared for good: SQLite would plan a statement anew for every other value that is bound to it, which
/// takes several times as long as to run it.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}
