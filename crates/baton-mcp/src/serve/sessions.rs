//! Sessions of clients of the older protocols: ownership, limits and eviction.

use super::McpLimits;
use super::session_store::{SessionOpenListener, SessionStoreAdapter, StoredMcpSession};
use baton_ports::McpSessionStore;
use baton_types::Principal;
use futures_util::{Stream, StreamExt};
use parking_lot::Mutex;
use rmcp::{
    model::{ClientJsonRpcMessage, InitializeRequestParams, ServerJsonRpcMessage},
    transport::streamable_http_server::{
        RestoreOutcome, SessionId, SessionManager,
        session::{
            ServerSseMessage, SessionStore,
            local::{LocalSessionManager, LocalSessionManagerError},
        },
    },
};
use std::{collections::HashMap, fmt, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The sessions of all endpoints.
pub struct McpSessionManager {
    local: LocalSessionManager,
    table: SessionTable,
    session_store: Option<Arc<dyn McpSessionStore>>,
    max_sessions: usize,
    /// Maximum number of sessions per holder.
    max_per_holder: usize,
    /// Locks for restoring sessions, sharded by session id.
    restore_locks: [tokio::sync::Mutex<()>; RESTORE_LOCKS],
}

/// Minimum number of sessions per holder.
const MIN_SHARE: usize = 16;

/// Number of restore locks.
const RESTORE_LOCKS: usize = 64;

/// State of a session in relation to a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionOwnership {
    /// Owned by the caller and in memory.
    Live,
    /// Owned by the caller; stored, or being restored.
    Stored,
    /// Owned by another caller, or absent.
    Foreign,
}

type SessionTable = Arc<Mutex<KnownSessions>>;

#[derive(Default)]
struct KnownSessions {
    sessions: HashMap<SessionId, McpSessionEntry>,
    /// Number of sessions being opened or restored, per holder; zero counts are removed.
    opening: HashMap<SessionHolder, usize>,
}

/// The account that a session counts against; the surface in front puts it into each request. Principals that cannot be
/// distinguished share a holder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionHolder(Arc<str>);

impl SessionHolder {
    /// A holder with this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }
}

/// Owner of a session: one caller at one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionOwner {
    pub(super) endpoint: Arc<str>,
    pub(super) tenant: Arc<str>,
    pub(super) subject: Arc<str>,
}

impl SessionOwner {
    pub(super) fn new(endpoint: &Arc<str>, principal: &Principal) -> Self {
        let Principal { tenant, subject, .. } = principal;
        Self { endpoint: Arc::clone(endpoint), tenant: Arc::clone(tenant), subject: Arc::clone(subject) }
    }

    /// Default holder, used unless the surface provides one.
    pub(super) fn holder(&self) -> SessionHolder {
        SessionHolder::new(format!("{}\n{}", self.tenant, self.subject))
    }
}

struct McpSessionEntry {
    /// Unset until the reply that contains the session id, and after a restart until the first use.
    owner: Option<SessionOwner>,
    holder: Option<SessionHolder>,
    initialize: Option<InitializeRequestParams>,
    used: Instant,
    calls: usize,
    streams: usize,
}

impl McpSessionEntry {
    fn new() -> Self {
        Self { owner: None, holder: None, initialize: None, used: Instant::now(), calls: 0, streams: 0 }
    }
}

/// Reasons why a session cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum McpSessionError {
    /// The limit is reached and all sessions have calls in flight.
    #[error("all {0} sessions are in use")]
    Full(usize),
    /// Error of the transport.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl fmt::Debug for McpSessionManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpSessionManager").field("open", &self.session_count()).finish_non_exhaustive()
    }
}

impl McpSessionManager {
    /// At most [`McpLimits::max_sessions`], with a maximum share per holder; `kept` persists them across restarts.
    pub fn new(limits: &McpLimits, store: Option<Arc<dyn McpSessionStore>>) -> Arc<Self> {
        let (max_sessions, idle) = (limits.max_sessions.max(1), limits.session_idle);
        let each = max_sessions.saturating_mul(usize::from(limits.holder_share)).div_euclid(100).max(MIN_SHARE);
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(idle);
        let turns = std::array::from_fn(|_| tokio::sync::Mutex::default());
        Arc::new(Self {
            local,
            table: SessionTable::default(),
            session_store: store,
            max_sessions,
            max_per_holder: each,
            restore_locks: turns,
        })
    }

    /// Number of sessions in memory.
    pub fn session_count(&self) -> usize {
        self.table.lock().sessions.len()
    }

    /// Maximum idle time.
    pub(super) fn idle(&self) -> Duration {
        self.local.session_config.keep_alive.unwrap_or(Duration::MAX)
    }

    /// Marks a call in flight.
    pub(super) fn begin_call(&self, id: &SessionId) -> SessionUseGuard {
        self.mark_in_use(id, SessionUse::Call)
    }

    /// Whether a new session cannot be created, because all sessions have calls in flight.
    pub(super) fn is_full(&self) -> bool {
        let table = &self.table.lock().sessions;
        table.len() >= self.max_sessions && table.values().all(|entry| entry.calls > 0)
    }

    /// The session store for the transport.
    pub(super) fn store(self: &Arc<Self>) -> Option<Arc<dyn SessionStore>> {
        let store = Arc::clone(self.session_store.as_ref()?);
        let opened: Arc<dyn SessionOpenListener> = Arc::clone(self) as Arc<dyn SessionOpenListener>;
        Some(Arc::new(SessionStoreAdapter { store, listener: Arc::downgrade(&opened) }))
    }

    /// State of a session in relation to this owner.
    pub(super) async fn ownership(&self, id: &str, owner: &SessionOwner) -> SessionOwnership {
        if let Some(entry) = self.table.lock().sessions.get(id)
            && let Some(current_owner) = &entry.owner
        {
            return if current_owner == owner { SessionOwnership::Live } else { SessionOwnership::Foreign };
        }
        let Some(store) = &self.session_store else { return SessionOwnership::Foreign };
        match StoredMcpSession::load(&**store, id).await {
            Ok(Some(session)) if session.owner() == *owner => SessionOwnership::Stored,
            Ok(_) => SessionOwnership::Foreign,
            Err(error) => {
                tracing::warn!(%error, "stored MCP sessions cannot be read");
                SessionOwnership::Foreign
            }
        }
    }

    /// Serializes restores of a session: the transport treats one that is being restored as present, and a request
    /// before its `initialize` would end it.
    pub(super) async fn lock_restore(&self, id: &str) -> tokio::sync::MutexGuard<'_, ()> {
        let share = id.bytes().fold(0, |share, byte| (share * 31 + usize::from(byte)) % RESTORE_LOCKS);
        self.restore_locks[share].lock().await
    }

    /// Sets the owner of a session. Called before any client knows the id.
    pub(super) async fn bind(&self, id: &str, owner: SessionOwner, holder: SessionHolder) {
        let initialize = {
            let table = &mut self.table.lock().sessions;
            let Some(entry) = table.get_mut(id) else { return };
            entry.owner = Some(owner.clone());
            entry.holder = Some(holder);
            entry.initialize.take()
        };
        let (Some(store), Some(initialize)) = (&self.session_store, initialize) else { return };
        if let Err(error) = StoredMcpSession::new(&owner, initialize).save(&**store, id).await {
            tracing::warn!(%error, "an MCP session cannot be stored; it will end with this process");
        }
    }

    /// Sets the owner of a restored session, after a check against the stored session.
    pub(super) fn claim(&self, id: &str, owner: SessionOwner, holder: SessionHolder) {
        if let Some(entry) = self.table.lock().sessions.get_mut(id) {
            entry.owner.get_or_insert(owner);
            entry.holder.get_or_insert(holder);
        }
    }

    /// Evicts a session if the limit is reached: the one idle for longest, sessions without a stream first. With a
    /// store, it is restored on its next use.
    async fn make_room(&self) -> Result<(), McpSessionError> {
        let leaving = {
            let table = &mut self.table.lock().sessions;
            if table.len() < self.max_sessions {
                return Ok(());
            }
            let Some(oldest) = longest_idle(table.iter()) else {
                return Err(McpSessionError::Full(self.max_sessions));
            };
            table.remove(&oldest);
            oldest
        };
        tracing::debug!("evicted an idle MCP session");
        Ok(self.local.close_session(&leaving).await?)
    }

    /// Reserves one more session for a holder until it is bound. At the limit of the holder, its own session that is
    /// idle for longest is evicted; `None` if all of them have calls in flight.
    pub(super) async fn admit(&self, holder: &SessionHolder) -> Option<Admission> {
        let (admission, leaving) = {
            let table = &mut *self.table.lock();
            let own = || table.sessions.iter().filter(|(_, entry)| entry.holder.as_ref() == Some(holder));
            let opening = table.opening.get(holder).copied().unwrap_or_default();
            let leaving = match own().count() + opening < self.max_per_holder {
                true => None,
                false => Some(longest_idle(own())?),
            };
            if let Some(leaving) = &leaving {
                table.sessions.remove(leaving);
            }
            *table.opening.entry(holder.clone()).or_default() += 1;
            (Admission { table: Arc::clone(&self.table), holder: holder.clone() }, leaving)
        };
        if let Some(leaving) = leaving
            && let Err(error) = self.local.close_session(&leaving).await
        {
            tracing::debug!(%error, "cannot close an evicted MCP session");
        }
        Some(admission)
    }

    fn mark_in_use(&self, id: &SessionId, kind: SessionUse) -> SessionUseGuard {
        if let Some(entry) = self.table.lock().sessions.get_mut(id) {
            *kind.count(entry) += 1;
            entry.used = Instant::now();
        }
        SessionUseGuard { table: Arc::clone(&self.table), id: Arc::clone(id), kind }
    }
}

/// The session idle for longest, sessions without a stream first.
fn longest_idle<'a>(sessions: impl Iterator<Item = (&'a SessionId, &'a McpSessionEntry)>) -> Option<SessionId> {
    let idle = sessions.filter(|(_, entry)| entry.calls == 0);
    idle.min_by_key(|(_, entry)| (entry.streams > 0, entry.used)).map(|(id, _)| Arc::clone(id))
}

/// Reservation of one session.
pub(super) struct Admission {
    table: SessionTable,
    holder: SessionHolder,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let opening = &mut self.table.lock().opening;
        if let Some(count) = opening.get_mut(&self.holder) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                opening.remove(&self.holder);
            }
        }
    }
}

impl SessionOpenListener for McpSessionManager {
    fn on_session_open(&self, id: &str, initialize: InitializeRequestParams) {
        if let Some(entry) = self.table.lock().sessions.get_mut(id) {
            entry.initialize = Some(initialize);
        }
    }
}

#[derive(Clone, Copy)]
enum SessionUse {
    Call,
    Stream,
}

impl SessionUse {
    fn count(self, entry: &mut McpSessionEntry) -> &mut usize {
        match self {
            Self::Call => &mut entry.calls,
            Self::Stream => &mut entry.streams,
        }
    }
}

/// Marks a session as in use while a reply or stream is read.
pub(super) struct SessionUseGuard {
    table: SessionTable,
    id: SessionId,
    kind: SessionUse,
}

impl Drop for SessionUseGuard {
    fn drop(&mut self) {
        if let Some(entry) = self.table.lock().sessions.get_mut(&self.id) {
            let count = self.kind.count(entry);
            *count = count.saturating_sub(1);
            entry.used = Instant::now();
        }
    }
}

fn track_use(
    stream: impl Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    in_use: SessionUseGuard,
) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static {
    stream.map(move |message| {
        let _in_use = &in_use;
        message
    })
}

impl SessionManager for McpSessionManager {
    type Error = McpSessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), McpSessionError> {
        self.make_room().await?;
        let (id, transport) = self.local.create_session().await?;
        self.table.lock().sessions.insert(Arc::clone(&id), McpSessionEntry::new());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, McpSessionError> {
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, McpSessionError> {
        Ok(self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), McpSessionError> {
        self.table.lock().sessions.remove(id);
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, McpSessionError> {
        let in_use = self.mark_in_use(id, SessionUse::Call);
        Ok(track_use(self.local.create_stream(id, message).await?, in_use))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), McpSessionError> {
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, McpSessionError> {
        let in_use = self.mark_in_use(id, SessionUse::Stream);
        Ok(track_use(self.local.create_standalone_stream(id).await?, in_use))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, McpSessionError> {
        let in_use = self.mark_in_use(id, SessionUse::Stream);
        Ok(track_use(self.local.resume(id, last_event_id).await?, in_use))
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>, McpSessionError> {
        self.make_room().await?;
        let outcome = self.local.restore_session(Arc::clone(&id)).await?;
        if matches!(outcome, RestoreOutcome::Restored(_)) {
            self.table.lock().sessions.insert(id, McpSessionEntry::new());
        }
        Ok(outcome)
    }
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
