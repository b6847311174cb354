//! `server.json`: how commands find the server that owns a data directory.

use baton_types::ErrorCode;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::failure::Failure;

const NAME: &str = "server.json";

/// A running server, as it describes itself to its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerFile {
    /// Its process.
    pub(crate) pid: u32,
    /// Where it answers.
    pub(crate) url: String,
    /// Known to the owner of the directory only.
    pub(crate) token: String,
}

/// A written `server.json`, removed when the server ends in order.
#[derive(Debug)]
pub(crate) struct Announced {
    path: PathBuf,
    server: ServerFile,
}

impl ServerFile {
    /// The file of a data directory, if there is a readable one; its server may be gone.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(data.join(NAME)).ok()?).ok()
    }

    /// Removes what a dead server left behind; for the owner of the directory.
    pub(crate) fn forget(data: &Path) {
        // What cannot be removed is replaced when this process announces itself.
        let _ = fs::remove_file(data.join(NAME));
    }

    /// Writes the file for its owner only, complete or not at all.
    pub(crate) fn announce(&self, data: &Path) -> Result<Announced, Failure> {
        let path = data.join(NAME);
        let draft = data.join(".server.json.new");
        let written = serde_json::to_vec(self).map_err(io::Error::other).and_then(|bytes| {
            match fs::remove_file(&draft) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.open(&draft)?.write_all(&bytes)?;
            fs::rename(&draft, &path)
        });
        match written {
            Ok(()) => Ok(Announced { path, server: self.clone() }),
            Err(error) => {
                Err(Failure::new(ErrorCode::JOURNAL_UNAVAILABLE, format!("cannot write {}: {error}", path.display())))
            }
        }
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // The next owner of the directory may have been quicker. A file that stays behind is found to be stale.
        if self.path.parent().and_then(ServerFile::read).as_ref() == Some(&self.server) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
