//! `GET /v1/models`: the agents that the caller can use.

use super::{
    request::{handle_request, json},
    show::path_segment,
};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::{ModelObject, ObjectList};
use std::sync::Arc;

/// Lists all agents.
pub(crate) async fn list(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    handle_request(shared, request, |request, _| async move {
        let since = request.shared.http.options.started_at.as_millis().div_euclid(1000);
        let agents = request.shared.http.agents_for(&request.caller);
        json(&ObjectList::new(agents.iter().map(|agent| ModelObject::new(agent.name.as_str(), since)).collect()))
    })
    .await
}

/// Returns one agent.
pub(crate) async fn show(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    let name = path_segment(request.uri().path(), 0);
    handle_request(shared, request, |request, _| async move {
        let agent = request.readable_agent(&name)?;
        let since = request.shared.http.options.started_at.as_millis().div_euclid(1000);
        json(&ModelObject::new(agent.name.as_str(), since))
    })
    .await
}
