//! Credential file of one server, readable by its owner only, keyed by issuer.

use super::LoginError;
use baton_ports::BoxFuture;
use parking_lot::Mutex;
use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Maximum authorization servers remembered for one server.
const MAX_ISSUERS: usize = 8;

#[derive(Clone, Default, Serialize, Deserialize)]
struct CredentialRecord {
    /// Informational: identifies the file for people.
    server: String,
    current: Option<String>,
    issuers: BTreeMap<String, IssuedCredentials>,
}

/// Data issued by one authorization server.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct IssuedCredentials {
    pub(super) client: Option<RegisteredClient>,
    pub(super) credentials: Option<StoredCredentials>,
    /// All scopes required so far; the next login requests them.
    pub(super) scopes: Vec<String>,
    /// Scopes requested by the last login.
    #[serde(default)]
    pub(super) asked: Vec<String>,
}

/// A client registered at the authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct RegisteredClient {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    pub(super) redirect: String,
}

pub(super) struct CredentialVault {
    path: PathBuf,
    record: Mutex<CredentialRecord>,
}

impl CredentialVault {
    /// The credentials of this server; empty when the file does not exist.
    pub(super) fn open(folder: &Path, agent: &str, server: &str, url: &str) -> Result<Self, LoginError> {
        // The address is part of the file name: credentials for one address are never sent to another.
        let digest = Sha256::digest(format!("{agent}\0{server}\0{url}"));
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(format!("{name}.json"));
        let record = read(&path)?
            .unwrap_or_else(|| CredentialRecord { server: format!("{agent}/{server}"), ..CredentialRecord::default() });
        Ok(Self { path, record: Mutex::new(record) })
    }

    /// Reads the file again; another process may have logged in.
    pub(super) fn reload(&self) -> Result<(), LoginError> {
        if let Some(record) = read(&self.path)? {
            *self.record.lock() = record;
        }
        Ok(())
    }

    pub(super) fn issuer(&self) -> Option<String> {
        self.record.lock().current.clone()
    }

    /// Data issued by the current authorization server.
    pub(super) fn issued(&self) -> IssuedCredentials {
        let record = self.record.lock();
        record.current.as_ref().and_then(|issuer| record.issuers.get(issuer)).cloned().unwrap_or_default()
    }

    pub(super) fn token(&self) -> Option<String> {
        // The type of a token response cannot be named here, but its serialized form is standardized.
        let credentials = self.issued().credentials?.token_response?;
        let value = serde_json::to_value(credentials).ok()?;
        value.get("access_token")?.as_str().map(str::to_owned)
    }

    /// Makes this authorization server current; data issued by others is no longer used.
    pub(super) async fn switch_issuer(&self, issuer: &str) -> Result<(), LoginError> {
        if self.issuer().as_deref() == Some(issuer) {
            return Ok(());
        }
        self.change(|record| {
            if record.issuers.len() >= MAX_ISSUERS {
                let old = record.current.clone();
                record.issuers.retain(|name, _| Some(name) == old.as_ref());
            }
            record.issuers.entry(issuer.to_owned()).or_default();
            record.current = Some(issuer.to_owned());
        })
        .await
    }

    /// Updates the data issued by the current authorization server.
    pub(super) async fn update(&self, change: impl FnOnce(&mut IssuedCredentials)) -> Result<(), LoginError> {
        self.change(|record| {
            let issuer = record.current.clone().unwrap_or_default();
            change(record.issuers.entry(issuer).or_default());
        })
        .await
    }

    async fn change(&self, change: impl FnOnce(&mut CredentialRecord)) -> Result<(), LoginError> {
        let bytes = {
            let mut record = self.record.lock();
            change(&mut record);
            serde_json::to_vec_pretty(&*record).map_err(|error| LoginError::Store { reason: error.to_string() })?
        };
        let path = self.path.clone();
        let written = tokio::task::spawn_blocking(move || write(&path, &bytes)).await;
        let written = written.unwrap_or_else(|error| Err(io::Error::other(error)));
        written.map_err(|error| LoginError::Store { reason: format!("{}: {error}", self.path.display()) })
    }
}

fn read(path: &Path) -> Result<Option<CredentialRecord>, LoginError> {
    let failed = |reason: String| LoginError::Store { reason: format!("{}: {reason}", path.display()) };
    match std::fs::read(path) {
        // The parser's message could repeat file content.
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| failed(format!("line {} cannot be read; remove the file and log in again", error.line()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    baton_system::write_private(path, bytes)
}

/// The vault as credential store of rmcp; clones share it.
#[derive(Clone)]
pub(super) struct VaultCredentialStore(pub(super) Arc<CredentialVault>);

fn store_error(error: LoginError) -> AuthError {
    match error {
        LoginError::Store { reason } => AuthError::CredentialStoreError(reason),
        other => AuthError::CredentialStoreError(other.to_string()),
    }
}

impl CredentialStore for VaultCredentialStore {
    fn load<'a, 'b>(&'a self) -> BoxFuture<'b, Result<Option<StoredCredentials>, AuthError>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(std::future::ready(Ok(self.0.issued().credentials)))
    }

    fn save<'a, 'b>(&'a self, credentials: StoredCredentials) -> BoxFuture<'b, Result<(), AuthError>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(
            async move { self.0.update(|issued| issued.credentials = Some(credentials)).await.map_err(store_error) },
        )
    }

    fn clear<'a, 'b>(&'a self) -> BoxFuture<'b, Result<(), AuthError>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move { self.0.update(|issued| issued.credentials = None).await.map_err(store_error) })
    }
}
