//! Baton's own MCP server.

use super::{environment, forward::forward, ports};
use crate::{app::HttpState, auth::Caller, reply};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_rules::Access;
use std::sync::Arc;

/// `/api/v1/mcp`.
pub(crate) async fn own(State(shared): State<Arc<HttpState>>, caller: Caller, request: Request) -> Response {
    serve_own(&shared, &caller, request).await
}

/// `/mcp`: the Environment of the only agent, or Baton's own server.
pub(crate) async fn root(State(shared): State<Arc<HttpState>>, caller: Caller, request: Request) -> Response {
    match shared.sole_agent() {
        Some(agent) => environment::serve_environment(&shared, &caller, &agent.name, request).await,
        None => serve_own(&shared, &caller, request).await,
    }
}

async fn serve_own(shared: &Arc<HttpState>, caller: &Caller, request: Request) -> Response {
    let ports = caller.check_access(shared, Access::Read, None).and_then(|()| ports(shared));
    match ports {
        Ok(ports) => forward(shared, caller, None, &ports.own, request).await,
        Err(error) => reply::rest_error(&error),
    }
}
