//! An agent's Environment.

use super::pass::pass;
use crate::{app::Shared, auth::Caller, named::Named, reply};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_rules::Access;
use baton_types::{AgentName, ErrorCode};
use baton_wire::a2a::v1::{Error, ErrorKind};
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

/// `/mcp`, when one agent is served.
pub(crate) async fn sole(State(shared): State<Arc<Shared>>, caller: Caller, request: Request) -> Response {
    match shared.sole_agent() {
        Some(agent) => answered(&shared, &caller, &agent.name, request).await,
        None => reply::rest_error(&shared.no_such_agent_for(&caller, None)),
    }
}

async fn answered(shared: &Arc<Shared>, caller: &Caller, agent: &AgentName, request: Request) -> Response {
    // Those who may not read it are not told whether it is there.
    if let Err(error) = caller.may(shared, Access::Read, Some(agent)) {
        return reply::rest_error(&error);
    }
    let Some(ports) = &shared.options.mcp else {
        let message = "this Baton does not speak MCP";
        return reply::rest_error(&Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message));
    };
    match ports.environments.of(agent) {
        Some(service) => pass(shared, caller, Some(agent), &service, request).await,
        None => reply::rest_error(&shared.no_such_agent_for(caller, Some(agent.as_str()))),
    }
}
