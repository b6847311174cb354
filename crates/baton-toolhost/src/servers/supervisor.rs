//! Supervisor task of one server: starts it on demand, watches it and restarts it.

use super::{
    ServerError, ServerEvent,
    catalog::{self, ToolCatalog},
    connection::{ServerConnection, ServerLink},
    entry::{ServerConnectionState, SupervisorContext},
    handler::McpClientHandler,
    handshake::{NegotiatedConnection, ProtocolEra, ServerHandshake},
    in_flight_requests::ServerNotice,
    spans::RequestSpans,
};
use crate::{
    ConnectError, ConnectTarget, TransportKind,
    transport::{expand, literal_transport},
};
use baton_ports::ServerState;
use baton_types::{BackoffPolicy, Jitter, McpServer};
use rmcp::{RoleClient, service::RunningService};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

/// After a failed start.
const RESTART_RETRY: BackoffPolicy =
    BackoffPolicy::new(Duration::from_millis(500), Duration::from_secs(30)).with_jitter(80, 120);
/// Consecutive failures after which a server is retried on demand only.
const MAX_CONSECUTIVE_FAILURES: u32 = 5;
/// Maximum wait for a server to end; its transport kills it earlier.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);

/// A ready server.
struct ReadyServer {
    service: RunningService<RoleClient, McpClientHandler>,
    connection: Arc<ServerConnection>,
    notices: mpsc::Receiver<ServerNotice>,
    catalog: ToolCatalog,
    era: ProtocolEra,
}

/// Supervises one server.
pub(super) struct ServerSupervisor {
    shared: Arc<SupervisorContext>,
    era: Option<ProtocolEra>,
    failures: u32,
}

impl ServerSupervisor {
    pub(super) fn new(shared: Arc<SupervisorContext>) -> Self {
        Self { shared, era: None, failures: 0 }
    }

    /// Runs until the server is closed.
    pub(super) async fn run(mut self) {
        let closing = self.shared.closing.clone();
        self.shared.start_requested.notified().await;
        while !closing.is_cancelled() {
            // The reason of the last failure stays visible until the server is ready.
            self.publish(|connection_state| connection_state.state = ServerState::Starting);
            let began = Instant::now();
            let ended = tokio::select! {
                () = closing.cancelled() => break,
                opened = self.open() => opened,
            };
            let ended = match ended {
                Ok(live) => self.watch(live).await,
                Err(error) => error,
            };
            if closing.is_cancelled() {
                break;
            }
            if began.elapsed() >= self.shared.settings.stable_period {
                self.failures = 0;
            }
            self.failures = self.failures.saturating_add(1);
            self.publish_failure(ended);
            tokio::select! {
                () = closing.cancelled() => {}
                () = self.wait_before_retry() => {}
            }
        }
        self.publish(|connection_state| {
            connection_state.state = ServerState::Idle;
            connection_state.connection = None;
            connection_state.catalog = Arc::default();
        });
    }

    /// Opens the connection and lists the tools, within the startup timeout.
    async fn open(&mut self) -> Result<ReadyServer, ConnectError> {
        let mut server = McpServer::clone(&self.shared.server.lock());
        let kind = TransportKind::from_transport(&server.transport);
        let connect = self.shared.connect.clone().ok_or_else(|| ConnectError::Failed {
            reason: format!("this Baton does not support {} servers", kind.as_str()),
            hint: format!("use another kind of server in {}", server.file),
        })?;
        let variables = Arc::clone(&self.shared.variables.lock());
        let get = |name: &str| variables.0.get(name).cloned().or_else(|| std::env::var(name).ok());
        let expanded = match self.shared.settings.expand_variables {
            true => expand(&server.transport, &get),
            false => Ok(literal_transport(&server.transport)),
        };
        let expanded = expanded.map_err(|error| ConnectError::Failed {
            reason: error.to_string(),
            hint: format!("set it where Baton runs or in the .env beside the agent, or correct {}", server.file),
        })?;
        server.transport = expanded.transport;
        self.shared.log.set_secrets(expanded.secrets);
        let startup = server.timeouts.startup;
        let _ = self.shared.log.take_fault();
        let target = ConnectTarget { agent: &self.shared.agent, server: &server, log: &self.shared.log };
        let opener = ServerHandshake { connect: connect.as_ref(), target, settings: &self.shared.settings };
        let opening = async {
            let opened = opener.open(self.era).await?;
            self.read_catalog(opened, &server).await
        };
        let opened = timeout(startup, opening).await.unwrap_or_else(|_| {
            Err(ConnectError::Failed {
                reason: format!("it was not ready within {startup:?}"),
                hint: format!("see its log; if it is only slow, raise its startup timeout in {}", server.file),
            })
        });
        // After a failure, the remembered era may be the cause.
        self.era = opened.as_ref().ok().map(|live| live.era);
        opened
    }

    async fn read_catalog(
        &self,
        opened: NegotiatedConnection,
        server: &McpServer,
    ) -> Result<ReadyServer, ConnectError> {
        let NegotiatedConnection { service, in_flight, notices, era, direct } = opened;
        let info = service.peer().peer_info().ok_or_else(|| ConnectError::Failed {
            reason: "it did not report its capabilities".to_owned(),
            hint: "update the server".to_owned(),
        })?;
        let connection = Arc::new(ServerConnection::new(
            server,
            ServerLink { peer: service.peer().clone(), direct },
            in_flight,
            info,
            era == ProtocolEra::Modern,
            self.shared.log.clone(),
            RequestSpans::new(&self.shared.settings, server),
        ));
        let catalog = self.tools(&connection).await.map_err(|error| ConnectError::Failed {
            reason: format!("its tools could not be listed: {error}"),
            hint: "see its log".to_owned(),
        })?;
        Ok(ReadyServer { service, connection, notices, catalog, era })
    }

    /// Lists the tools and compares their definitions with the first ones.
    async fn tools(&self, connection: &ServerConnection) -> Result<ToolCatalog, ServerError> {
        let catalog = catalog::tools(connection).await?;
        connection.set_tools(&catalog.tools);
        let mut pins = self.shared.pins.lock();
        catalog.tools.iter().for_each(|tool| pins.record(tool));
        Ok(catalog)
    }

    /// Serves until the connection ends; returns the cause.
    async fn watch(&self, live: ReadyServer) -> ConnectError {
        let ReadyServer { service, connection, mut notices, catalog, .. } = live;
        self.publish_ready(&connection, catalog);
        let cancel = service.cancellation_token();
        let closed = connection.in_flight().closed().clone();
        let listening = self.shared.subscriptions.listen(Arc::clone(&connection));
        tokio::pin!(listening);
        let mut listens = true;
        loop {
            tokio::select! {
                () = closed.cancelled() => break,
                () = self.shared.closing.cancelled() => break,
                () = &mut listening, if listens => listens = false,
                Some(notice) = notices.recv() => self.handle_notices(notice, &mut notices, &connection).await,
            }
        }
        cancel.cancel();
        let _ = timeout(SHUTDOWN_TIMEOUT, service.waiting()).await;
        let reason = connection.fault().unwrap_or_else(|| "it ended".to_owned());
        let server = Arc::clone(&self.shared.server.lock());
        ConnectError::Failed { reason, hint: format!("see its log, and check its entry in {}", server.file) }
    }

    /// Handles pending change notices, deduplicated.
    async fn handle_notices(
        &self,
        first: ServerNotice,
        more: &mut mpsc::Receiver<ServerNotice>,
        connection: &Arc<ServerConnection>,
    ) {
        let mut notices = vec![first];
        while let Ok(notice) = more.try_recv() {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        for notice in notices {
            let event = match notice {
                ServerNotice::Tools => {
                    // If the list fails, the previous tools are kept.
                    if let Ok(catalog) = self.tools(connection).await {
                        self.shared
                            .connection_state
                            .send_modify(|connection_state| connection_state.catalog = Arc::new(catalog));
                    }
                    ServerEvent::Tools
                }
                ServerNotice::Prompts => ServerEvent::Prompts,
                ServerNotice::Resources => ServerEvent::Resources,
                ServerNotice::Updated(uri) => {
                    ServerEvent::ResourceUpdated { server: connection.server().to_owned(), uri }
                }
            };
            let _ = self.shared.events.send(event);
        }
    }

    fn publish_ready(&self, connection: &Arc<ServerConnection>, catalog: ToolCatalog) {
        self.publish(|connection_state| {
            connection_state.state = ServerState::Ready;
            (connection_state.reason, connection_state.hint) = (None, None);
            connection_state.connection = Some(Arc::clone(connection));
            connection_state.catalog = Arc::new(catalog);
            (connection_state.is_retried, connection_state.has_failed) = (false, false);
        });
        for event in [ServerEvent::Tools, ServerEvent::Prompts, ServerEvent::Resources] {
            let _ = self.shared.events.send(event);
        }
    }

    fn publish_failure(&self, error: ConnectError) {
        let is_retried = self.failures < MAX_CONSECUTIVE_FAILURES && matches!(error, ConnectError::Failed { .. });
        self.publish(|connection_state| {
            let (state, reason, hint) = match error {
                ConnectError::Failed { reason, hint } => (ServerState::Failed, reason, hint),
                ConnectError::NeedsLogin { reason, hint } => (ServerState::NeedsLogin, reason, hint),
            };
            connection_state.state = state;
            (connection_state.reason, connection_state.hint) = (Some(reason), Some(hint));
            connection_state.connection = None;
            (connection_state.is_retried, connection_state.has_failed) = (is_retried, true);
            if !is_retried {
                connection_state.catalog = Arc::default();
            }
        });
        if !is_retried {
            let _ = self.shared.events.send(ServerEvent::Tools);
        }
    }

    async fn wait_before_retry(&self) {
        let (retried, needs_login) = {
            let connection_state = self.shared.connection_state.borrow();
            (connection_state.is_retried, connection_state.state == ServerState::NeedsLogin)
        };
        let retry = self.shared.retry_requested.notified();
        let waited = async {
            if needs_login {
                return std::future::pending().await;
            }
            let jitter = Jitter::from_bits(getrandom::u64().unwrap_or_default());
            tokio::time::sleep(RESTART_RETRY.jittered_delay(self.failures.saturating_sub(1), jitter)).await;
            if !retried {
                self.shared.start_requested.notified().await;
            }
        };
        tokio::select! {
            () = retry => {}
            () = waited => {}
        }
    }

    fn publish(&self, change: impl FnOnce(&mut ServerConnectionState)) {
        self.shared.connection_state.send_modify(change);
        let _ = self.shared.events.send(ServerEvent::Status);
    }
}
