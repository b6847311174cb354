//! Environment endpoint of an agent.

use super::{pass::pass, ports};
use crate::{app::Shared, auth::Caller, named::Named, reply};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_rules::Access;
use baton_types::AgentName;
use std::sync::Arc;

/// `/agents/{agent}/mcp`.
pub(crate) async fn named(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Named(name): Named,
    request: Request,
) -> Response {
    answered(&shared, &caller, &name.into(), request).await
}

/// Serves the Environment of an agent.
pub(super) async fn answered(shared: &Arc<Shared>, caller: &Caller, agent: &AgentName, request: Request) -> Response {
    // A caller without read access must not learn whether the agent exists.
    let ports = caller.may(shared, Access::Read, Some(agent)).and_then(|()| ports(shared));
    match ports.map(|ports| ports.environments.of(agent)) {
        Ok(Some(service)) => pass(shared, caller, Some(agent), &service, request).await,
        Ok(None) => reply::rest_error(&shared.no_such_agent_for(caller, Some(agent.as_str()))),
        Err(error) => reply::rest_error(&error),
    }
}
