//! `server.json`: how commands find the server that owns a data directory.

use crate::{error_codes, failure::CliError};
use baton_system::write_private;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const FILE_NAME: &str = "server.json";

/// Description of a running server, for its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerFile {
    /// Process id.
    pub(crate) pid: u32,
    /// Address of the server.
    pub(crate) url: String,
    /// Access token, readable only by the owner of the directory.
    pub(crate) token: String,
    /// SHA-256 of the server certificate, for https. Clients pin it, because the URL here is a local address,
    /// which need not be among the names in the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<String>,
}

/// A written `server.json`, removed on an orderly shutdown.
#[derive(Debug)]
pub(crate) struct ServerFileGuard {
    path: PathBuf,
    server: ServerFile,
}

impl ServerFile {
    /// Reads the file of a data directory, if there is a readable one; its server may be gone.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(data.join(FILE_NAME)).ok()?).ok()
    }

    /// Removes the file of a dead server. Only the owner of the directory may call this.
    pub(crate) fn remove_stale(data: &Path) {
        // If it cannot be removed, this process overwrites it later.
        let _ = fs::remove_file(data.join(FILE_NAME));
    }

    /// Writes the file; dropping the guard removes it.
    pub(crate) fn announce(&self, data: &Path) -> Result<ServerFileGuard, CliError> {
        self.write(data)?;
        Ok(ServerFileGuard { path: data.join(FILE_NAME), server: self.clone() })
    }

    /// Writes the file atomically, readable only by its owner. Called again when its content changes.
    pub(crate) fn write(&self, data: &Path) -> Result<(), CliError> {
        let path = data.join(FILE_NAME);
        let written = serde_json::to_vec(self).map_err(io::Error::other).and_then(|bytes| write_private(&path, &bytes));
        written.map_err(|error| {
            CliError::new(error_codes::JOURNAL_UNAVAILABLE, format!("cannot write {}: {error}", path.display()))
        })
    }
}

impl Drop for ServerFileGuard {
    fn drop(&mut self) {
        // The next owner of the directory may already have written its own file. A leftover file is recognized as
        // stale.
        let there = self.path.parent().and_then(ServerFile::read);
        if there.is_some_and(|there| there.pid == self.server.pid && there.token == self.server.token) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
