//! TLS configuration: root certificates and client certificate.

use crate::{CertificateDer, ClientIdentity, SetupError};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::sync::Arc;

/// Loads the system's root certificates and the additional ones.
pub(crate) fn roots(extra_roots: &[CertificateDer<'static>]) -> Result<Arc<RootCertStore>, SetupError> {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    for error in &native.errors {
        tracing::debug!(%error, "some of the system's root certificates cannot be read");
    }
    let (_, unusable) = roots.add_parsable_certificates(native.certs);
    for root in extra_roots {
        roots.add(root.clone()).map_err(|error| SetupError::Root(error.to_string()))?;
    }
    tracing::debug!(roots = roots.len(), unusable, "root certificates loaded");
    if roots.is_empty() {
        tracing::warn!("the system has no root certificates; calls to https addresses will fail");
    }
    Ok(Arc::new(roots))
}

/// TLS configuration with these root certificates.
pub(crate) fn config(
    roots: &Arc<RootCertStore>,
    identity: Option<&ClientIdentity>,
) -> Result<ClientConfig, SetupError> {
    // Explicit provider, so that the process default of another crate has no effect.
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| SetupError::Tls(error.to_string()))?
        .with_root_certificates(Arc::clone(roots));
    match identity {
        None => Ok(builder.with_no_client_auth()),
        Some(identity) => builder
            .with_client_auth_cert(identity.certificates().to_vec(), identity.key())
            .map_err(|error| SetupError::Identity(error.to_string())),
    }
}
