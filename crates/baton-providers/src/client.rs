//! HTTP clients shared by all providers.

use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

/// Client key: whether the address is local, and the connection timeout.
type ClientKey = (bool, Duration);

/// Maximum number of cached clients; more than the distinct timeouts in any settings.
const MAX_CACHED_CLIENTS: usize = 16;

static TLS: OnceLock<Result<ClientConfig, String>> = OnceLock::new();
static CLIENTS: OnceLock<Mutex<HashMap<ClientKey, reqwest::Client>>> = OnceLock::new();

/// A client with the system root certificates, created at the first request because loading them is slow. Local
/// addresses never use the proxy from the environment.
pub(crate) fn shared_client(base: &str, connect: Duration) -> Result<reqwest::Client, String> {
    let kind @ (near, _) = (is_local(base), connect);
    let mut clients = CLIENTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = clients.get(&kind) {
        return Ok(client.clone());
    }
    let builder = reqwest::Client::builder().connect_timeout(connect);
    let client = build_client(if near { builder.no_proxy() } else { builder })?;
    if clients.len() >= MAX_CACHED_CLIENTS {
        clients.clear();
    }
    clients.insert(kind, client.clone());
    Ok(client)
}

fn is_local(base: &str) -> bool {
    let Ok(url) = base.parse::<reqwest::Url>() else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn build_client(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, String> {
    let tls = TLS.get_or_init(tls).clone()?;
    builder
        .tls_backend_preconfigured(tls)
        .pool_idle_timeout(Duration::from_secs(60))
        .tcp_nodelay(true)
        // A redirect would send the key to another host.
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|_| "the HTTP client cannot be set up".to_owned())
}

fn tls() -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    // Set explicitly, so that it does not depend on a crypto provider installed by another crate.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be set up: {error}"))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_hosts_need_no_proxy() {
        for near in ["http://127.0.0.1:11434", "http://localhost:8080/v1", "http://[::1]:1234/v1"] {
            assert!(is_local(near), "{near}");
        }
        for far in ["https://api.openai.com/v1", "http://10.0.0.7:11434", "http://localhost.example/v1", "?"] {
            assert!(!is_local(far), "{far}");
        }
    }
}
