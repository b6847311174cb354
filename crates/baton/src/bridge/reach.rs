//! The endpoint of a Baton, found again after the server restarts.

use super::trouble::Trouble;
use crate::{connect::BatonConnection, screen::Screen, server_file::ServerFile};
use baton_client::{Client, ClientError, McpReply};
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How long a request waits for a server to come back.
const COMES_BACK: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// How to rediscover a server through its data directory.
#[derive(Debug)]
pub(crate) struct Again {
    /// The data directory with `server.json`.
    pub(crate) data: PathBuf,
    /// Token to use instead of the owner's.
    pub(crate) token: Option<String>,
}

pub(crate) struct Reach {
    path: String,
    again: Option<Again>,
    known: Mutex<Known>,
    searching: tokio::sync::Mutex<()>,
    screen: Screen,
}

#[derive(Clone)]
struct Known {
    client: Client,
    server: Option<ServerFile>,
}

/// Reason for a rediscovery.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lost {
    /// The server is unreachable; nothing was sent.
    Gone,
    /// The server does not accept the owner token; the request was not processed.
    Stranger,
}

fn lost(sent: &Result<McpReply, ClientError>) -> Option<Lost> {
    match sent {
        Err(ClientError::Unreachable { .. }) => Some(Lost::Gone),
        Ok(reply) if reply.status == 401 => Some(Lost::Stranger),
        _ => None,
    }
}

impl Reach {
    /// The endpoint at `path` of the Baton behind `client`.
    pub(crate) fn new(client: Client, path: String, again: Option<Again>, screen: Screen) -> Self {
        let server = again.as_ref().and_then(|again| ServerFile::read(&again.data));
        let known = Mutex::new(Known { client, server });
        Self { path, again, known, searching: tokio::sync::Mutex::default(), screen }
    }

    fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Posts a message. If the server is unreachable or does not accept the owner token, it is rediscovered once. A
    /// message is never processed twice.
    pub(super) async fn post(&self, headers: &[(String, String)], message: &str) -> Result<McpReply, Trouble> {
        let text = || message.to_owned();
        let known = self.known();
        let sent = known.client.mcp_post(&self.path, headers, text()).await;
        match self.found_again(known, lost(&sent)).await {
            Some(client) => client.mcp_post(&self.path, headers, text()).await.map_err(|error| Trouble::of(&error)),
            None => sent.map_err(|error| Trouble::of(&error)),
        }
    }

    /// Opens the stream of server-initiated messages of a session.
    pub(super) async fn listen(&self, headers: &[(String, String)]) -> Result<McpReply, Trouble> {
        let known = self.known();
        let sent = known.client.mcp_listen(&self.path, headers).await;
        match self.found_again(known, lost(&sent)).await {
            Some(client) => client.mcp_listen(&self.path, headers).await.map_err(|error| Trouble::of(&error)),
            None => sent.map_err(|error| Trouble::of(&error)),
        }
    }

    /// Ends a session.
    pub(super) async fn end(&self, headers: &[(String, String)]) {
        // Sessions that are not ended expire eventually.
        let _ = self.known().client.mcp_end(&self.path, headers).await;
    }

    /// Whether the server is still the same process, not a restarted one.
    pub(super) fn is_same(&self) -> bool {
        match &self.again {
            Some(again) => ServerFile::read(&again.data) == self.known().server,
            None => true,
        }
    }

    async fn found_again(&self, known: Known, lost: Option<Lost>) -> Option<Client> {
        let (again, lost) = (self.again.as_ref()?, lost?);
        let stranger = lost == Lost::Stranger;
        if stranger && again.token.is_some() {
            return None;
        }
        let _one_at_a_time = self.searching.lock().await;
        let now = self.known();
        if now.server != known.server {
            return Some(now.client);
        }
        let searching = async {
            loop {
                // The file may still be the old one while it is rewritten; the health check shows that.
                let server = ServerFile::read(&again.data);
                if let Ok(Some(session)) = BatonConnection::find_running(&again.data, again.token.as_deref()).await {
                    return Known { client: session.client, server };
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        let found = tokio::time::timeout(COMES_BACK, searching).await.ok()?;
        if found.server == known.server && stranger {
            return None;
        }
        self.screen.print_stderr("baton mcp: reconnected to the server");
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
        Some(found.client)
    }
}
