//! Cache of HTTP clients by host.

use baton_outbound::{GuardedClient, OutboundOptions, SetupError};
use parking_lot::Mutex;
use std::{collections::VecDeque, time::Duration};

/// Maximum cached clients; the oldest is evicted first.
const MAX_CACHED_CLIENTS: usize = 64;
/// Upper bound; each call has its own, shorter timeout.
const MAX_REQUEST_TIMEOUT: Duration = Duration::from_secs(60 * 60);

pub(super) struct HttpClientCache {
    base: GuardedClient,
    entries: Mutex<VecDeque<(String, GuardedClient)>>,
}

impl HttpClientCache {
    pub(super) fn new(base: GuardedClient) -> Self {
        Self { base, entries: Mutex::default() }
    }

    /// A client that may call this host at any address, because the author of the definition named it. It follows
    /// same-origin redirects only.
    pub(super) fn client(&self, host: &str) -> Result<GuardedClient, SetupError> {
        if let Some((_, client)) = self.entries.lock().iter().find(|(cached_host, _)| cached_host == host) {
            return Ok(client.clone());
        }
        let options =
            OutboundOptions { request_timeout: MAX_REQUEST_TIMEOUT, same_origin: true, ..OutboundOptions::default() };
        let client = self.base.with_allowed([host], options)?;
        let mut entries = self.entries.lock();
        if entries.len() == MAX_CACHED_CLIENTS {
            entries.pop_front();
        }
        entries.push_back((host.to_owned(), client.clone()));
        Ok(client)
    }
}
