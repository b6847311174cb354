//! Baton's own MCP server.

use super::state::McpState;
use super::{environment, forward::forward, ports};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_http::{Caller, reply};
use baton_rules::Access;
use std::sync::Arc;

/// `/api/v1/mcp`.
pub(crate) async fn own(State(shared): State<Arc<McpState>>, caller: Caller, request: Request) -> Response {
    serve_own(&shared, &caller, request).await
}

/// `/mcp`: the Environment of the only agent, or Baton's own server.
pub(crate) async fn root(State(shared): State<Arc<McpState>>, caller: Caller, request: Request) -> Response {
    match shared.http.sole_agent() {
        Some(agent) => environment::serve_environment(&shared, &caller, &agent.name, request).await,
        None => serve_own(&shared, &caller, request).await,
    }
}

async fn serve_own(shared: &Arc<McpState>, caller: &Caller, request: Request) -> Response {
    let ports = caller.check_access(&shared.http, Access::Read, None).and_then(|()| ports(shared));
    match ports {
        Ok(ports) => forward(shared, caller, None, &ports.own, request).await,
        Err(error) => reply::error(&error),
    }
}
