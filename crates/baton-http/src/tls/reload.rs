//! The certificate in use, replaced when its files change.

use super::{TlsError, TlsFiles, files::Made};
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

/// The certificate that connections are secured with; cheap to clone.
#[derive(Clone)]
pub struct Tls(Arc<Inner>);

struct Inner {
    files: TlsFiles,
    current: RwLock<Made>,
    looked: Arc<Mutex<Looked>>,
    observer: RwLock<Option<Observer>>,
}

type Observer = Arc<dyn Fn(&Digest) + Send + Sync>;

/// The last look at the files.
struct Looked {
    at: Instant,
    /// What they were, good or not, so that a broken file is complained about once.
    seen: Result<Digest, TlsError>,
}

impl Tls {
    /// Reads the files; they must be good at the start.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let contents = files.read()?;
        let made = files.make(&contents)?;
        let looked = Looked { at: Instant::now(), seen: Ok(contents.digest()) };
        Ok(Self(Arc::new(Inner {
            files,
            current: RwLock::new(made),
            looked: Arc::new(Mutex::new(looked)),
            observer: RwLock::new(None),
        })))
    }

    /// The SHA-256 of the certificate that is shown now.
    pub fn fingerprint(&self) -> Digest {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).fingerprint.clone()
    }

    /// Tells one observer the fingerprint of each new certificate before any client sees it.
    pub fn on_change(&self, observer: impl Fn(&Digest) + Send + Sync + 'static) {
        *self.0.observer.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(observer));
    }

    /// What the next handshake uses. Looks at the files if nobody did for so long; others do not wait meanwhile.
    pub(crate) async fn config(&self, recheck: Duration) -> Arc<ServerConfig> {
        if let Ok(looked) = Arc::clone(&self.0.looked).try_lock_owned()
            && looked.at.elapsed() >= recheck
        {
            let inner = Arc::clone(&self.0);
            if let Err(error) = tokio::task::spawn_blocking(move || inner.look(looked)).await {
                tracing::warn!(%error, "the certificate's files could not be looked at");
            }
        }
        Arc::clone(&self.0.current.read().unwrap_or_else(PoisonError::into_inner).config)
    }
}

impl Inner {
    fn look(&self, mut looked: OwnedMutexGuard<Looked>) {
        looked.at = Instant::now();
        let contents = self.files.read();
        let seen = contents.as_ref().map(super::files::Contents::digest).map_err(Clone::clone);
        if seen == looked.seen {
            return;
        }
        looked.seen = seen;
        match contents.and_then(|contents| self.files.make(&contents)) {
            Ok(made) => self.replace(made),
            Err(error) => {
                tracing::warn!(code = error.code().code, %error, "the new certificate is not used; the old one stays");
            }
        }
    }

    fn replace(&self, made: Made) {
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(observer) = observer {
            observer(&made.fingerprint);
        }
        tracing::info!(fingerprint = %made.fingerprint, "the certificate was read anew");
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = made;
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tls").field(&self.0.files).finish()
    }
}
