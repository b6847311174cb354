//! The table of routes.

use crate::{
    HttpOptions, a2a, agents, auth, body::Bodies, cards, discovery, guard::GuardLayer, handoffs, probes, reply, tasks,
};
use axum::{
    Router,
    routing::{get, post},
};
use baton_engine::Engine;
use baton_types::{AgentName, AgentSpec, ErrorCode, Principal};
use baton_wire::a2a::v1::{Error, ErrorKind};
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
        self.engine.agent(&name.into())
    }

    /// The agent of a request whose path names none: the one that it names as tenant, or the only one.
    pub(crate) fn routed(&self, tenant: Option<&str>) -> Result<AgentName, Error> {
        match tenant {
            Some(tenant) => self.agent(tenant).ok_or_else(|| self.no_such_agent(Some(tenant))),
            None => self.sole_agent().ok_or_else(|| self.no_such_agent(None)),
        }
        .map(|agent| agent.name.clone())
    }

    /// There is no such agent; says who is there.
    pub(crate) fn no_such_agent(&self, name: Option<&str>) -> Error {
        let agents = self.engine.agents();
        let names: Vec<&str> = agents.iter().take(20).map(|agent| agent.name.as_str()).collect();
        let served = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let message = match name {
            Some(name) => {
                let name: String = name.chars().take(64).collect();
                format!("there is no agent '{name}'; served: {served}")
            }
            None => format!("{} agents are served, so name one: /agents/NAME; served: {served}", agents.len()),
        };
        Error::new(ErrorKind::AgentNotFound, ErrorCode::AGENT_NOT_FOUND, message)
    }
}

/// The surface of an engine as a service: give it to [`crate::serve`], or call it in memory.
pub fn app(engine: Engine, options: HttpOptions) -> Router {
    let guard = GuardLayer::new(&options);
    let streams = Arc::new(Semaphore::new(options.max_streams));
    let bodies = Bodies::new(&options);
    let shared = Arc::new(Shared { engine, options, principal: auth::local(), streams, bodies });
    let router = Router::new()
        .route("/agents/{agent}", post(a2a::named))
        .route("/agents/{agent}/", post(a2a::named))
        .route("/agents/{agent}/a2a", post(a2a::named))
        .route("/agents/{agent}/a2a/", post(a2a::named))
        .route("/agents/{agent}/.well-known/agent-card.json", get(cards::named))
        .route("/agents/{agent}/.well-known/agent.json", get(cards::named))
        .route("/agents/{agent}/.well-known/contextcore.json", get(discovery::contextcore_named))
        .route("/", get(agents::page).post(a2a::sole))
        .route("/a2a", post(a2a::sole))
        .route("/a2a/", post(a2a::sole))
        .route("/.well-known/agent-card.json", get(cards::sole))
        .route("/.well-known/agent.json", get(cards::sole))
        .route("/.well-known/contextcore.json", get(discovery::contextcore_sole))
        .route("/.well-known/ai-catalog.json", get(discovery::catalog))
        .route("/agents", get(agents::list))
        .route("/api/v1/tasks/{task}", get(tasks::show))
        .route("/api/v1/tasks/{task}/events", get(tasks::events))
        .route("/api/v1/handoffs/{handoff}", get(handoffs::show))
        .route("/healthz", get(probes::healthy))
        .route("/health", get(probes::healthy))
        .route("/readyz", get(probes::ready));
    let router = a2a::mount_grpc(a2a::mount_rest(router), &shared);
    router
        .fallback(reply::no_such_page)
        .method_not_allowed_fallback(reply::no_such_method)
        .layer(guard)
        .with_state(shared)
}
