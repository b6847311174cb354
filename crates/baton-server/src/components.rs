//! The parts of a server that its handles share.

use crate::{Management, agents::LocalAgents};
use baton_engine::Engine;
use baton_export::ExportCounts;
use baton_identity::TokenRegistry;
use baton_meters::Meters;
use baton_model_registry::ModelRegistry;
use baton_models::PlaybookModels;
use baton_peers::{LocalPeerRegistry, PeerHub};
use baton_ports::AgentSource;
use baton_span_ports::SpanStore;
use baton_telemetry::Tracer;
use baton_toolhost::Toolbox;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The parts of a server that its handles share.
pub(crate) struct ServerComponents {
    /// Shared, because internal MCP servers have weak references to it.
    pub(crate) engine: Arc<Engine>,
    /// Cancelled when the server stops.
    pub(crate) stopping: CancellationToken,
    pub(crate) agents: Arc<dyn AgentSource>,
    pub(crate) locals: Arc<LocalAgents>,
    pub(crate) tools: Arc<Toolbox>,
    pub(crate) playbooks: Arc<PlaybookModels>,
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) tokens: TokenRegistry,
    pub(crate) peer_registry: Arc<LocalPeerRegistry>,
    pub(crate) peers: Arc<PeerHub>,
    /// Span store that answers queries.
    pub(crate) spans: Arc<dyn SpanStore>,
    pub(crate) meters: Arc<Meters>,
    pub(crate) tracer: Tracer,
    pub(crate) exports: ExportCounts,
    pub(crate) management: Management,
    /// Number of runs that were resumed; none before the recovery has ended.
    pub(crate) recovery: watch::Sender<Option<usize>>,
}

impl ServerComponents {
    /// The engine.
    pub(crate) fn engine(&self) -> Engine {
        Engine::clone(&self.engine)
    }
}
