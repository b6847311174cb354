//! A client for each host that definitions name.

use baton_outbound::{GuardedClient, Options, SetupError};
use parking_lot::Mutex;
use std::{collections::VecDeque, time::Duration};

/// Hosts whose connections are kept; the one that came first goes first.
const MOST: usize = 64;
/// Each call has its own, shorter time.
const LONGEST: Duration = Duration::from_secs(60 * 60);

pub(super) struct Clients {
    base: GuardedClient,
    known: Mutex<VecDeque<(String, GuardedClient)>>,
}

impl Clients {
    pub(super) fn new(base: GuardedClient) -> Self {
        Self { base, known: Mutex::default() }
    }

    /// A client that may call this host wherever it is, since the definition's author wrote it there, and that
    /// follows redirects at one origin only.
    pub(super) fn client(&self, host: &str) -> Result<GuardedClient, SetupError> {
        if let Some((_, client)) = self.known.lock().iter().find(|(known, _)| known == host) {
            return Ok(client.clone());
        }
        let options = Options { request_timeout: LONGEST, same_origin: true, ..Options::default() };
        let client = self.base.also_allowing([host], options)?;
        let mut known = self.known.lock();
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back((host.to_owned(), client.clone()));
        Ok(client)
    }
}
