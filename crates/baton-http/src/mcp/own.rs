//! Baton's own MCP server.

use super::{environment, pass::pass, ports};
use crate::{app::Shared, auth::Caller, reply};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_rules::Access;
use std::sync::Arc;

/// `/api/v1/mcp`.
pub(crate) async fn own(State(shared): State<Arc<Shared>>, caller: Caller, request: Request) -> Response {
    answered(&shared, &caller, request).await
}

/// `/mcp`: the Environment of the only agent, or Baton's own server.
pub(crate) async fn root(State(shared): State<Arc<Shared>>, caller: Caller, request: Request) -> Response {
    match shared.sole_agent() {
        Some(agent) => environment::answered(&shared, &caller, &agent.name, request).await,
        None => answered(&shared, &caller, request).await,
    }
}

async fn answered(shared: &Arc<Shared>, caller: &Caller, request: Request) -> Response {
    let ports = caller.may(shared, Access::Read, None).and_then(|()| ports(shared));
    match ports {
        Ok(ports) => pass(shared, caller, None, &ports.own, request).await,
        Err(error) => reply::rest_error(&error),
    }
}
