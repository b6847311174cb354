//! The session of a client of the older protocols: opened by its own `initialize`, and opened again with the same words
//! when the server has forgotten it.

use super::{deliver::answer_of, listen, pump::Bridge, trouble::Trouble};
use baton_client::McpMessage;
use baton_types::ErrorCode;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Subscriptions that are made again in a new session; of further ones the client hears nothing after that.
const MOST_KEPT: usize = 1024;
const FAREWELL: Duration = Duration::from_secs(1);
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The session, if there is one.
#[derive(Default)]
pub(super) struct Legacy {
    session: Option<String>,
    version: Option<String>,
    /// Counts sessions, so that one that is gone is replaced once.
    pub(super) number: u64,
    initialize: Option<McpMessage>,
    initialized: bool,
    /// What the session was told that a new one has to be told too.
    kept: BTreeMap<String, McpMessage>,
    listening: CancellationToken,
}

/// What a message of the session is sent with.
pub(super) struct Way {
    pub(super) headers: Vec<(String, String)>,
    pub(super) number: u64,
    pub(super) has_session: bool,
}

#[derive(Deserialize)]
struct Opened {
    result: OpenedWith,
}

#[derive(Deserialize)]
struct OpenedWith {
    #[serde(rename = "protocolVersion")]
    version: String,
}

impl Legacy {
    fn headers(&self) -> Vec<(String, String)> {
        let session = self.session.iter().map(|id| ("Mcp-Session-Id".to_owned(), id.clone()));
        let version = self.version.iter().map(|version| ("MCP-Protocol-Version".to_owned(), version.clone()));
        session.chain(version).collect()
    }

    /// Takes note of what a later session has to be told too.
    fn keep(&mut self, message: &McpMessage) {
        let resource = message.about().unwrap_or_default();
        match message.method.as_deref() {
            Some("logging/setLevel") => drop(self.kept.insert(String::new(), message.clone())),
            Some("resources/subscribe") if self.kept.len() < MOST_KEPT => {
                self.kept.insert(format!("+{resource}"), message.clone());
            }
            Some("resources/unsubscribe") => drop(self.kept.remove(&format!("+{resource}"))),
            _ => {}
        }
    }
}

impl Bridge {
    /// What a message that names no version is sent with.
    pub(super) async fn way(&self, message: &McpMessage) -> Way {
        let mut legacy = self.legacy.lock().await;
        if message.asks("initialize") {
            return Way { headers: Vec::new(), number: legacy.number, has_session: false };
        }
        legacy.keep(message);
        Way { headers: legacy.headers(), number: legacy.number, has_session: legacy.session.is_some() }
    }

    /// Takes note of a session that the client opened.
    pub(super) async fn opened(&self, initialize: &McpMessage, session: Option<String>, answer: &str) {
        let Ok(Opened { result }) = serde_json::from_str::<Opened>(answer) else { return };
        let mut legacy = self.legacy.lock().await;
        legacy.listening.cancel();
        *legacy = Legacy {
            session,
            version: Some(result.version),
            number: legacy.number + 1,
            initialize: Some(initialize.clone()),
            ..Legacy::default()
        };
    }

    /// The client has taken note too: from now on the session may speak unasked.
    pub(super) async fn initialized(self: &Arc<Self>) {
        let mut legacy = self.legacy.lock().await;
        legacy.initialized = true;
        self.listen(&mut legacy);
    }

    fn listen(self: &Arc<Self>, legacy: &mut Legacy) {
        legacy.listening.cancel();
        legacy.listening = self.over.child_token();
        if legacy.session.is_some() {
            let (token, number) = (legacy.listening.clone(), legacy.number);
            tokio::spawn(token.run_until_cancelled_owned(listen::listen(Arc::clone(self), legacy.headers(), number)));
        }
    }

    /// Opens a session in place of the one with this number, unless somebody did so already.
    pub(super) async fn open_again(self: &Arc<Self>, number: u64) -> Result<(), Trouble> {
        let mut legacy = self.legacy.lock().await;
        if legacy.number != number {
            return Ok(());
        }
        let gone = || Trouble::new(ErrorCode::SERVER_UNREACHABLE, "the session is gone and could not be opened again");
        let id = format!("\"baton-bridge-{number}\"");
        let initialize = legacy.initialize.as_ref().and_then(|initialize| initialize.under(&id)).ok_or_else(gone)?;
        let mut reply = self.reach.post(&[], &initialize.text).await?;
        let (status, session) = (reply.status, reply.session.take());
        let answer = answer_of(reply, &id).await?;
        let opened: Opened = serde_json::from_str(&answer).map_err(|_| Trouble::refused(status, &answer))?;
        legacy.session = session;
        legacy.version = Some(opened.result.version);
        legacy.number += 1;
        if legacy.initialized {
            let headers = legacy.headers();
            self.reach.post(&headers, INITIALIZED).await?;
            for (index, message) in legacy.kept.values().enumerate() {
                let id = format!("\"baton-bridge-{}-{index}\"", legacy.number);
                let Some(message) = message.under(&id) else { continue };
                let told = self.reach.post(&headers, &message.text).await?;
                answer_of(told, &id).await?;
            }
            self.listen(&mut legacy);
        }
        self.screen.say("baton mcp: the server had forgotten the session; it is open again");
        Ok(())
    }

    /// Ends the session.
    pub(super) async fn take_leave(&self) {
        let Ok(legacy) = tokio::time::timeout(FAREWELL, self.legacy.lock()).await else { return };
        legacy.listening.cancel();
        if legacy.session.is_some() {
            let _ = tokio::time::timeout(FAREWELL, self.reach.end(&legacy.headers())).await;
        }
    }
}
