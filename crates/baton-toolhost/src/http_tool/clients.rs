//! Cache of HTTP clients by host.

use baton_outbound::{GuardedClient, Options, SetupError};
use parking_lot::Mutex;
use std::{collections::VecDeque, time::Duration};

/// Maximum cached clients; the oldest is evicted first.
const MOST: usize = 64;
/// Upper bound; each call has its own, shorter timeout.
const LONGEST: Duration = Duration::from_secs(60 * 60);

pub(super) struct Clients {
    base: GuardedClient,
    known: Mutex<VecDeque<(String, GuardedClient)>>,
}

impl Clients {
    pub(super) fn new(base: GuardedClient) -> Self {
        Self { base, known: Mutex::default() }
    }

    /// A client that may call this host at any address, because the author of the definition named it. It follows
    /// same-origin redirects only.
    pub(super) fn client(&self, host: &str) -> Result<GuardedClient, SetupError> {
        if let Some((_, client)) = self.known.lock().iter().find(|(known, _)| known == host) {
            return Ok(client.clone());
        }
        let options =
            Options { request_timeout: LONGEST, same_origin: true, ..Options::default() };
        let client = self.base.also_allowing([host], options)?;
        let mut known = self.known.lock();
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back((host.to_owned(), client.clone()));
        Ok(client)
    }
}
