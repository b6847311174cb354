//! Locks a data directory and opens its file.

use super::{error::from_sql, migrate};
use baton_ports::JournalError;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

/// Options of a [`super::SqliteJournal`]; the defaults suit one machine with little memory.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// Maximum number of queued commits; beyond it, appends fail with `Busy`.
    pub queue: usize,
    /// Maximum number of queued bytes.
    pub queue_bytes: usize,
    /// Maximum number of commits per transaction.
    pub group: usize,
    /// Number of reader connections, each with its own thread.
    pub readers: usize,
    /// Number of unfinished streams whose position the writer caches.
    pub cached_heads: usize,
    /// Number of 4 KB pages in the write-ahead log that triggers a checkpoint.
    pub checkpoint_pages: u32,
    /// Behaviour if the directory has no journal.
    pub if_absent: AbsentJournal,
    /// Maximum size of the file in 4 KB pages; for tests of a full disk.
    pub max_pages: Option<u32>,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            queue: 16_384,
            queue_bytes: 64 << 20,
            group: 4_096,
            readers: 2,
            cached_heads: 32_768,
            checkpoint_pages: 8_192,
            if_absent: AbsentJournal::Create,
            max_pages: None,
        }
    }
}

/// Behaviour if a directory has no journal or an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AbsentJournal {
    /// Create it.
    #[default]
    Create,
    /// Create a replacement for a lost journal. Its sequence numbers start above this value, so that a reader with a
    /// position in the lost journal reads all events.
    Replace {
        /// A number that the lost journal cannot have reached.
        above: i64,
    },
    /// Fail with [`JournalError::Lost`] and change nothing: the directory contains data that belongs to a journal.
    Refuse,
}

pub(super) const FILE: &str = "journal.db";
const LOCK: &str = "lock";
/// Half a second in total: far longer than a process start, short enough to wait for the error.
const MAX_LOCK_ATTEMPTS: u32 = 50;
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// The lock of the directory, and the file in it.
pub(super) struct LockedDirectory {
    pub(super) lock: File,
    pub(super) file: PathBuf,
}

fn directory_error(directory: &Path) -> impl Fn(std::io::Error) -> JournalError + '_ {
    move |error| JournalError::Unavailable(format!("cannot use {}: {error}", directory.display()))
}

/// Ownership of a data directory; released when dropped.
pub struct DirectoryLock {
    _file: File,
    pub(super) directory: PathBuf,
}

impl DirectoryLock {
    /// Locks an existing directory.
    pub fn acquire(directory: &Path) -> Result<Self, JournalError> {
        Ok(Self { _file: lock(directory)?, directory: directory.to_owned() })
    }
}

fn lock(directory: &Path) -> Result<File, JournalError> {
    let lock = open_private(&directory.join(LOCK)).map_err(directory_error(directory))?;
    match lock_with_retries(&lock) {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked(directory.display().to_string())),
        Err(TryLockError::Error(error)) => Err(directory_error(directory)(error)),
    }
}

/// Whether a directory has no journal, or an empty file in its place.
pub(super) fn is_absent(directory: &Path) -> bool {
    directory.join(FILE).metadata().map_or(0, |file| file.len()) == 0
}

/// Creates the directory for its owner only, and locks it.
pub(super) fn lock_or_create(directory: &Path, absent: AbsentJournal) -> Result<LockedDirectory, JournalError> {
    let unusable = directory_error(directory);
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(&unusable)?;
    let lock = lock(directory)?;
    // SQLite removes the WAL next to an empty file, so this check precedes any open.
    if absent == AbsentJournal::Refuse && is_absent(directory) {
        return Err(JournalError::Lost(directory.display().to_string()));
    }
    let file = directory.join(FILE);
    open_private(&file).map_err(&unusable)?;
    // SQLite creates the files next to the database with its mode, but uses those of a dead process unchanged.
    for sidecar in ["journal.db-wal", "journal.db-shm"].map(|name| directory.join(name)) {
        if sidecar.exists() {
            open_private(&sidecar).map_err(&unusable)?;
        }
    }
    Ok(LockedDirectory { lock, file })
}

/// Whether a process currently owns this data directory. A lock that cannot be tested counts as owned.
pub fn is_owned(directory: &Path) -> bool {
    match File::open(directory.join(LOCK)) {
        // A shared lock, so that two concurrent checks do not mistake each other for the owner.
        Ok(lock) => lock.try_lock_shared().is_err(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Opens or creates a file that only its owner may read: a journal contains user messages.
fn open_private(path: &Path) -> std::io::Result<File> {
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
                tracing::warn!(path = %path.display(), %error, "other users can read this file");
            }
        }
    }
    Ok(file)
}

/// Acquires the lock with retries. A process that was killed between fork and exec of a child shares its lock with the
/// child until the exec, so the directory may stay locked a moment longer.
#[expect(clippy::disallowed_methods, reason = "the release of a dead process's lock cannot be observed")]
fn lock_with_retries(lock: &File) -> Result<(), TryLockError> {
    for _ in 0..MAX_LOCK_ATTEMPTS {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_INTERVAL),
            result => return result,
        }
    }
    lock.try_lock()
}

/// The writer connection, on a file with this binary's schema.
pub(super) fn open_writer(file: &Path, absent: AbsentJournal) -> Result<Connection, JournalError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(|error| from_sql(&error))?;
    let schema = migrate::detect_schema(&connection)?;
    if schema == 0 && absent == AbsentJournal::Refuse {
        let directory = file.parent().unwrap_or(file);
        return Err(JournalError::Lost(directory.display().to_string()));
    }
    configure(&connection).map_err(|error| from_sql(&error))?;
    migrate::migrate(&connection, schema)?;
    if let (0, AbsentJournal::Replace { above }) = (schema, absent) {
        let result = connection.execute("UPDATE floor SET last_seq = max(last_seq, ?1)", [above]);
        result.map_err(|error| from_sql(&error))?;
    }
    Ok(connection)
}

/// A read-only connection.
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

/// A connection for checkpoints only; the writer's connection writes the WAL.
pub(super) fn open_checkpointer(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    // A checkpoint syncs as the writer does.
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA cache_size = -64;")?;
    Ok(connection)
}

/// `FULL` syncs the WAL at every commit, with `fullfsync` where the platform needs it (macOS). The WAL is truncated
/// after a burst. The writer runs checkpoints after it has sent its replies.
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

/// Keeps query plans stable: otherwise SQLite would plan a statement again for changed parameter values, which takes
/// several times as long as running it.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}
