//! Route table.

use crate::{
    HttpOptions, a2a, agents, approvals,
    auth::{self, Caller, GateLayer, PrincipalRateLimiter},
    body::BodyReader,
    cards,
    compress::CompressLayer,
    cors, definitions, discovery, exports,
    guard::GuardLayer,
    handoffs, jwks,
    large_requests::LargeRequests,
    mcp, meters, oauth_metadata,
    otlp::{self, DiscardedSignals},
    peers, probes,
    queries::QueryScheduler,
    reply, responses,
    routes::{RouteAccess, RouteAgentSource, RouteEntry, Routes},
    sessions,
    share_pool::Shares,
    signatures::{KEYS_PATH, Signatures},
    spans, tasks,
    telemetry::{RequestTraceLayer, note_route},
    tempo, tokens, tools,
};
use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
};
use baton_engine::Engine;
use baton_rules::Access;
use baton_types::{AgentListing, AgentName, AgentSpec, ErrorCode};
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tower::{ServiceBuilder, util::option_layer};

/// State shared by all handlers.
pub(crate) struct HttpState {
    pub(crate) engine: Engine,
    pub(crate) options: HttpOptions,
    pub(crate) streams: Shares,
    /// WebSocket connections. The server's connection count excludes them.
    pub(crate) sockets: Shares,
    /// Span subscriptions, separate from `streams` so that they cannot exhaust the streams of task clients.
    pub(crate) tails: Shares,
    /// Span queries.
    pub(crate) queries: QueryScheduler,
    pub(crate) bodies: BodyReader,
    pub(crate) large_requests: LargeRequests,
    /// Rate limits per caller; `None` if unlimited.
    pub(crate) rates: Option<PrincipalRateLimiter>,
    pub(crate) signatures: Signatures,
    /// Bounds concurrent checks whether a missing resource belongs to another principal.
    pub(crate) lookups: Arc<Semaphore>,
    /// Counters of discarded OTLP metrics and logs.
    pub(crate) discarded: Arc<DiscardedSignals>,
}

impl HttpState {
    /// The agent, if exactly one local agent exists. Remote agents do not count.
    pub(crate) fn sole_agent(&self) -> Option<Arc<AgentSpec>> {
        self.engine.sole_agent()
    }

    /// The agent with this name.
    pub(crate) fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.engine.agent(&name.into())
    }

    /// Agent of a request whose path names none: the tenant, or else the only agent.
    pub(crate) fn resolve_agent(&self, caller: &Caller, tenant: Option<&str>) -> Result<AgentName, Error> {
        let agent = match tenant {
            Some(tenant) => {
                // A caller without read access must not learn whether the agent exists.
                caller.check_access(self, Access::Read, Some(&tenant.into()))?;
                self.agent(tenant)
            }
            None => {
                caller.check_access(self, Access::Read, None)?;
                self.sole_agent()
            }
        };
        agent.map(|agent| agent.name.clone()).ok_or_else(|| self.no_such_agent_for(caller, tenant))
    }

    /// Agents that are visible to the caller.
    pub(crate) fn agents_for(&self, caller: &Caller) -> Vec<Arc<AgentListing>> {
        let mut agents = self.engine.listed_agents();
        if self.options.access.private_cards {
            agents.retain(|agent| caller.may_read(&agent.name));
        }
        agents
    }

    /// Error for a missing agent. Its message lists the agents that are visible to the caller.
    pub(crate) fn no_such_agent_for(&self, caller: &Caller, name: Option<&str>) -> Error {
        no_such_agent(&self.agents_for(caller), name)
    }

    /// Error for a missing agent. Its message lists the served agents.
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

/// Maximum concurrent ownership lookups for missing tasks.
const MAX_OWNERSHIP_LOOKUPS: usize = 256;

/// Minimum streams per principal in a small pool.
const MIN_SHARE: usize = 16;

/// HTTP surface of an engine, and the table of its operations.
pub struct Surface {
    /// The service: pass it to [`crate::serve`], or call it in memory.
    pub router: Router,
    /// Required access of every route.
    pub operations: Vec<RouteEntry>,
}

/// The HTTP surface of an engine as a service: pass it to [`crate::serve`], or call it in memory.
pub fn app(engine: Engine, options: HttpOptions) -> Router {
    surface(engine, options).router
}

/// The HTTP surface of an engine, with the table of its operations.
pub fn surface(engine: Engine, options: HttpOptions) -> Surface {
    let guard = GuardLayer::new(&options);
    let traced = RequestTraceLayer::new(&options);
    let cors = option_layer(cors::layer(&options.cors_origins));
    let pool = |total| Shares::with_percent(total, options.principal_share, MIN_SHARE);
    let (streams, sockets, tails) = (pool(options.max_streams), pool(options.max_streams / 4), pool(spans::MAX_TAILS));
    let rates = options.access.rate.map(PrincipalRateLimiter::new);
    let large_requests = LargeRequests::new();
    let bodies = BodyReader::new(&options, large_requests.clone());
    let lookups = Arc::new(Semaphore::new(MAX_OWNERSHIP_LOOKUPS));
    let signatures = Signatures::new(options.signer.clone());
    let discarded = Arc::<DiscardedSignals>::default();
    if let Some(ports) = &options.meters {
        ports.meters.add_source(Arc::<DiscardedSignals>::clone(&discarded));
    }
    let shared = Arc::new(HttpState {
        engine,
        options,
        streams,
        sockets,
        tails,
        queries: QueryScheduler::new(),
        bodies,
        large_requests,
        rates,
        signatures,
        lookups,
        discarded,
    });
    let gate = GateLayer::new(&shared);
    let edge = responses::EdgeLayer::new(&shared);
    let compress = CompressLayer::new(shared.large_requests.clone());
    let (router, operations) = routes(&shared).into_parts();
    let routes =
        router.fallback(reply::no_such_page).method_not_allowed_fallback(reply::no_such_method).with_state(shared);
    // Applied around the whole router: a layer inside a router is boxed and cloned once more per request.
    let guarded = ServiceBuilder::new()
        .layer(edge)
        .layer(traced)
        .layer(guard)
        // Outside the authentication layer: browsers send preflight requests without a token.
        .layer(cors)
        .layer(gate)
        .layer(compress)
        .service(routes);
    Surface { router: Router::new().fallback_service(guarded), operations }
}

/// All routes with their required access.
fn routes(shared: &Arc<HttpState>) -> Routes {
    let (card, open) = (RouteAccess::Card, RouteAccess::Open);
    let introductions = Routes::new()
        .get("/agents/{agent}", card, cards::show_named)
        .get("/agents/{agent}/", card, cards::show_named)
        .get("/agents/{agent}/.well-known/agent-card.json", card, cards::show_named)
        .get("/agents/{agent}/.well-known/agent.json", card, cards::show_named)
        .get("/agents/{agent}/.well-known/contextcore.json", card, discovery::contextcore_named)
        .get("/agents/{agent}/.well-known/jwks.json", card, jwks::named)
        .get("/.well-known/agent-card.json", card, cards::show_sole)
        .get("/.well-known/agent.json", card, cards::show_sole)
        .get("/agents/.well-known/agent-card.json", card, cards::show_sole)
        .get("/agents/.well-known/agent.json", card, cards::show_sole)
        .get("/.well-known/contextcore.json", card, discovery::contextcore_sole)
        .layered(|router| router.route_layer(from_fn_with_state(Arc::clone(shared), auth::guard_card)));
    let (read, call) = (RouteAccess::Read(RouteAgentSource::Path), RouteAccess::Call(RouteAgentSource::Path));
    let (admin, admin_change) = (RouteAccess::Admin, RouteAccess::AdminChange);
    let (read_own, call_own) =
        (RouteAccess::Read(RouteAgentSource::Resource), RouteAccess::Call(RouteAgentSource::Resource));
    let pages = Routes::new()
        .merge(introductions)
        .get("/.well-known/ai-catalog.json", card, discovery::catalog)
        .get(KEYS_PATH, open, jwks::show)
        .get("/agents", card, agents::list)
        .get("/api/v1/tasks/{task}", read_own, tasks::show)
        .get("/api/v1/tasks/{task}/events", read_own, tasks::events)
        .get("/api/v1/handoffs/{handoff}", read_own, handoffs::show)
        .post("/api/v1/agents", admin_change, peers::add)
        .get("/api/v1/agents/{agent}", read, peers::show)
        .patch("/api/v1/agents/{agent}", admin_change, definitions::change)
        .delete("/api/v1/agents/{agent}", admin_change, peers::remove)
        .get("/api/v1/agents/{agent}/tools", read, tools::list)
        .post("/api/v1/agents/{agent}/tools/{tool}", call, tools::call)
        .post("/api/v1/agents/{agent}/tools/{tool}/answers", call, tools::answer)
        .put("/api/v1/agents/{agent}/tools/{tool}/permission", admin_change, tools::set_tool_permission)
        .put("/api/v1/agents/{agent}/servers/{server}/permission", admin_change, tools::set_server_permission)
        .get("/api/v1/approvals", read_own, approvals::list)
        .get("/api/v1/approvals/{task}/{call}", read_own, approvals::show)
        .post("/api/v1/approvals/{task}/{call}", call_own, approvals::answer)
        .post("/api/v1/peers/notifications/{registration}", RouteAccess::Registration, peers::receive_notification)
        .get("/api/v1/tokens", admin, tokens::list)
        .post("/api/v1/tokens", admin_change, tokens::create)
        .delete("/api/v1/tokens/{token}", admin_change, tokens::revoke)
        .get("/.well-known/oauth-protected-resource", open, oauth_metadata::show)
        .get("/.well-known/oauth-protected-resource/{*resource}", open, oauth_metadata::show)
        .get("/healthz", open, probes::healthy)
        .get("/health", open, probes::healthy)
        .get("/readyz", open, probes::ready);
    let pages = responses::mount(definitions::mount(sessions::mount(pages)));
    // The protocol routes below name their own spans and are the hottest, so `note_route` skips them.
    let traces = shared.options.tracer.is_on();
    let pages = if traces { pages.layered(|router| router.route_layer(from_fn(note_route))) } else { pages };
    let method = RouteAccess::Method;
    let routes = pages
        .post("/agents/{agent}", method, a2a::handle_named_agent)
        .post("/agents/{agent}/", method, a2a::handle_named_agent)
        .post("/agents/{agent}/a2a", method, a2a::handle_named_agent)
        .post("/agents/{agent}/a2a/", method, a2a::handle_named_agent)
        .get("/", card, agents::page)
        .post("/", method, a2a::handle_sole_agent)
        .post("/a2a", method, a2a::handle_sole_agent)
        .post("/a2a/", method, a2a::handle_sole_agent)
        .any("/agents/{agent}/mcp", method, mcp::named)
        .any("/agents/{agent}/mcp/", method, mcp::named)
        .any("/agents/{agent}/mcp/exported", method, mcp::exported)
        .any("/agents/{agent}/mcp/exported/", method, mcp::exported)
        .any("/mcp", method, mcp::root)
        .any("/mcp/", method, mcp::root)
        .any("/mcp/manage", admin, mcp::manage)
        .any("/mcp/manage/", admin, mcp::manage)
        .any("/api/v1/mcp", method, mcp::own)
        .any("/api/v1/mcp/", method, mcp::own);
    let routes = a2a::mount_grpc(a2a::mount_rest(routes), shared);
    exports::mount(meters::mount(spans::mount(tempo::mount(otlp::mount(routes)))))
}
