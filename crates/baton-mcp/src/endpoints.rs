//! MCP endpoints: access checks and dispatch to the MCP services.
//!
//! This module adds the caller, the limits and the scopes to the services. Hosts and origins are checked before any
//! route.

mod environment;
mod exported;
mod forward;
mod manage;
mod own;
mod ports;
mod span_attributes;
mod state;

pub use ports::McpPorts;

use crate::error_codes;
use baton_api::{ApiError, ApiErrorKind};
use baton_http::{HttpContext, RouteAccess, Routes, SurfaceRoutes};
use state::McpState;
use std::sync::Arc;

/// The MCP endpoints; without services they report that MCP is not offered.
pub fn routes(http: &Arc<HttpContext>, ports: Option<McpPorts>) -> SurfaceRoutes {
    let (method, admin) = (RouteAccess::Method, RouteAccess::Admin);
    Routes::new(http)
        .any("/agents/{agent}/mcp", method, environment::named)
        .any("/agents/{agent}/mcp/", method, environment::named)
        .any("/agents/{agent}/mcp/exported", method, exported::exported)
        .any("/agents/{agent}/mcp/exported/", method, exported::exported)
        .any("/mcp", method, own::root)
        .any("/mcp/", method, own::root)
        .any("/mcp/manage", admin, manage::manage)
        .any("/mcp/manage/", admin, manage::manage)
        .any("/api/v1/mcp", method, own::own)
        .any("/api/v1/mcp/", method, own::own)
        .with_state(Arc::new(McpState { http: Arc::clone(http), ports }))
}

/// MCP services; an error if MCP is disabled.
fn ports(shared: &McpState) -> Result<&McpPorts, ApiError> {
    shared.ports.as_ref().ok_or_else(|| {
        let message = "MCP is not enabled on this server";
        ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message)
    })
}
