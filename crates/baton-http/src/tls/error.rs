//! Why files make no certificate.

use baton_types::ErrorCode;
use std::path::PathBuf;

/// Files from which no certificate can be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("{} cannot be read: {reason}", file.display())]
    Unreadable {
        /// Which.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file is in another format, or cut off.
    #[error("{} is not PEM: {reason}", file.display())]
    NotPem {
        /// Which.
        file: PathBuf,
        /// Where it stops making sense.
        reason: &'static str,
    },
    /// The file has other things in it.
    #[error("{} has no certificate; it needs a part that begins with -----BEGIN CERTIFICATE-----", file.display())]
    NoCertificate {
        /// Which.
        file: PathBuf,
    },
    /// The file has other things in it.
    #[error("{} has no private key; it needs a part that begins with -----BEGIN PRIVATE KEY-----", file.display())]
    NoKey {
        /// Which.
        file: PathBuf,
    },
    /// The key wants a passphrase, and nobody is there to give it.
    #[error("the key in {} is encrypted; write it without a passphrase, readable by its owner only", file.display())]
    EncryptedKey {
        /// Which.
        file: PathBuf,
    },
    /// Both are good, and do not belong together.
    #[error("the key in {} is not that of the first certificate in {}", key.display(), cert.display())]
    Mismatch {
        /// Where the certificate is.
        cert: PathBuf,
        /// Where the key is.
        key: PathBuf,
    },
    /// What it holds cannot be used.
    #[error("{} cannot be used: {reason}", file.display())]
    Unusable {
        /// Which.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl TlsError {
    /// The stable code that people look up.
    pub fn code(&self) -> ErrorCode {
        ErrorCode::TLS_INVALID
    }
}
