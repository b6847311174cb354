//! The handle of a started server.

use crate::manage::Manager;
use baton_server::RunningServer;
use std::fmt;

/// A started server; dropping it stops it immediately, and unfinished work continues at the next start.
pub struct BatonServer {
    server: RunningServer,
}

impl BatonServer {
    pub(crate) fn new(server: RunningServer) -> Self {
        Self { server }
    }

    /// Base address without a trailing slash: agents are at `{url}/agents/{name}`, their Environments at
    /// `{url}/agents/{name}/mcp`.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// Creates, shows, changes, copies and deletes agents at runtime; those defined with [`crate::Agent`] are part of
    /// the program and cannot be changed.
    pub fn manager(&self) -> Manager {
        self.server.handle().manager()
    }

    /// Stops accepting requests, waits for requests and for runs to reach a checkpoint, exports the remaining spans,
    /// and releases the data directory, within a timeout.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

impl fmt::Debug for BatonServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatonServer").field("url", &self.url()).finish_non_exhaustive()
    }
}
