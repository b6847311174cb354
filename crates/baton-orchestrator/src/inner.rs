//! Shared state of an orchestrator.

use crate::{OrchestrateError, PeerConnect};
use baton_outbound::{AddressPolicy, GuardedClient, Options, SetupError};
use baton_peers::{Book, BookOptions, PeerClient, PeerConfig, TypedHosts};
use baton_ports::PeerRegistryError;
use baton_telemetry::Tracer;
use baton_toolhost::{Connectors, HostSettings, McpServers, RemoteConnect, RemoteSettings, Toolbox, TransportKind};
use baton_types::{AgentName, ErrorCode};
use std::sync::Arc;

/// Configured peers, allowed addresses and telemetry.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) peers: Vec<PeerConfig>,
    pub(crate) allowed: Vec<String>,
    pub(crate) neighbours: bool,
    pub(crate) tracer: Tracer,
}

/// Shared state of an orchestrator.
pub(crate) struct Inner {
    pub(crate) book: Arc<Book>,
    pub(crate) tools: Toolbox,
    pub(crate) settings: Settings,
}

impl Inner {
    /// Starts without known agents; opens no connection.
    pub(crate) fn new(settings: Settings) -> Result<Self, OrchestrateError> {
        let book = Arc::new(Book::open(BookOptions {
            configured: Vec::new(),
            file: None,
            locals: None,
            reach: Arc::new(TypedHosts::new()),
        })?);
        let client =
            GuardedClient::new(AddressPolicy::public_only(), &Options::default()).map_err(|error| unusable(&error))?;
        let others = Arc::new(RemoteConnect::new(RemoteSettings::new(client)));
        let connect = PeerConnect::new(Arc::clone(&book), others);
        let connectors = Connectors::new().with(TransportKind::Http, Arc::new(connect));
        let host = HostSettings { tracer: settings.tracer.clone(), ..HostSettings::default() };
        let servers = McpServers::new(book.clone(), connectors, host);
        Ok(Self { book, tools: Toolbox::new(servers), settings })
    }

    /// A client of a registered agent.
    pub(crate) async fn client(&self, name: &AgentName) -> Result<PeerClient, PeerRegistryError> {
        let (client, _) = self.book.client(name).await?;
        Ok(client.traced(&self.settings.tracer, name))
    }
}

fn unusable(error: &SetupError) -> OrchestrateError {
    OrchestrateError::Unknown(PeerRegistryError { code: ErrorCode::INTERNAL, detail: error.to_string() })
}
