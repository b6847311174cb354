//! Errors in certificate files.

use baton_types::ErrorCode;
use std::path::PathBuf;

/// Error in a certificate or key file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("{} cannot be read: {reason}", file.display())]
    Unreadable {
        /// Path of the file.
        file: PathBuf,
        /// Error of the operating system.
        reason: String,
    },
    /// The file has another format or is truncated.
    #[error("{} is not PEM: {reason}", file.display())]
    NotPem {
        /// Path of the file.
        file: PathBuf,
        /// Syntax error.
        reason: &'static str,
    },
    /// The file contains no certificate.
    #[error("{} has no certificate; it needs a part that begins with -----BEGIN CERTIFICATE-----", file.display())]
    NoCertificate {
        /// Path of the file.
        file: PathBuf,
    },
    /// The file contains no private key.
    #[error("{} has no private key; it needs a part that begins with -----BEGIN PRIVATE KEY-----", file.display())]
    NoKey {
        /// Path of the file.
        file: PathBuf,
    },
    /// The key is encrypted, and no passphrase is available.
    #[error("the key in {} is encrypted; write it without a passphrase, readable by its owner only", file.display())]
    EncryptedKey {
        /// Path of the file.
        file: PathBuf,
    },
    /// Certificate and key are valid but do not match.
    #[error("the key in {} is not that of the first certificate in {}", key.display(), cert.display())]
    Mismatch {
        /// Path of the certificate.
        cert: PathBuf,
        /// Path of the key.
        key: PathBuf,
    },
    /// The content cannot be used.
    #[error("{} cannot be used: {reason}", file.display())]
    Unusable {
        /// Path of the file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl TlsError {
    /// Stable error code.
    pub fn code(&self) -> ErrorCode {
        ErrorCode::TLS_INVALID
    }
}
