//! Where the endpoint is, also after the Baton behind it was started anew.

use super::trouble::Trouble;
use crate::{connect::Session, screen::Screen, server_file::ServerFile};
use baton_client::{Client, ClientError, McpReply};
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How long a Baton that went away is given to come back before a request is answered with that.
const COMES_BACK: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// How to find a Baton again that is announced in a data directory.
#[derive(Debug)]
pub(crate) struct Again {
    /// Where it is announced.
    pub(crate) data: PathBuf,
    /// Shown instead of the owner's.
    pub(crate) token: Option<String>,
}

/// One endpoint.
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

/// Why the Baton has to be looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lost {
    /// Nobody is there; nothing was sent.
    Gone,
    /// It does not know the token of its owner; it did nothing.
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

    /// Posts a message; a Baton that is not there any more, or that does not know its owner any more, is looked for
    /// once. Nothing is sent twice.
    pub(super) async fn post(&self, headers: &[(String, String)], message: &str) -> Result<McpReply, Trouble> {
        let text = || message.to_owned();
        let known = self.known();
        let sent = known.client.mcp_post(&self.path, headers, text()).await;
        match self.found_again(known, lost(&sent)).await {
            Some(client) => client.mcp_post(&self.path, headers, text()).await.map_err(|error| Trouble::of(&error)),
            None => sent.map_err(|error| Trouble::of(&error)),
        }
    }

    /// Opens the stream of what a session hears unasked.
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
        // Sessions that are not ended are forgotten by and by.
        let _ = self.known().client.mcp_end(&self.path, headers).await;
    }

    /// Whether the Baton is the one that was talked to, and not its successor.
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
                // What stands in the file while it is written anew may be the old one; that is found out by asking.
                let server = ServerFile::read(&again.data);
                if let Ok(Some(session)) = Session::running(&again.data, again.token.as_deref()).await {
                    return Known { client: session.client, server };
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        let found = tokio::time::timeout(COMES_BACK, searching).await.ok()?;
        if found.server == known.server && stranger {
            return None;
        }
        self.screen.say("baton mcp: found the server again");
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
        Some(found.client)
    }
}
