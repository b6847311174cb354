//! State of the API's handlers.

use crate::{DefinitionPorts, PeerPorts, ToolPorts};
use baton_engine::Engine;
use baton_http::HttpContext;
use std::sync::Arc;

/// Ports behind the operations; an operation without its port reports that it is not offered.
#[derive(Clone, Debug, Default)]
pub struct ApiPorts {
    /// Remote agents.
    pub peers: Option<PeerPorts>,
    /// Tool execution for callers.
    pub tools: Option<ToolPorts>,
    /// Storage of agent definitions; without it agents cannot be created or changed.
    pub definitions: Option<DefinitionPorts>,
}

/// State of the API's handlers.
pub(crate) struct ApiState {
    pub(crate) http: Arc<HttpContext>,
    pub(crate) engine: Engine,
    pub(crate) ports: ApiPorts,
}
