//! Access control for private agent cards.

use super::Caller;
use crate::{HttpContext, path_name::invalid_path, reply};
use axum::{
    extract::{RawPathParams, Request, State, rejection::RawPathParamsRejection},
    middleware::Next,
    response::Response,
};
use baton_api::ApiError;
use baton_rules::Access;
use baton_types::AgentName;
use http::{HeaderValue, header};
use std::sync::Arc;

/// Middleware in front of every card: if cards are private, requires read access to the agent and prevents shared
/// caching.
pub(crate) async fn guard_card(
    State(shared): State<Arc<HttpContext>>,
    caller: Caller,
    names: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    if !shared.options.access.private_cards {
        return next.run(request).await;
    }
    let names = match names {
        Ok(names) => names,
        Err(error) => return reply::error(&invalid_path(&error.body_text())),
    };
    let named = names.iter().find(|(name, _)| *name == "agent").map(|(_, agent)| AgentName::from(agent));
    if let Err(error) = check_card_access(&shared, &caller, named) {
        return reply::error(&error);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
    headers.append(header::VARY, HeaderValue::from_static("Authorization"));
    response
}

fn check_card_access(shared: &HttpContext, caller: &Caller, named: Option<AgentName>) -> Result<(), ApiError> {
    let agent = match named {
        Some(agent) => agent,
        None => shared.resolve_agent(caller, None)?,
    };
    caller.check_access(shared, Access::Read, Some(&agent))?;
    match shared.agent(agent.as_str()) {
        Some(_) => Ok(()),
        None => Err(shared.no_such_agent_for(caller, Some(agent.as_str()))),
    }
}
