//! The way to whichever server is alive.

use crate::Server;
use anyhow::{Result, anyhow, bail};
use baton_client::{Client, ClientError};
use std::time::Duration;
use tokio::sync::watch;

/// Longer than the server may be gone between two lives.
const PATIENCE: Duration = Duration::from_secs(45);

/// One life of the server that took work.
#[derive(Clone, Debug)]
pub(crate) struct Up {
    pub(crate) generation: u32,
    pub(crate) url: String,
    pub(crate) client: Client,
}

impl Up {
    pub(crate) fn new(generation: u32, server: &Server) -> Self {
        Self { generation, url: server.url().to_owned(), client: server.client().clone() }
    }
}

/// Tells clients of every new life.
#[derive(Clone)]
pub(crate) struct Link(watch::Receiver<Up>);

impl Link {
    pub(crate) fn new(up: watch::Receiver<Up>) -> Self {
        Self(up)
    }

    /// The newest life; it may have ended already.
    pub(crate) fn up(&self) -> Up {
        self.0.borrow().clone()
    }

    /// The next life after the one that broke off; an error when it was not killed, because then nothing else may
    /// break a connection.
    pub(crate) async fn after(&mut self, broken: &Up, error: &str) -> Result<Up> {
        let later = self.0.wait_for(|up| up.generation > broken.generation);
        match tokio::time::timeout(PATIENCE, later).await {
            Ok(Ok(up)) => Ok(up.clone()),
            Ok(Err(_)) => bail!("the loop ended; last error: {error}"),
            Err(_) => Err(anyhow!("server {} was not killed and yet: {error}", broken.generation)),
        }
    }
}

/// Whether the connection broke, as it does when the server dies; anything else is the server's own word.
pub(crate) fn is_break(error: &ClientError) -> bool {
    matches!(error, ClientError::Unreachable { .. } | ClientError::Interrupted(_))
}
