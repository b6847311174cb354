//! `GET /v1/models`: the agents that the caller can use.

use super::{
    asked::{answered, json},
    show::last_of,
};
use crate::app::Shared;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::{List, ModelObject};
use std::sync::Arc;

/// Lists all agents.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, request: Request) -> Reply {
    answered(shared, request, |asked, _| async move {
        let since = asked.shared.options.started_at.as_millis().div_euclid(1000);
        let agents = asked.shared.agents_for(&asked.caller);
        json(&List::of(agents.iter().map(|agent| ModelObject::new(agent.name.as_str(), since)).collect()))
    })
    .await
}

/// Returns one agent.
pub(crate) async fn show(State(shared): State<Arc<Shared>>, request: Request) -> Reply {
    let name = last_of(request.uri().path(), 0);
    answered(shared, request, |asked, _| async move {
        let agent = asked.shown_agent(&name)?;
        let since = asked.shared.options.started_at.as_millis().div_euclid(1000);
        json(&ModelObject::new(agent.name.as_str(), since))
    })
    .await
}
