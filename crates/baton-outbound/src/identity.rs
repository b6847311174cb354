//! Client certificate for servers that request one.

use crate::{CertificateDer, PrivateKeyDer, SetupError};
use rustls::pki_types::pem::PemObject as _;
use std::{fmt, sync::Arc};

/// Certificate chain, leaf first, and the private key.
#[derive(Clone)]
pub struct ClientIdentity {
    certificates: Arc<[CertificateDer<'static>]>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl ClientIdentity {
    /// Creates an identity from a chain and the key of its first certificate; a mismatch is detected when a client is
    /// created.
    pub fn new(certificates: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Self {
        Self { certificates: certificates.into(), key: Arc::new(key) }
    }

    /// Parses PEM text.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, SetupError> {
        let wrong =
            |label: &str, error: rustls::pki_types::pem::Error| SetupError::Identity(format!("{label}: {error}"));
        let chain = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| wrong("the certificates", error))?;
        if chain.is_empty() {
            return Err(SetupError::Identity("there is no certificate in the text".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| wrong("the key", error))?;
        Ok(Self::new(chain, key))
    }

    pub(crate) fn certificates(&self) -> &[CertificateDer<'static>] {
        &self.certificates
    }

    pub(crate) fn key(&self) -> PrivateKeyDer<'static> {
        self.key.clone_key()
    }
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientIdentity").field("certificates", &self.certificates.len()).finish_non_exhaustive()
    }
}
