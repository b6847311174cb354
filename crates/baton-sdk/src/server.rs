//! The handle of a started server.

use crate::{manage::Manager, wiring::ServerComponents};
use std::fmt;

/// A started server; dropping it stops it immediately, and unfinished work continues at the next start.
pub struct BatonServer {
    url: String,
    components: ServerComponents,
}

impl BatonServer {
    pub(crate) fn new(url: String, components: ServerComponents) -> Self {
        Self { url, components }
    }

    /// Base address without a trailing slash: agents are at `{url}/agents/{name}`, their Environments at
    /// `{url}/agents/{name}/mcp`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Creates, shows, changes, copies and deletes agents at runtime; those defined with [`crate::Agent`] are part of
    /// the program and cannot be changed.
    pub fn manager(&self) -> Manager {
        self.components.manager()
    }

    /// Stops accepting requests, waits for requests and for runs to reach a checkpoint, and releases the data
    /// directory, within a timeout.
    pub async fn stop(self) {
        self.components.stop().await;
    }
}

impl fmt::Debug for BatonServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatonServer").field("url", &self.url).finish_non_exhaustive()
    }
}
