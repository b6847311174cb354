//! The endpoint of a Baton, found again after the server restarts.

use super::error::BridgeError;
use crate::{connect::BatonConnection, screen::Screen, server_file::ServerFile};
use baton_client::{Client, ClientError, McpReply};
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How long a request waits for a server to come back.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const RECONNECT_INTERVAL: Duration = Duration::from_millis(100);

/// How to rediscover a server through its data directory.
#[derive(Debug)]
pub(crate) struct ServerRediscovery {
    /// The data directory with `server.json`.
    pub(crate) data: PathBuf,
    /// Token to use instead of the owner's.
    pub(crate) token: Option<String>,
}

pub(crate) struct BridgeEndpoint {
    path: String,
    rediscovery: Option<ServerRediscovery>,
    known: Mutex<KnownServer>,
    searching: tokio::sync::Mutex<()>,
    screen: Screen,
}

#[derive(Clone)]
struct KnownServer {
    client: Client,
    server: Option<ServerFile>,
}

/// Reason for a rediscovery.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConnectionLoss {
    /// The server is unreachable; nothing was sent.
    Unreachable,
    /// The server does not accept the owner token; the request was not processed.
    Unauthenticated,
}

fn connection_loss(sent: &Result<McpReply, ClientError>) -> Option<ConnectionLoss> {
    match sent {
        Err(ClientError::Unreachable { .. }) => Some(ConnectionLoss::Unreachable),
        Ok(reply) if reply.status == 401 => Some(ConnectionLoss::Unauthenticated),
        _ => None,
    }
}

impl BridgeEndpoint {
    /// The endpoint at `path` of the Baton behind `client`.
    pub(crate) fn new(client: Client, path: String, rediscovery: Option<ServerRediscovery>, screen: Screen) -> Self {
        let server = rediscovery.as_ref().and_then(|again| ServerFile::read(&again.data));
        let known = Mutex::new(KnownServer { client, server });
        Self { path, rediscovery, known, searching: tokio::sync::Mutex::default(), screen }
    }

    fn known(&self) -> KnownServer {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Posts a message. If the server is unreachable or does not accept the owner token, it is rediscovered once. A
    /// message is never processed twice.
    pub(super) async fn post(&self, headers: &[(String, String)], message: &str) -> Result<McpReply, BridgeError> {
        let text = || message.to_owned();
        let known = self.known();
        let sent = known.client.mcp_post(&self.path, headers, text()).await;
        match self.rediscover(known, connection_loss(&sent)).await {
            Some(client) => client
                .mcp_post(&self.path, headers, text())
                .await
                .map_err(|error| BridgeError::from_client_error(&error)),
            None => sent.map_err(|error| BridgeError::from_client_error(&error)),
        }
    }

    /// Opens the stream of server-initiated messages of a session.
    pub(super) async fn listen(&self, headers: &[(String, String)]) -> Result<McpReply, BridgeError> {
        let known = self.known();
        let sent = known.client.mcp_listen(&self.path, headers).await;
        match self.rediscover(known, connection_loss(&sent)).await {
            Some(client) => {
                client.mcp_listen(&self.path, headers).await.map_err(|error| BridgeError::from_client_error(&error))
            }
            None => sent.map_err(|error| BridgeError::from_client_error(&error)),
        }
    }

    /// Ends a session.
    pub(super) async fn end(&self, headers: &[(String, String)]) {
        // Sessions that are not ended expire eventually.
        let _ = self.known().client.mcp_end(&self.path, headers).await;
    }

    /// Whether the server is still the same process, not a restarted one.
    pub(super) fn is_same_server(&self) -> bool {
        match &self.rediscovery {
            Some(again) => ServerFile::read(&again.data) == self.known().server,
            None => true,
        }
    }

    async fn rediscover(&self, previous: KnownServer, loss: Option<ConnectionLoss>) -> Option<Client> {
        let (again, loss) = (self.rediscovery.as_ref()?, loss?);
        let stranger = loss == ConnectionLoss::Unauthenticated;
        if stranger && again.token.is_some() {
            return None;
        }
        let _one_at_a_time = self.searching.lock().await;
        let now = self.known();
        if now.server != previous.server {
            return Some(now.client);
        }
        let searching = async {
            loop {
                // The file may still be the old one while it is rewritten; the health check shows that.
                let server = ServerFile::read(&again.data);
                if let Ok(Some(session)) = BatonConnection::find_running(&again.data, again.token.as_deref()).await {
                    return KnownServer { client: session.client, server };
                }
                tokio::time::sleep(RECONNECT_INTERVAL).await;
            }
        };
        let found = tokio::time::timeout(RECONNECT_TIMEOUT, searching).await.ok()?;
        if found.server == previous.server && stranger {
            return None;
        }
        self.screen.print_stderr("baton mcp: reconnected to the server");
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
        Some(found.client)
    }
}
