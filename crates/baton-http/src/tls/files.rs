//! Certificate and key files, and the TLS configuration built from them.

use super::TlsError;
use baton_types::Digest;
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{Error as PemError, PemObject as _},
    },
    server::{ParsedCertificate, WebPkiClientVerifier},
    sign::CertifiedKey,
};
use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Maximum file size in bytes; chains and CA bundles are far smaller.
const MAX_FILE: u64 = 1024 * 1024;
const DAMAGED_CERTIFICATE_MESSAGE: &str = "a certificate in it is damaged";
const ENCRYPTED_KEY_HEADER: &[u8] = b"-----BEGIN ENCRYPTED PRIVATE KEY-----";

/// Paths of the PEM files with the certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// Certificate, followed by its intermediates.
    pub cert: PathBuf,
    /// Private key of the certificate.
    pub key: PathBuf,
    /// CAs of client certificates. If set, clients without such a certificate are rejected.
    pub client_ca: Option<PathBuf>,
}

/// Contents of all files at one point in time.
pub(super) struct TlsFileContents {
    cert: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

/// TLS configuration built from the files.
pub(super) struct TlsSetup {
    pub(super) config: Arc<ServerConfig>,
    /// Fingerprint of the server certificate.
    pub(super) fingerprint: Digest,
}

impl TlsFiles {
    pub(super) fn read(&self) -> Result<TlsFileContents, TlsError> {
        Ok(TlsFileContents {
            cert: read(&self.cert)?,
            key: read(&self.key)?,
            client_ca: self.client_ca.as_deref().map(read).transpose()?,
        })
    }

    pub(super) fn build(&self, contents: &TlsFileContents) -> Result<TlsSetup, TlsError> {
        // Explicit instead of the process default, so that other crates cannot change the provider.
        let provider = Arc::new(ring::default_provider());
        let chain = certificates(&self.cert, &contents.cert)?;
        let Some(shown) = chain.first() else { return Err(TlsError::NoCertificate { file: self.cert.clone() }) };
        ParsedCertificate::try_from(shown).map_err(|_| unusable(&self.cert, DAMAGED_CERTIFICATE_MESSAGE))?;
        let fingerprint = Digest::compute(shown);
        let key = private_key(&self.key, &contents.key)?;
        let certified = match CertifiedKey::from_der(chain, key, &provider) {
            Ok(certified) => certified,
            Err(rustls::Error::InconsistentKeys(_)) => {
                return Err(TlsError::Mismatch { cert: self.cert.clone(), key: self.key.clone() });
            }
            Err(_) => return Err(unusable(&self.key, "the key in it is damaged, or not of RSA, ECDSA or Ed25519")),
        };
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&self.cert, error))?;
        let builder = match (&self.client_ca, &contents.client_ca) {
            (Some(file), Some(bytes)) => {
                let roots = authorities(file, bytes)?;
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                    .build()
                    .map_err(|error| unusable(file, error))?;
                builder.with_client_cert_verifier(verifier)
            }
            _ => builder.with_no_client_auth(),
        };
        let mut config = builder.with_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(certified)));
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(TlsSetup { config: Arc::new(config), fingerprint })
    }
}

impl TlsFileContents {
    /// Digest for change detection, so that the key need not be retained.
    pub(super) fn digest(&self) -> Digest {
        let parts =
            [&self.cert, &self.key, self.client_ca.as_ref().unwrap_or(&Vec::new())].map(|part| Digest::compute(part));
        Digest::compute(parts.map(|part| part.to_string()).concat().as_bytes())
    }
}

fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    let unreadable = |reason: String| TlsError::Unreadable { file: file.to_owned(), reason };
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(|error| unreadable(error.to_string()))?;
    opened.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(unreadable(format!("it is larger than {MAX_FILE} bytes")));
    }
    Ok(bytes)
}

fn certificates(file: &Path, bytes: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(bytes).collect();
    let found = found.map_err(|error| not_pem(file, &error))?;
    if found.is_empty() {
        check_any_pem(file, bytes)?;
        return Err(TlsError::NoCertificate { file: file.to_owned() });
    }
    Ok(found)
}

fn private_key(file: &Path, bytes: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    match PrivateKeyDer::from_pem_slice(bytes) {
        Ok(key) => Ok(key),
        Err(PemError::NoItemsFound) => {
            check_any_pem(file, bytes)?;
            if bytes.windows(ENCRYPTED_KEY_HEADER.len()).any(|part| part == ENCRYPTED_KEY_HEADER) {
                return Err(TlsError::EncryptedKey { file: file.to_owned() });
            }
            Err(TlsError::NoKey { file: file.to_owned() })
        }
        Err(error) => Err(not_pem(file, &error)),
    }
}

fn authorities(file: &Path, bytes: &[u8]) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for authority in certificates(file, bytes)? {
        roots.add(authority).map_err(|_| unusable(file, DAMAGED_CERTIFICATE_MESSAGE))?;
    }
    Ok(roots)
}

fn check_any_pem(file: &Path, bytes: &[u8]) -> Result<(), TlsError> {
    let reason = "no line begins with -----BEGIN";
    let has_header = bytes.windows(10).any(|part| part == b"-----BEGIN");
    if has_header { Ok(()) } else { Err(TlsError::NotPem { file: file.to_owned(), reason }) }
}

/// A fixed reason: the parser's message would include bytes of the file, which may belong to a key.
fn not_pem(file: &Path, error: &PemError) -> TlsError {
    let reason = match error {
        PemError::MissingSectionEnd { .. } => "it is cut off before an END line",
        PemError::IllegalSectionStart { .. } => "a BEGIN line is broken",
        PemError::Base64Decode(_) => "a part is not base64",
        _ => "its structure is invalid",
    };
    TlsError::NotPem { file: file.to_owned(), reason }
}

fn unusable(file: &Path, error: impl std::fmt::Display) -> TlsError {
    TlsError::Unusable { file: file.to_owned(), reason: error.to_string() }
}
