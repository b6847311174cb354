//! Environment endpoint of an agent.

use super::state::McpState;
use super::{forward::forward, ports};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_http::{Caller, PathName, reply};
use baton_rules::Access;
use baton_types::AgentName;
use std::sync::Arc;

/// `/agents/{agent}/mcp`.
pub(crate) async fn named(
    State(shared): State<Arc<McpState>>,
    caller: Caller,
    PathName(name): PathName,
    request: Request,
) -> Response {
    serve_environment(&shared, &caller, &name.into(), request).await
}

/// Serves the Environment of an agent.
pub(super) async fn serve_environment(
    shared: &Arc<McpState>,
    caller: &Caller,
    agent: &AgentName,
    request: Request,
) -> Response {
    // A caller without read access must not learn whether the agent exists.
    let ports = caller.check_access(&shared.http, Access::Read, Some(agent)).and_then(|()| ports(shared));
    match ports.map(|ports| ports.environments.endpoint(agent)) {
        Ok(Some(service)) => forward(shared, caller, Some(agent), &service, request).await,
        Ok(None) => reply::error(&shared.http.no_such_agent_for(caller, Some(agent.as_str()))),
        Err(error) => reply::error(&error),
    }
}
