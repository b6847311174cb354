//! TLS trust: the system's authorities, or exactly one certificate.

use crate::ClientError;
use baton_types::Digest;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use std::{io, sync::Arc};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// Verification of the server certificate.
pub(crate) enum ServerTrust {
    /// Signed by an authority of the system, for the host in the URL.
    System,
    /// Exactly the certificate with this SHA-256, regardless of its names.
    Pinned(Digest),
}

impl ServerTrust {
    /// Parses a hex fingerprint, upper or lower case, with or without colons.
    pub(crate) fn pinned(fingerprint: &str) -> Result<Self, ClientError> {
        let hex: String = fingerprint.chars().filter(|sign| *sign != ':').collect::<String>().to_ascii_lowercase();
        if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let reason = "a fingerprint is the SHA-256 of a certificate, 64 hexadecimal digits".to_owned();
            return Err(ClientError::Address { address: fingerprint.chars().take(100).collect(), reason });
        }
        Ok(Self::Pinned(Digest::from_hex(hex)))
    }
}

/// TLS connector for one server.
pub(super) struct ServerTls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl ServerTls {
    /// `host` is a name or an address; IPv6 addresses are in brackets.
    pub(super) fn new(host: &str, trust: ServerTrust) -> Result<Self, String> {
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())
            .map_err(|_| "its host is not a valid name for a certificate".to_owned())?;
        // Explicit provider, so that the process-wide default of another crate has no effect here.
        let provider = Arc::new(ring::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let mut config = match trust {
            ServerTrust::System => builder.with_root_certificates(system_roots()).with_no_client_auth(),
            ServerTrust::Pinned(fingerprint) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(PinnedCertVerifier { fingerprint, algorithms }))
                .with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { connector: Arc::new(config).into(), name })
    }

    pub(super) async fn secure(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.connector.connect(self.name.clone(), stream).await.map_err(explain_certificate_error)
    }
}

/// Explains a certificate error.
fn explain_certificate_error(error: io::Error) -> io::Error {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    let Some(rustls::Error::InvalidCertificate(cause)) = cause else { return error };
    let message = match cause {
        CertificateError::UnknownIssuer => {
            "its certificate was issued by an authority that this system does not trust".to_owned()
        }
        CertificateError::ApplicationVerificationFailure => "its certificate is not the pinned one".to_owned(),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired".to_owned(),
        CertificateError::Other(OtherError(other)) if other.to_string() == "CaUsedAsEndEntity" => {
            "its certificate is a CA certificate, which a server must not use; create one with CA:FALSE".to_owned()
        }
        other => format!("its certificate is not accepted: {other}"),
    };
    io::Error::new(error.kind(), message)
}

fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    for error in &native.errors {
        tracing::debug!(%error, "some of the system's root certificates cannot be read");
    }
    let (known, unusable) = roots.add_parsable_certificates(native.certs);
    tracing::debug!(known, unusable, "root certificates loaded");
    roots
}

/// Accepts one certificate. The server must still prove possession of its key: knowing the certificate is not enough.
#[derive(Debug)]
struct PinnedCertVerifier {
    fingerprint: Digest,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for PinnedCertVerifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if Digest::compute(shown) == self.fingerprint {
            return Ok(ServerCertVerified::assertion());
        }
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, shown, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, shown, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
