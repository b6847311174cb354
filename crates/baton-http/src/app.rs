//! The table of routes.

use crate::{
    HttpOptions, a2a, agents, approvals,
    auth::{self, Caller, GateLayer},
    body::Bodies,
    cards, cors, definitions, discovery, exports,
    guard::GuardLayer,
    handoffs, jwks, mcp, meters, oauth_metadata, otlp, peers, probes,
    queries::Queries,
    reply, responses, sessions,
    signatures::{KEYS_PATH, Signatures},
    spans, tasks,
    telemetry::{TracedLayer, note_route},
    tempo, tokens, tools,
};
use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
    routing::{any, delete, get, post, put},
};
use baton_engine::Engine;
use baton_rules::Access;
use baton_types::{AgentListing, AgentName, AgentSpec, ErrorCode};
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tower::{ServiceBuilder, util::option_layer};

/// What every handler shares.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) options: HttpOptions,
    pub(crate) streams: Arc<Semaphore>,
    /// Places of those who follow spans: they must not take the streams of those who wait for work.
    pub(crate) tails: Arc<Semaphore>,
    /// Queries about spans.
    pub(crate) queries: Queries,
    pub(crate) bodies: Bodies,
    pub(crate) signatures: Signatures,
    /// Turns of looking whether what was not found belongs to somebody else.
    pub(crate) lookups: Arc<Semaphore>,
}

impl Shared {
    /// The agent, when exactly one lives here; those that live elsewhere do not count.
    pub(crate) fn sole_agent(&self) -> Option<Arc<AgentSpec>> {
        self.engine.sole_agent()
    }

    /// The agent of that name.
    pub(crate) fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.engine.agent(&name.into())
    }

    /// The agent of a request whose path names none: the one that it names as tenant, or the only one.
    pub(crate) fn routed(&self, caller: &Caller, tenant: Option<&str>) -> Result<AgentName, Error> {
        let agent = match tenant {
            Some(tenant) => {
                // Those who may not read it are not told whether it is there.
                caller.may(self, Access::Read, Some(&tenant.into()))?;
                self.agent(tenant)
            }
            None => self.sole_agent(),
        };
        agent.map(|agent| agent.name.clone()).ok_or_else(|| self.no_such_agent_for(caller, tenant))
    }

    /// The agents that the caller may know of.
    pub(crate) fn agents_for(&self, caller: &Caller) -> Vec<Arc<AgentListing>> {
        let mut agents = self.engine.listed_agents();
        if self.options.access.private_cards {
            agents.retain(|agent| caller.may_read(&agent.name));
        }
        agents
    }

    /// There is no such agent; says who of those is there that the caller may know of.
    pub(crate) fn no_such_agent_for(&self, caller: &Caller, name: Option<&str>) -> Error {
        no_such_agent(&self.agents_for(caller), name)
    }

    /// There is no such agent; says who is there.
    pub(crate) fn no_such_agent(&self, name: Option<&str>) -> Error {
        no_such_agent(&self.engine.listed_agents(), name)
    }
}

fn no_such_agent(agents: &[Arc<AgentListing>], name: Option<&str>) -> Error {
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

/// Missing tasks whose owner is looked for at the same time.
const LOOKUPS: usize = 256;

/// The surface of an engine as a service: give it to [`crate::serve`], or call it in memory.
pub fn app(engine: Engine, options: HttpOptions) -> Router {
    let guard = GuardLayer::new(&options);
    let (traced, traces) = (TracedLayer::new(&options), options.tracer.is_on());
    let cors = option_layer(cors::layer(&options.cors_origins));
    let streams = Arc::new(Semaphore::new(options.max_streams));
    let tails = Arc::new(Semaphore::new(spans::MAX_TAILS));
    let bodies = Bodies::new(&options);
    let lookups = Arc::new(Semaphore::new(LOOKUPS));
    let signatures = Signatures::new(options.signer.clone());
    let shared =
        Arc::new(Shared { engine, options, streams, tails, queries: Queries::new(), bodies, signatures, lookups });
    let gate = GateLayer::new(&shared);
    let introductions = Router::new()
        .route("/agents/{agent}/.well-known/agent-card.json", get(cards::named))
        .route("/agents/{agent}/.well-known/agent.json", get(cards::named))
        .route("/agents/{agent}/.well-known/contextcore.json", get(discovery::contextcore_named))
        .route("/agents/{agent}/.well-known/jwks.json", get(jwks::named))
        .route("/.well-known/agent-card.json", get(cards::sole))
        .route("/.well-known/agent.json", get(cards::sole))
        .route("/.well-known/contextcore.json", get(discovery::contextcore_sole))
        .route_layer(from_fn_with_state(Arc::clone(&shared), auth::introduce));
    let pages = Router::new()
        .merge(introductions)
        .route("/.well-known/ai-catalog.json", get(discovery::catalog))
        .route(KEYS_PATH, get(jwks::show))
        .route("/agents", get(agents::list))
        .route("/api/v1/tasks/{task}", get(tasks::show))
        .route("/api/v1/tasks/{task}/events", get(tasks::events))
        .route("/api/v1/handoffs/{handoff}", get(handoffs::show))
        .route("/api/v1/agents", post(peers::add))
        .route("/api/v1/agents/{agent}", get(peers::show).patch(definitions::change).delete(peers::remove))
        .route("/api/v1/agents/{agent}/tools", get(tools::list))
        .route("/api/v1/agents/{agent}/tools/{tool}", post(tools::call))
        .route("/api/v1/agents/{agent}/tools/{tool}/answers", post(tools::answer))
        .route("/api/v1/agents/{agent}/tools/{tool}/permission", put(tools::set_tool_permission))
        .route("/api/v1/agents/{agent}/servers/{server}/permission", put(tools::set_server_permission))
        .route("/api/v1/approvals", get(approvals::list))
        .route("/api/v1/approvals/{task}/{call}", get(approvals::show).post(approvals::answer))
        .route("/api/v1/peers/notifications/{registration}", post(peers::notified))
        .route("/api/v1/tokens", get(tokens::list).post(tokens::create))
        .route("/api/v1/tokens/{token}", delete(tokens::revoke))
        .route("/.well-known/oauth-protected-resource", get(oauth_metadata::show))
        .route("/.well-known/oauth-protected-resource/{*resource}", get(oauth_metadata::show))
        .route("/healthz", get(probes::healthy))
        .route("/health", get(probes::healthy))
        .route("/readyz", get(probes::ready));
    let pages = responses::mount(definitions::mount(sessions::mount(pages)));
    // Protocols name their requests themselves, and are asked most.
    let pages = if traces { pages.route_layer(from_fn(note_route)) } else { pages };
    let router = pages
        .route("/agents/{agent}", post(a2a::named))
        .route("/agents/{agent}/", post(a2a::named))
        .route("/agents/{agent}/a2a", post(a2a::named))
        .route("/agents/{agent}/a2a/", post(a2a::named))
        .route("/", get(agents::page).post(a2a::sole))
        .route("/a2a", post(a2a::sole))
        .route("/a2a/", post(a2a::sole))
        .route("/agents/{agent}/mcp", any(mcp::named))
        .route("/agents/{agent}/mcp/", any(mcp::named))
        .route("/agents/{agent}/mcp/exported", any(mcp::exported))
        .route("/agents/{agent}/mcp/exported/", any(mcp::exported))
        .route("/mcp", any(mcp::root))
        .route("/mcp/", any(mcp::root))
        .route("/mcp/manage", any(mcp::manage))
        .route("/mcp/manage/", any(mcp::manage))
        .route("/api/v1/mcp", any(mcp::own))
        .route("/api/v1/mcp/", any(mcp::own));
    let router = a2a::mount_grpc(a2a::mount_rest(router), &shared);
    let router = exports::mount(meters::mount(spans::mount(tempo::mount(otlp::mount(router)))));
    let routes =
        router.fallback(reply::no_such_page).method_not_allowed_fallback(reply::no_such_method).with_state(shared);
    // Around all routes together: a layer of a router is boxed and cloned once more for each request.
    let guarded = ServiceBuilder::new()
        .layer(traced)
        .layer(guard)
        // Outside of whatever asks for tokens: browsers show none before they know that a page may call.
        .layer(cors)
        .layer(gate)
        .service(routes);
    Router::new().fallback_service(guarded)
}
