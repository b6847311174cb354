//! Current certificate, reloaded when its files change.

use super::{TlsError, TlsFiles, files::TlsSetup};
use baton_types::Digest;
use rustls::ServerConfig;
use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::Instant,
};

/// TLS configuration of all connections; cheap to clone.
#[derive(Clone)]
pub struct Tls(Arc<TlsInner>);

struct TlsInner {
    files: TlsFiles,
    current: RwLock<TlsSetup>,
    last_check: Arc<Mutex<CertificateCheck>>,
    observer: RwLock<Option<CertificateObserver>>,
}

type CertificateObserver = Arc<dyn Fn(&Digest) + Send + Sync>;

/// Result of the last check of the files.
struct CertificateCheck {
    at: Instant,
    /// Digest or error of the files, so that a broken file is reported only once.
    digest: Result<Digest, TlsError>,
}

impl Tls {
    /// Loads the files; they must be valid at startup.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let contents = files.read()?;
        let setup = files.build(&contents)?;
        let check = CertificateCheck { at: Instant::now(), digest: Ok(contents.digest()) };
        Ok(Self(Arc::new(TlsInner {
            files,
            current: RwLock::new(setup),
            last_check: Arc::new(Mutex::new(check)),
            observer: RwLock::new(None),
        })))
    }

    /// SHA-256 of the current certificate.
    pub fn fingerprint(&self) -> Digest {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).fingerprint.clone()
    }

    /// Registers the observer that receives the fingerprint of each new certificate before any client sees it.
    pub fn on_change(&self, observer: impl Fn(&Digest) + Send + Sync + 'static) {
        *self.0.observer.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(observer));
    }

    /// Configuration for the next handshake. Rechecks the files after the `recheck` interval; concurrent handshakes do
    /// not wait for the check.
    pub(crate) async fn config(&self, recheck: Duration) -> Arc<ServerConfig> {
        if let Ok(check) = Arc::clone(&self.0.last_check).try_lock_owned()
            && check.at.elapsed() >= recheck
        {
            let inner = Arc::clone(&self.0);
            if let Err(error) = tokio::task::spawn_blocking(move || inner.reload_if_changed(check)).await {
                tracing::warn!(%error, "the certificate files could not be checked");
            }
        }
        Arc::clone(&self.0.current.read().unwrap_or_else(PoisonError::into_inner).config)
    }
}

impl TlsInner {
    fn reload_if_changed(&self, mut check: OwnedMutexGuard<CertificateCheck>) {
        check.at = Instant::now();
        let contents = self.files.read();
        let seen = contents.as_ref().map(super::files::TlsFileContents::digest).map_err(Clone::clone);
        if seen == check.digest {
            return;
        }
        check.digest = seen;
        match contents.and_then(|contents| self.files.build(&contents)) {
            Ok(setup) => self.replace(setup),
            Err(error) => {
                tracing::warn!(code = error.code().code, %error, "the new certificate is invalid; the old one stays in use");
            }
        }
    }

    fn replace(&self, setup: TlsSetup) {
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(observer) = observer {
            observer(&setup.fingerprint);
        }
        tracing::info!(fingerprint = %setup.fingerprint, "the certificate was reloaded");
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = setup;
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tls").field(&self.0.files).finish()
    }
}
