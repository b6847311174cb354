//! Agents that are being served.

use crate::{manage::Manager, wiring::Served};
use std::fmt;

/// A Baton at work; dropping it stops it at once, and what was in progress goes on at the next start.
pub struct Running {
    url: String,
    served: Served,
}

impl Running {
    pub(crate) fn new(url: String, served: Served) -> Self {
        Self { url, served }
    }

    /// Where it is, without a slash at the end: agents are at `{url}/agents/{name}`, their Environments at
    /// `{url}/agents/{name}/mcp`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Makes, shows, changes, copies and deletes agents while they are served; those of [`crate::Agent`] are part of the
    /// program and stay as they are.
    pub fn manager(&self) -> Manager {
        self.served.manager()
    }

    /// Stops accepting, lets requests and runs come to a good point, and lets the data directory go, within a bound.
    pub async fn stop(self) {
        self.served.stop().await;
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("url", &self.url).finish_non_exhaustive()
    }
}
