//! Connection to the current server process.

use crate::Server;
use anyhow::{Result, anyhow, bail};
use baton_client::{Client, ClientError};
use std::time::Duration;
use tokio::sync::watch;

/// Upper bound of the time between two server processes.
const RESTART_TIMEOUT: Duration = Duration::from_secs(45);

/// A server process that was ready.
#[derive(Clone, Debug)]
pub(crate) struct LiveServer {
    pub(crate) generation: u32,
    pub(crate) url: String,
    pub(crate) client: Client,
}

impl LiveServer {
    pub(crate) fn new(generation: u32, server: &Server) -> Self {
        Self { generation, url: server.url().to_owned(), client: server.client().clone() }
    }
}

/// Publishes every new server process to clients.
#[derive(Clone)]
pub(crate) struct ServerLink(watch::Receiver<LiveServer>);

impl ServerLink {
    pub(crate) fn new(up: watch::Receiver<LiveServer>) -> Self {
        Self(up)
    }

    /// The latest server process; it may have ended already.
    pub(crate) fn current(&self) -> LiveServer {
        self.0.borrow().clone()
    }

    /// Waits for the server process after `broken`. Fails if `broken` was not killed, because then no connection may
    /// break.
    pub(crate) async fn wait_for_successor(&mut self, broken: &LiveServer, error: &str) -> Result<LiveServer> {
        let later = self.0.wait_for(|up| up.generation > broken.generation);
        match tokio::time::timeout(RESTART_TIMEOUT, later).await {
            Ok(Ok(up)) => Ok(up.clone()),
            Ok(Err(_)) => bail!("the loop ended; last error: {error}"),
            Err(_) => Err(anyhow!("server {} was not killed, but its connection broke: {error}", broken.generation)),
        }
    }
}

/// Whether the connection broke, as when the server dies; any other error is a response of the server.
pub(crate) fn is_break(error: &ClientError) -> bool {
    matches!(error, ClientError::Unreachable { .. } | ClientError::Interrupted(_))
}
