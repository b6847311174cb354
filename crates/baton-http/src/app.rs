//! The table of routes.

use crate::{HttpOptions, a2a, agents, auth, body::Bodies, cards, guard::GuardLayer, handoffs, probes, reply, tasks};
use axum::{
    Router,
    routing::{get, post},
};
use baton_engine::Engine;
use baton_types::{AgentSpec, Principal};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What every handler shares.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) options: HttpOptions,
    pub(crate) principal: Arc<Principal>,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) bodies: Bodies,
}

impl Shared {
    /// The agent, when exactly one is served.
    pub(crate) fn sole_agent(&self) -> Option<Arc<AgentSpec>> {
        let mut agents = self.engine.agents();
        if agents.len() == 1 { agents.pop() } else { None }
    }

    /// The agent of that name.
    pub(crate) fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.engine.agents().into_iter().find(|agent| agent.name.as_str() == name)
    }
}

/// The surface of an engine as a service: give it to [`crate::serve`], or call it in memory.
pub fn app(engine: Engine, options: HttpOptions) -> Router {
    let guard = GuardLayer::new(&options);
    let streams = Arc::new(Semaphore::new(options.max_streams));
    let bodies = Bodies::new(&options);
    let shared = Arc::new(Shared { engine, options, principal: auth::local(), streams, bodies });
    Router::new()
        .route("/agents/{agent}", post(a2a::named))
        .route("/agents/{agent}/", post(a2a::named))
        .route("/agents/{agent}/a2a", post(a2a::named))
        .route("/agents/{agent}/a2a/", post(a2a::named))
        .route("/agents/{agent}/.well-known/agent-card.json", get(cards::named))
        .route("/agents/{agent}/.well-known/agent.json", get(cards::named))
        .route("/", get(agents::page).post(a2a::sole))
        .route("/a2a", post(a2a::sole))
        .route("/a2a/", post(a2a::sole))
        .route("/.well-known/agent-card.json", get(cards::sole))
        .route("/.well-known/agent.json", get(cards::sole))
        .route("/agents", get(agents::list))
        .route("/api/v1/tasks/{task}", get(tasks::show))
        .route("/api/v1/tasks/{task}/events", get(tasks::events))
        .route("/api/v1/handoffs/{handoff}", get(handoffs::show))
        .route("/healthz", get(probes::healthy))
        .route("/health", get(probes::healthy))
        .route("/readyz", get(probes::ready))
        .fallback(reply::no_such_page)
        .method_not_allowed_fallback(reply::no_such_method)
        .layer(guard)
        .with_state(shared)
}
