//! Shared state of an orchestrator.

use crate::OrchestrateError;
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions, SetupError};
use baton_peers::{LocalPeerRegistry, PeerClient, PeerConfig, PeerRegistryOptions, TypedHostConnector};
use baton_ports::PeerRegistryError;
use baton_telemetry::Tracer;
use baton_toolhost::{
    ConnectorRegistry, HostSettings, McpServers, PeerConnect, RemoteConnector, RemoteSettings, Toolbox, TransportKind,
};
use baton_types::{AgentName, ErrorCode};
use std::sync::Arc;

/// Configured peers, allowed addresses and telemetry.
#[derive(Clone, Default)]
pub(crate) struct OrchestratorSettings {
    pub(crate) peers: Vec<PeerConfig>,
    pub(crate) allowed: Vec<String>,
    pub(crate) allow_local_agents: bool,
    pub(crate) tracer: Tracer,
}

/// Shared state of an orchestrator.
pub(crate) struct OrchestratorCore {
    pub(crate) registry: Arc<LocalPeerRegistry>,
    pub(crate) tools: Toolbox,
    pub(crate) settings: OrchestratorSettings,
}

impl OrchestratorCore {
    /// Starts without known agents; opens no connection.
    pub(crate) fn new(settings: OrchestratorSettings) -> Result<Self, OrchestrateError> {
        let registry = Arc::new(LocalPeerRegistry::open(PeerRegistryOptions {
            configured: Vec::new(),
            file: None,
            locals: None,
            connector: Arc::new(TypedHostConnector::new()),
        })?);
        let client = GuardedClient::new(AddressPolicy::public_only(), &OutboundOptions::default())
            .map_err(|error| setup_error(&error))?;
        let remote = Arc::new(RemoteConnector::new(RemoteSettings::new(client)));
        let connect = PeerConnect::new(registry.clone(), remote);
        let connectors = ConnectorRegistry::new().with(TransportKind::Http, Arc::new(connect));
        let host = HostSettings { tracer: settings.tracer.clone(), ..HostSettings::default() };
        let servers = McpServers::new(registry.clone(), connectors, host);
        Ok(Self { registry, tools: Toolbox::new(servers), settings })
    }

    /// A client of a registered agent.
    pub(crate) async fn client(&self, name: &AgentName) -> Result<PeerClient, PeerRegistryError> {
        let (client, _) = self.registry.client(name).await?;
        Ok(client.traced(&self.settings.tracer, name))
    }
}

fn setup_error(error: &SetupError) -> OrchestrateError {
    OrchestrateError::UnknownAgent(PeerRegistryError { code: ErrorCode::INTERNAL, detail: error.to_string() })
}
