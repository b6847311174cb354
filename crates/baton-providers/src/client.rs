//! The one HTTP client of all providers.

use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

static SHARED: OnceLock<Result<reqwest::Client, String>> = OnceLock::new();

/// A client with the system's authorities; made at the first request, since reading them takes a while.
pub(crate) fn shared() -> Result<reqwest::Client, String> {
    SHARED.get_or_init(make).clone()
}

fn make() -> Result<reqwest::Client, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    // Named rather than taken from the process, so that no other crate's choice of provider matters here.
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be set up: {error}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(Duration::from_secs(10))
        .pool_idle_timeout(Duration::from_secs(60))
        .tcp_nodelay(true)
        // A redirect would carry the key elsewhere.
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|_| "the HTTP client cannot be set up".to_owned())
}
