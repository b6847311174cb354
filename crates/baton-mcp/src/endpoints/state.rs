//! State of the MCP endpoints.

use super::McpPorts;
use baton_http::HttpContext;
use std::sync::Arc;

/// State of the MCP endpoints.
pub(crate) struct McpState {
    pub(crate) http: Arc<HttpContext>,
    /// MCP services; `None` disables MCP.
    pub(crate) ports: Option<McpPorts>,
}
