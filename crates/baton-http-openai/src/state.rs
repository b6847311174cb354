//! State of the OpenAI handlers.

use crate::{CallerServerPorts, ResponsesOptions};
use baton_engine::Engine;
use baton_http::{HttpContext, Shares};
use std::sync::Arc;

/// State of the OpenAI handlers.
pub(crate) struct OpenAiState {
    pub(crate) http: Arc<HttpContext>,
    pub(crate) engine: Engine,
    /// Defaults for requests.
    pub(crate) options: ResponsesOptions,
    /// Connections to MCP servers given in requests; `None` rejects such requests.
    pub(crate) caller_servers: Option<CallerServerPorts>,
    /// WebSocket connections. The server's connection count excludes them.
    pub(crate) sockets: Shares,
}
