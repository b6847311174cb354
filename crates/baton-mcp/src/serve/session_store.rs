//! Persistent sessions, which survive a restart.

use super::sessions::SessionOwner;
use baton_ports::{BoxFuture, McpSessionStore};
use baton_types::Json;
use rmcp::{
    model::InitializeRequestParams,
    transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError},
};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Weak};

/// A stored session.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredMcpSession {
    pub(super) endpoint: Arc<str>,
    pub(super) tenant: Arc<str>,
    pub(super) subject: Arc<str>,
    pub(super) initialize: InitializeRequestParams,
}

impl StoredMcpSession {
    pub(super) fn new(owner: &SessionOwner, initialize: InitializeRequestParams) -> Self {
        let SessionOwner { endpoint, tenant, subject } = owner.clone();
        Self { endpoint, tenant, subject, initialize }
    }

    pub(super) fn owner(&self) -> SessionOwner {
        let Self { endpoint, tenant, subject, .. } = self;
        SessionOwner { endpoint: Arc::clone(endpoint), tenant: Arc::clone(tenant), subject: Arc::clone(subject) }
    }

    /// The stored session with this id; an unreadable one counts as absent.
    pub(super) async fn load(store: &dyn McpSessionStore, id: &str) -> Result<Option<Self>, String> {
        let Some(json) = store.load(id).await? else { return Ok(None) };
        match serde_json::from_str(json.as_str()) {
            Ok(session) => Ok(Some(session)),
            Err(error) => {
                tracing::warn!(%error, "a stored MCP session cannot be read; its client must start a new one");
                Ok(None)
            }
        }
    }

    pub(super) async fn save(&self, store: &dyn McpSessionStore, id: &str) -> Result<(), String> {
        let json = Json::from_serializable(self).map_err(|error| error.to_string())?;
        store.save_session(id, json).await
    }
}

/// Adapter from the port to the session store of the transport. It is called only after the owner was checked, so it
/// does not check owners.
pub(super) struct SessionStoreAdapter {
    pub(super) store: Arc<dyn McpSessionStore>,
    pub(super) listener: Weak<dyn SessionOpenListener>,
}

/// Receives the `initialize` parameters of a new session; its owner is set later.
pub(super) trait SessionOpenListener: Send + Sync {
    fn on_session_open(&self, id: &str, initialize: InitializeRequestParams);
}

type SessionStoreFuture<'a, T> = BoxFuture<'a, Result<T, SessionStoreError>>;

impl SessionStore for SessionStoreAdapter {
    fn load<'a, 'b, 'c>(&'a self, id: &'b str) -> SessionStoreFuture<'c, Option<SessionState>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        Box::pin(async move {
            let session = StoredMcpSession::load(&*self.store, id).await?;
            Ok(session.map(|session| SessionState::new(session.initialize)))
        })
    }

    fn store<'a, 'b, 's, 'c>(&'a self, id: &'b str, state: &'s SessionState) -> SessionStoreFuture<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        's: 'c,
        Self: 'c,
    {
        if let Some(opened) = self.listener.upgrade() {
            opened.on_session_open(id, state.initialize_params.clone());
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn delete<'a, 'b, 'c>(&'a self, id: &'b str) -> SessionStoreFuture<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        Box::pin(async move { Ok(self.store.remove_session(id).await?) })
    }
}
