//! One server of one agent: settings, state and the supervisor task that keeps it connected.

use super::{
    HostSettings, ServerError, ServerEvent, catalog::ToolCatalog, connection::ServerConnection, definition::ToolPins,
    subscriptions::ResourceSubscriptions, supervisor::ServerSupervisor,
};
use crate::{ServerConnector, ServerLog, TransportKind};
use baton_ports::{ServerState, ServerStatus};
use baton_types::{AgentName, AgentVariables, McpServer};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, broadcast, watch},
    task::JoinHandle,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Maximum wait of a call for a failed server that is being retried.
const RETRY_WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// State of a server.
#[derive(Clone)]
pub(super) struct ServerConnectionState {
    pub(super) state: ServerState,
    pub(super) reason: Option<String>,
    pub(super) hint: Option<String>,
    pub(super) connection: Option<Arc<ServerConnection>>,
    /// Last known tools, also kept during a restart.
    pub(super) catalog: Arc<ToolCatalog>,
    /// Whether it is retried automatically.
    pub(super) is_retried: bool,
    /// Whether it failed since it was last ready.
    pub(super) has_failed: bool,
}

impl ServerConnectionState {
    /// The connection, unless it is closed.
    fn open_connection(&self) -> Option<&Arc<ServerConnection>> {
        self.connection.as_ref().filter(|connection| !connection.in_flight().closed().is_cancelled())
    }
}

/// State shared by the entry and its task.
pub(super) struct SupervisorContext {
    pub(super) agent: AgentName,
    pub(super) server: Mutex<Arc<McpServer>>,
    /// Variables of the agent; they take effect at the next connection.
    pub(super) variables: Mutex<Arc<AgentVariables>>,
    pub(super) connect: Option<Arc<dyn ServerConnector>>,
    pub(super) settings: HostSettings,
    pub(super) connection_state: watch::Sender<ServerConnectionState>,
    pub(super) log: ServerLog,
    pub(super) pins: Mutex<ToolPins>,
    pub(super) events: broadcast::Sender<ServerEvent>,
    pub(super) subscriptions: ResourceSubscriptions,
    pub(super) start_requested: Notify,
    pub(super) retry_requested: Notify,
    pub(super) closing: CancellationToken,
}

/// One server; dropping it closes the connection.
pub(super) struct McpServerEntry {
    shared: Arc<SupervisorContext>,
    task: Mutex<Option<JoinHandle<()>>>,
    _closes: DropGuard,
}

impl McpServerEntry {
    pub(super) fn new(
        agent: &AgentName,
        server: &McpServer,
        connect: Option<Arc<dyn ServerConnector>>,
        settings: HostSettings,
        events: broadcast::Sender<ServerEvent>,
    ) -> Self {
        let state = if server.enabled { ServerState::Idle } else { ServerState::Disabled };
        let connection_state = ServerConnectionState {
            state,
            reason: None,
            hint: None,
            connection: None,
            catalog: Arc::default(),
            is_retried: false,
            has_failed: false,
        };
        let closing = CancellationToken::new();
        let shared = Arc::new(SupervisorContext {
            agent: agent.clone(),
            server: Mutex::new(Arc::new(server.clone())),
            variables: Mutex::default(),
            connect,
            settings,
            connection_state: watch::Sender::new(connection_state),
            log: ServerLog::default(),
            pins: Mutex::default(),
            events,
            subscriptions: ResourceSubscriptions::default(),
            start_requested: Notify::new(),
            retry_requested: Notify::new(),
            closing: closing.clone(),
        });
        Self { shared, task: Mutex::new(None), _closes: closing.drop_guard() }
    }

    /// The settings of the server.
    pub(super) fn server(&self) -> Arc<McpServer> {
        Arc::clone(&self.shared.server.lock())
    }

    /// The state shared with the task.
    pub(super) fn shared(&self) -> &SupervisorContext {
        &self.shared
    }

    /// Whether these settings apply without a reconnect.
    pub(super) fn is_compatible(&self, server: &McpServer) -> bool {
        let current = self.server();
        (&current.name, &current.transport, current.enabled, current.era, &current.oauth)
            == (&server.name, &server.transport, server.enabled, server.era, &server.oauth)
    }

    /// Applies new settings.
    pub(super) fn update(&self, server: &McpServer, variables: &AgentVariables) {
        *self.shared.server.lock() = Arc::new(server.clone());
        *self.shared.variables.lock() = Arc::new(variables.clone());
    }

    /// Requests the server; the first request starts its task.
    pub(super) fn request_start(&self) {
        if !self.server().enabled {
            return;
        }
        let mut task = self.task.lock();
        if task.is_none() {
            self.shared.connection_state.send_modify(|connection_state| connection_state.state = ServerState::Starting);
            *task = Some(tokio::spawn(ServerSupervisor::new(Arc::clone(&self.shared)).run()));
        }
        self.shared.start_requested.notify_one();
    }

    /// Retries immediately.
    pub(super) fn retry_now(&self) {
        self.request_start();
        self.shared.retry_requested.notify_one();
    }

    /// The current state.
    pub(super) fn connection_state(&self) -> ServerConnectionState {
        self.shared.connection_state.borrow().clone()
    }

    /// Whether it may become ready soon without intervention.
    pub(super) fn is_starting(&self) -> bool {
        let connection_state = self.connection_state();
        match connection_state.state {
            ServerState::Idle | ServerState::Starting => true,
            ServerState::Failed => connection_state.is_retried,
            ServerState::Ready | ServerState::NeedsLogin | ServerState::Disabled => false,
        }
    }

    /// Waits until it is ready or failed, up to `max_wait`. A server that failed before is not waited for unless it is
    /// required.
    pub(super) async fn wait_settled(&self, max_wait: Duration) {
        let max_wait = match self.connection_state().has_failed && !self.server().required {
            true => Duration::ZERO,
            false => max_wait,
        };
        let mut states = self.shared.connection_state.subscribe();
        let settled = states.wait_for(|current| !matches!(current.state, ServerState::Idle | ServerState::Starting));
        let _ = tokio::time::timeout(max_wait, settled).await;
    }

    /// The connection of the ready server; starts the server and waits up to its startup timeout.
    pub(super) async fn connection(&self) -> Result<Arc<ServerConnection>, ServerError> {
        if let Some(connection) = self.shared.connection_state.borrow().open_connection() {
            return Ok(Arc::clone(connection));
        }
        self.request_start();
        let startup = self.server().timeouts.startup;
        let mut states = self.shared.connection_state.subscribe();
        let began = tokio::time::Instant::now();
        loop {
            let now = states.borrow_and_update().clone();
            if let Some(connection) = now.open_connection() {
                return Ok(Arc::clone(connection));
            }
            let max_wait = match now.state {
                ServerState::Idle | ServerState::Starting | ServerState::Ready => startup,
                ServerState::Failed if now.is_retried => RETRY_WAIT_TIMEOUT.min(startup),
                ServerState::Failed | ServerState::NeedsLogin | ServerState::Disabled => Duration::ZERO,
            };
            let left = max_wait.saturating_sub(began.elapsed());
            if left.is_zero() || !matches!(tokio::time::timeout(left, states.changed()).await, Ok(Ok(()))) {
                return Err(self.not_ready());
            }
        }
    }

    fn not_ready(&self) -> ServerError {
        let ServerConnectionState { state, reason, hint, .. } = self.connection_state();
        let reason = match (state, reason) {
            (ServerState::Disabled, _) => "it is disabled in the agent's definition".to_owned(),
            (_, Some(reason)) => reason,
            (_, None) => "it is still starting".to_owned(),
        };
        let reason = hint.map_or(reason.clone(), |hint| format!("{reason}; {hint}"));
        ServerError::NotReady { server: self.server().name.clone(), reason }
    }

    /// Status for users.
    pub(super) fn status(&self) -> ServerStatus {
        let (server, mut connection_state) = (self.server(), self.connection_state());
        if connection_state.state == ServerState::Starting && connection_state.has_failed {
            // The cause of the failure is more useful than the state of the retry.
            connection_state.state = ServerState::Failed;
        }
        let mut reasons: Vec<String> = connection_state.reason.into_iter().collect();
        let mut hint = connection_state.hint;
        if connection_state.state == ServerState::Ready {
            reasons.extend(connection_state.catalog.remarks.iter().cloned());
            if !server.trusted {
                let pins = self.shared.pins.lock();
                let changed: Vec<_> = pins.changed().take(5).collect();
                if !changed.is_empty() {
                    reasons.push(format!(
                        "these tools have changed since they were first offered and need approval again: {}",
                        changed.join(", ")
                    ));
                    hint.get_or_insert_with(|| "review their new definitions; restart Baton to accept them".to_owned());
                }
            }
        }
        let protocol =
            connection_state.connection.as_ref().map(|connection| connection.info().protocol_version.to_string());
        ServerStatus {
            name: server.name.clone(),
            transport: TransportKind::from_transport(&server.transport).as_str().to_owned(),
            state: connection_state.state,
            protocol,
            tools: if connection_state.state == ServerState::Ready { connection_state.catalog.tools.len() } else { 0 },
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
            hint,
            log: self.shared.log.lines(),
        }
    }

    /// Starts closing the connection.
    pub(super) fn close(&self) -> Option<JoinHandle<()>> {
        self.shared.closing.cancel();
        self.task.lock().take()
    }
}
