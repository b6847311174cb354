//! One server of one agent: its settings, where it stands, and the task that keeps it connected.

use super::{
    HostSettings, ServerError, ServerEvent, catalog::Catalog, connection::Connection, definition::Pins, keeper::Keeper,
    subscriptions::Subscriptions,
};
use crate::{Connect, ServerLog, TransportKind};
use baton_ports::{ServerState, ServerStatus};
use baton_types::{AgentName, AgentVariables, McpServer};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, broadcast, watch},
    task::JoinHandle,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a call waits for a server that failed and is tried again by itself.
const SECOND_CHANCE: Duration = Duration::from_secs(5);

/// Where a server stands.
#[derive(Clone)]
pub(super) struct Standing {
    pub(super) state: ServerState,
    pub(super) reason: Option<String>,
    pub(super) hint: Option<String>,
    pub(super) connection: Option<Arc<Connection>>,
    /// What was last seen of it, also while it is started again.
    pub(super) catalog: Arc<Catalog>,
    /// Whether it is tried again without anybody asking for it.
    pub(super) is_retried: bool,
    /// Whether it failed since it was last ready.
    pub(super) has_failed: bool,
}

/// What the entry and its task share.
pub(super) struct Shared {
    pub(super) agent: AgentName,
    pub(super) server: Mutex<Arc<McpServer>>,
    /// Those of the agent alone; they count when the server is opened next.
    pub(super) variables: Mutex<Arc<AgentVariables>>,
    pub(super) connect: Option<Arc<dyn Connect>>,
    pub(super) settings: HostSettings,
    pub(super) standing: watch::Sender<Standing>,
    pub(super) log: ServerLog,
    pub(super) pins: Mutex<Pins>,
    pub(super) events: broadcast::Sender<ServerEvent>,
    pub(super) subscriptions: Subscriptions,
    pub(super) wanted: Notify,
    pub(super) kicked: Notify,
    pub(super) closing: CancellationToken,
}

/// One server; dropping it closes the connection.
pub(super) struct Entry {
    shared: Arc<Shared>,
    task: Mutex<Option<JoinHandle<()>>>,
    _closes: DropGuard,
}

impl Entry {
    pub(super) fn new(
        agent: &AgentName,
        server: &McpServer,
        connect: Option<Arc<dyn Connect>>,
        settings: HostSettings,
        events: broadcast::Sender<ServerEvent>,
    ) -> Self {
        let state = if server.enabled { ServerState::Idle } else { ServerState::Disabled };
        let standing = Standing {
            state,
            reason: None,
            hint: None,
            connection: None,
            catalog: Arc::default(),
            is_retried: false,
            has_failed: false,
        };
        let closing = CancellationToken::new();
        let shared = Arc::new(Shared {
            agent: agent.clone(),
            server: Mutex::new(Arc::new(server.clone())),
            variables: Mutex::default(),
            connect,
            settings,
            standing: watch::Sender::new(standing),
            log: ServerLog::default(),
            pins: Mutex::default(),
            events,
            subscriptions: Subscriptions::default(),
            wanted: Notify::new(),
            kicked: Notify::new(),
            closing: closing.clone(),
        });
        Self { shared, task: Mutex::new(None), _closes: closing.drop_guard() }
    }

    /// Its settings.
    pub(super) fn server(&self) -> Arc<McpServer> {
        Arc::clone(&self.shared.server.lock())
    }

    /// What the task works with.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Whether these settings can be used without connecting anew.
    pub(super) fn fits(&self, server: &McpServer) -> bool {
        let mine = self.server();
        (&mine.name, &mine.transport, mine.enabled, mine.era, &mine.oauth)
            == (&server.name, &server.transport, server.enabled, server.era, &server.oauth)
    }

    /// Uses these settings from now on.
    pub(super) fn update(&self, server: &McpServer, variables: &AgentVariables) {
        *self.shared.server.lock() = Arc::new(server.clone());
        *self.shared.variables.lock() = Arc::new(variables.clone());
    }

    /// Says that somebody needs the server; starts it when nobody did before.
    pub(super) fn want(&self) {
        if !self.server().enabled {
            return;
        }
        let mut task = self.task.lock();
        if task.is_none() {
            self.shared.standing.send_modify(|standing| standing.state = ServerState::Starting);
            *task = Some(tokio::spawn(Keeper::new(Arc::clone(&self.shared)).run()));
        }
        self.shared.wanted.notify_one();
    }

    /// Tries again at once.
    pub(super) fn kick(&self) {
        self.want();
        self.shared.kicked.notify_one();
    }

    /// Where it stands.
    pub(super) fn standing(&self) -> Standing {
        self.shared.standing.borrow().clone()
    }

    /// Whether it may be ready before long without anybody doing anything.
    pub(super) fn is_on_its_way(&self) -> bool {
        let standing = self.standing();
        match standing.state {
            ServerState::Idle | ServerState::Starting => true,
            ServerState::Failed => standing.is_retried,
            ServerState::Ready | ServerState::NeedsLogin | ServerState::Disabled => false,
        }
    }

    /// Waits until it is ready or has failed, at most so long; one that failed before is not waited for unless it has
    /// to be there.
    pub(super) async fn settled(&self, patience: Duration) {
        let patience = match self.standing().has_failed && !self.server().required {
            true => Duration::ZERO,
            false => patience,
        };
        let mut standing = self.shared.standing.subscribe();
        let settled =
            standing.wait_for(|standing| !matches!(standing.state, ServerState::Idle | ServerState::Starting));
        let _ = tokio::time::timeout(patience, settled).await;
    }

    /// The connection, once the server is ready; starts it and waits within its startup time.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, ServerError> {
        self.want();
        let startup = self.server().timeouts.startup;
        let mut standing = self.shared.standing.subscribe();
        let began = tokio::time::Instant::now();
        loop {
            let now = standing.borrow_and_update().clone();
            if let Some(connection) = &now.connection
                && !connection.flights().closed().is_cancelled()
            {
                return Ok(Arc::clone(connection));
            }
            let patience = match now.state {
                ServerState::Idle | ServerState::Starting | ServerState::Ready => startup,
                ServerState::Failed if now.is_retried => SECOND_CHANCE.min(startup),
                ServerState::Failed | ServerState::NeedsLogin | ServerState::Disabled => Duration::ZERO,
            };
            let left = patience.saturating_sub(began.elapsed());
            if left.is_zero() || !matches!(tokio::time::timeout(left, standing.changed()).await, Ok(Ok(()))) {
                return Err(self.not_ready());
            }
        }
    }

    fn not_ready(&self) -> ServerError {
        let Standing { state, reason, hint, .. } = self.standing();
        let reason = match (state, reason) {
            (ServerState::Disabled, _) => "it is switched off in the agent's definition".to_owned(),
            (_, Some(reason)) => reason,
            (_, None) => "it is still starting".to_owned(),
        };
        let reason = hint.map_or(reason.clone(), |hint| format!("{reason}; {hint}"));
        ServerError::NotReady { server: self.server().name.clone(), reason }
    }

    /// For people.
    pub(super) fn status(&self) -> ServerStatus {
        let (server, mut standing) = (self.server(), self.standing());
        if standing.state == ServerState::Starting && standing.has_failed {
            // That it is tried again says less than why it has to be.
            standing.state = ServerState::Failed;
        }
        let mut reasons: Vec<String> = standing.reason.into_iter().collect();
        let mut hint = standing.hint;
        if standing.state == ServerState::Ready {
            reasons.extend(standing.catalog.remarks.iter().cloned());
            if !server.trusted {
                let pins = self.shared.pins.lock();
                let changed: Vec<_> = pins.changed().take(5).collect();
                if !changed.is_empty() {
                    reasons.push(format!(
                        "these tools are not what they were when they were first offered, and are asked about again: {}",
                        changed.join(", ")
                    ));
                    hint.get_or_insert_with(|| {
                        "look at what they say now; restart Baton to take them as they are".to_owned()
                    });
                }
            }
        }
        let protocol = standing.connection.as_ref().map(|connection| connection.info().protocol_version.to_string());
        ServerStatus {
            name: server.name.clone(),
            transport: TransportKind::of(&server.transport).as_str().to_owned(),
            state: standing.state,
            protocol,
            tools: if standing.state == ServerState::Ready { standing.catalog.tools.len() } else { 0 },
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
            hint,
            log: self.shared.log.lines(),
        }
    }

    /// Begins to close the connection.
    pub(super) fn close(&self) -> Option<JoinHandle<()>> {
        self.shared.closing.cancel();
        self.task.lock().take()
    }
}
