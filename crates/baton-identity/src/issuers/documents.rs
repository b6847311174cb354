//! Fetching of issuer documents.

use super::{IssuerConfig, IssuerError};
use baton_outbound::{AddressPolicy, CertificateDer, GuardedClient, OutboundOptions};
use baton_ports::BoxFuture;
use bytes::Bytes;
use http::{Request, StatusCode, header};
use std::time::Duration;

/// Maximum bytes of a document.
const MAX_DOCUMENT: usize = 256 * 1024;
/// Timeout per document; a caller waits for it.
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// Fetches public documents of issuers.
pub trait IssuerDocuments: Send + Sync + 'static {
    /// The document at a URL, or an error message for the operator.
    fn get<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Bytes, String>>;
}

/// Documents over HTTP, from the configured hosts and from public addresses.
pub struct GuardedIssuerDocuments {
    client: GuardedClient,
}

impl GuardedIssuerDocuments {
    /// A client for these issuers, which trusts `extra_roots` in addition to the system CAs.
    pub fn new(issuers: &[IssuerConfig], extra_roots: Vec<CertificateDer<'static>>) -> Result<Self, IssuerError> {
        let policy = AddressPolicy::allowing(issuers.iter().flat_map(IssuerConfig::hosts));
        let policy = policy.map_err(|error| IssuerError::Client(error.to_string()))?;
        let options = OutboundOptions {
            request_timeout: FETCH_TIMEOUT,
            body_timeout: FETCH_TIMEOUT,
            max_reply: MAX_DOCUMENT,
            idle_per_host: 1,
            extra_roots,
            ..OutboundOptions::default()
        };
        let client = GuardedClient::new(policy, &options).map_err(|error| IssuerError::Client(error.to_string()))?;
        Ok(Self { client })
    }

    async fn read(&self, url: &str) -> Result<Bytes, String> {
        let request = Request::get(url).header(header::ACCEPT, "application/json").body(Bytes::new());
        let reply = self.client.send(request.map_err(|error| error.to_string())?).await;
        let reply = reply.map_err(|error| error.to_string())?;
        if reply.status != StatusCode::OK {
            return Err(format!("{url} answered {}", reply.status));
        }
        if !reply.complete {
            return Err(format!("{url} has more than {MAX_DOCUMENT} bytes, or timed out"));
        }
        Ok(reply.body)
    }
}

impl IssuerDocuments for GuardedIssuerDocuments {
    fn get<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Bytes, String>> {
        Box::pin(self.read(url))
    }
}
