//! `server.json`: how commands find the server that owns a data directory.

use baton_types::ErrorCode;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, wiring::write_private};

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
    /// The SHA-256 of the certificate that it shows, when it is reached by https. The owner knows it by that: the
    /// address here is the nearest one, and need not be among the names in the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<String>,
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

    /// Writes the file, until the server ends.
    pub(crate) fn announce(&self, data: &Path) -> Result<Announced, Failure> {
        self.write(data)?;
        Ok(Announced { path: data.join(NAME), server: self.clone() })
    }

    /// Writes the file for its owner only, complete or not at all; again when something in it changes.
    pub(crate) fn write(&self, data: &Path) -> Result<(), Failure> {
        let path = data.join(NAME);
        let written = serde_json::to_vec(self).map_err(io::Error::other).and_then(|bytes| write_private(&path, &bytes));
        written.map_err(|error| {
            Failure::new(ErrorCode::JOURNAL_UNAVAILABLE, format!("cannot write {}: {error}", path.display()))
        })
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // The next owner of the directory may have been quicker. A file that stays behind is found to be stale.
        let there = self.path.parent().and_then(ServerFile::read);
        if there.is_some_and(|there| there.pid == self.server.pid && there.token == self.server.token) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
