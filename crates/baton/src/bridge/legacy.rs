//! The session of a client of older protocol versions: opened by the client's `initialize`, and reopened with the same
//! message if the server has lost it.

use super::{deliver::read_answer, error::BridgeError, listen, pump::Bridge};
use crate::error_codes;
use baton_client::McpMessage;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Maximum messages that are replayed in a new session; further subscriptions are lost when the session is reopened.
const MAX_REPLAYED_MESSAGES: usize = 1024;
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(1);
const INITIALIZED_NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// State of the session, if there is one.
#[derive(Default)]
pub(super) struct LegacySession {
    session: Option<String>,
    version: Option<String>,
    /// Session counter, so that a lost session is replaced only once.
    pub(super) number: u64,
    initialize: Option<McpMessage>,
    initialized: bool,
    /// Messages to replay in a new session.
    replayed: BTreeMap<String, McpMessage>,
    listening: CancellationToken,
}

/// Headers and session of a message.
pub(super) struct SessionRoute {
    pub(super) headers: Vec<(String, String)>,
    pub(super) number: u64,
    pub(super) has_session: bool,
}

#[derive(Deserialize)]
struct InitializeReply {
    result: InitializeReplyResult,
}

#[derive(Deserialize)]
struct InitializeReplyResult {
    #[serde(rename = "protocolVersion")]
    version: String,
}

impl LegacySession {
    fn headers(&self) -> Vec<(String, String)> {
        let session = self.session.iter().map(|id| ("Mcp-Session-Id".to_owned(), id.clone()));
        let version = self.version.iter().map(|version| ("MCP-Protocol-Version".to_owned(), version.clone()));
        session.chain(version).collect()
    }

    /// Records messages that a new session needs as well.
    fn record_for_replay(&mut self, message: &McpMessage) {
        let resource = message.about().unwrap_or_default();
        match message.method.as_deref() {
            Some("logging/setLevel") => drop(self.replayed.insert(String::new(), message.clone())),
            Some("resources/subscribe") if self.replayed.len() < MAX_REPLAYED_MESSAGES => {
                self.replayed.insert(format!("+{resource}"), message.clone());
            }
            Some("resources/unsubscribe") => drop(self.replayed.remove(&format!("+{resource}"))),
            _ => {}
        }
    }
}

impl Bridge {
    /// Headers for a message that names no protocol version.
    pub(super) async fn session_route(&self, message: &McpMessage) -> SessionRoute {
        let mut legacy = self.legacy.lock().await;
        if message.is_request("initialize") {
            return SessionRoute { headers: Vec::new(), number: legacy.number, has_session: false };
        }
        legacy.record_for_replay(message);
        SessionRoute { headers: legacy.headers(), number: legacy.number, has_session: legacy.session.is_some() }
    }

    /// Records a session that the client opened.
    pub(super) async fn record_session(&self, initialize: &McpMessage, session: Option<String>, answer: &str) {
        let Ok(InitializeReply { result }) = serde_json::from_str::<InitializeReply>(answer) else { return };
        let mut legacy = self.legacy.lock().await;
        legacy.listening.cancel();
        *legacy = LegacySession {
            session,
            version: Some(result.version),
            number: legacy.number + 1,
            initialize: Some(initialize.clone()),
            ..LegacySession::default()
        };
    }

    /// The client has acknowledged the session; server-initiated messages are accepted from now on.
    pub(super) async fn start_listening(self: &Arc<Self>) {
        let mut legacy = self.legacy.lock().await;
        legacy.initialized = true;
        self.listen(&mut legacy);
    }

    fn listen(self: &Arc<Self>, legacy: &mut LegacySession) {
        legacy.listening.cancel();
        legacy.listening = self.shutdown.child_token();
        if legacy.session.is_some() {
            let (token, number) = (legacy.listening.clone(), legacy.number);
            tokio::spawn(token.run_until_cancelled_owned(listen::listen(Arc::clone(self), legacy.headers(), number)));
        }
    }

    /// Replaces the session with this number, unless it was replaced already.
    pub(super) async fn reopen_session(self: &Arc<Self>, number: u64) -> Result<(), BridgeError> {
        let mut legacy = self.legacy.lock().await;
        if legacy.number != number {
            return Ok(());
        }
        let session_lost =
            || BridgeError::new(error_codes::SERVER_UNREACHABLE, "the session was lost and could not be reopened");
        let id = format!("\"baton-bridge-{number}\"");
        let initialize =
            legacy.initialize.as_ref().and_then(|initialize| initialize.with_id(&id)).ok_or_else(session_lost)?;
        let mut reply = self.endpoint.post(&[], &initialize.text).await?;
        let (status, session) = (reply.status, reply.session.take());
        let answer = read_answer(reply, &id).await?;
        let opened: InitializeReply =
            serde_json::from_str(&answer).map_err(|_| BridgeError::from_reply(status, &answer))?;
        legacy.session = session;
        legacy.version = Some(opened.result.version);
        legacy.number += 1;
        if legacy.initialized {
            let headers = legacy.headers();
            self.endpoint.post(&headers, INITIALIZED_NOTIFICATION).await?;
            for (index, message) in legacy.replayed.values().enumerate() {
                let id = format!("\"baton-bridge-{}-{index}\"", legacy.number);
                let Some(message) = message.with_id(&id) else { continue };
                let acknowledgement = self.endpoint.post(&headers, &message.text).await?;
                read_answer(acknowledgement, &id).await?;
            }
            self.listen(&mut legacy);
        }
        self.screen.print_stderr("baton mcp: the server had lost the session; it was reopened");
        Ok(())
    }

    /// Ends the session.
    pub(super) async fn end_session(&self) {
        let Ok(legacy) = tokio::time::timeout(SESSION_END_TIMEOUT, self.legacy.lock()).await else { return };
        legacy.listening.cancel();
        if legacy.session.is_some() {
            let _ = tokio::time::timeout(SESSION_END_TIMEOUT, self.endpoint.end(&legacy.headers())).await;
        }
    }
}
