//! MCP client sessions in files, one per session, so that they survive a restart.

use baton_ports::{BoxFuture, McpSessionStore};
use baton_system::write_private;
use baton_types::Json;
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

/// Stores sessions in a directory accessible to its owner only; the oldest are evicted beyond the limit.
#[derive(Clone)]
pub struct SessionFiles(Arc<SessionDirectory>);

struct SessionDirectory {
    directory: PathBuf,
    max_sessions: usize,
    index: Mutex<SessionAges>,
}

/// Session ids by age.
#[derive(Default)]
struct SessionAges {
    next: u64,
    ages: HashMap<String, u64>,
    by_age: BTreeMap<u64, String>,
}

/// File extension.
const FILE_EXTENSION: &str = "json";
/// Maximum length of an id; generated ids have 36 characters.
const MAX_ID_LEN: usize = 64;
/// Maximum size of a session file; typical client data is far smaller.
const MAX_FILE_BYTES: u64 = 256 * 1024;

impl SessionFiles {
    /// Default maximum number of sessions.
    pub const DEFAULT_MAX_SESSIONS: usize = 10_000;

    /// Opens the directory, which is created if it is missing; `most` is the maximum number of sessions.
    pub fn open(directory: &Path, max_sessions: usize) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
        }
        let mut found: Vec<(SystemTime, String)> = Vec::new();
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            let name = path.file_stem().and_then(|stem| stem.to_str()).filter(|name| is_id(name));
            let (Some(name), Some(FILE_EXTENSION)) = (name, path.extension().and_then(|ending| ending.to_str())) else {
                continue;
            };
            let written = entry.metadata().and_then(|about| about.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((written, name.to_owned()));
        }
        found.sort();
        let mut index = SessionAges::default();
        for (_, id) in found {
            index.touch(&id);
        }
        let files = SessionDirectory {
            directory: directory.to_owned(),
            max_sessions: max_sessions.max(1),
            index: Mutex::new(index),
        };
        files.evict_oldest()?;
        Ok(Self(Arc::new(files)))
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SessionDirectory) -> io::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        let files = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || work(&files)).await;
        done.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }
}

impl SessionAges {
    /// Makes a session the most recently used.
    fn touch(&mut self, id: &str) {
        self.remove(id);
        self.ages.insert(id.to_owned(), self.next);
        self.by_age.insert(self.next, id.to_owned());
        self.next += 1;
    }

    fn remove(&mut self, id: &str) -> bool {
        let age = self.ages.remove(id);
        age.is_some_and(|age| self.by_age.remove(&age).is_some())
    }
}

impl SessionDirectory {
    /// The path of a session file. Ids are validated before, so the path stays inside the directory.
    fn path(&self, id: &str) -> PathBuf {
        self.directory.join(id).with_extension(FILE_EXTENSION)
    }

    fn load(&self, id: &str) -> io::Result<Option<Json>> {
        if !self.index.lock().ages.contains_key(id) {
            return Ok(None);
        }
        let path = self.path(id);
        let text = match fs::metadata(&path) {
            Ok(about) if about.len() > MAX_FILE_BYTES => return Ok(None),
            Ok(_) => fs::read_to_string(&path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        self.index.lock().touch(id);
        // A corrupt file is treated as a missing session.
        Ok(Json::parse(&text).ok())
    }

    fn save(&self, id: &str, session: &Json) -> io::Result<()> {
        if session.as_str().len() as u64 > MAX_FILE_BYTES {
            return Err(io::Error::other("the client data is too large"));
        }
        write_private(&self.path(id), session.as_str().as_bytes())?;
        self.index.lock().touch(id);
        self.evict_oldest()
    }

    fn delete(&self, id: &str) -> io::Result<()> {
        self.index.lock().remove(id);
        ignore_missing(fs::remove_file(self.path(id)))
    }

    fn evict_oldest(&self) -> io::Result<()> {
        loop {
            let oldest = {
                let mut index = self.index.lock();
                if index.ages.len() <= self.max_sessions {
                    return Ok(());
                }
                let Some((_, id)) = index.by_age.pop_first() else { return Ok(()) };
                index.ages.remove(&id);
                id
            };
            ignore_missing(fs::remove_file(self.path(&oldest)))?;
        }
    }
}

fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn is_id(text: &str) -> bool {
    (1..=MAX_ID_LEN).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl McpSessionStore for SessionFiles {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Json>, String>> {
        Box::pin(async move {
            if !is_id(id) {
                return Ok(None);
            }
            let id = id.to_owned();
            self.blocking(move |files| files.load(&id)).await
        })
    }

    fn save_session<'a>(&'a self, id: &'a str, session: Json) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if !is_id(id) {
                return Err("this is not a session id".to_owned());
            }
            let id = id.to_owned();
            self.blocking(move |files| files.save(&id, &session)).await
        })
    }

    fn remove_session<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if !is_id(id) {
                return Ok(());
            }
            let id = id.to_owned();
            self.blocking(move |files| files.delete(&id)).await
        })
    }
}
