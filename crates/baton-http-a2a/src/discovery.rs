//! Discovery documents: the AI catalog and ContextCore metadata.

use crate::{
    cards::{ambiguous_agent_error, card_options},
    reply,
    state::A2aState,
};
use axum::{extract::State, response::Response};
use baton_http::{Caller, PathName, base_url};
use baton_types::AgentSpec;
use baton_wire::{catalog::AiCatalog, contextcore::Discovery};
use http::{HeaderMap, HeaderValue, header};
use std::sync::Arc;

/// `GET /.well-known/ai-catalog.json`.
pub(crate) async fn catalog(State(shared): State<Arc<A2aState>>, caller: Caller, headers: HeaderMap) -> Response {
    let agents = shared.http.agents_for(&caller);
    let base = base_url(&shared.http, &headers);
    let mut response = reply::json(&AiCatalog::from_agents("Baton", &base, agents.iter().map(|agent| &**agent)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/ai-catalog+json"));
    response
}

/// `GET /agents/{agent}/.well-known/contextcore.json`.
pub(crate) async fn contextcore_named(
    State(shared): State<Arc<A2aState>>,
    PathName(name): PathName,
    headers: HeaderMap,
) -> Response {
    match shared.http.agent(&name) {
        Some(agent) => contextcore(&shared, &agent, &headers),
        None => reply::error(&shared.http.no_such_agent(Some(&name))),
    }
}

/// `GET /.well-known/contextcore.json`, if exactly one agent is served.
pub(crate) async fn contextcore_sole(
    State(shared): State<Arc<A2aState>>,
    caller: Caller,
    headers: HeaderMap,
) -> Response {
    match shared.http.sole_agent() {
        Some(agent) => contextcore(&shared, &agent, &headers),
        None => reply::error(&ambiguous_agent_error(&shared, &caller, &headers)),
    }
}

fn contextcore(shared: &A2aState, agent: &AgentSpec, headers: &HeaderMap) -> Response {
    let url = card_options(shared, agent, headers).url;
    reply::json(&Discovery::from_spec(agent, &url, env!("CARGO_PKG_VERSION")))
}
