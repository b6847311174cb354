//! Baton's own HTTP API: agents and their definitions, sessions, tasks, approvals, handoffs, tools, tokens, and probes.
//!
//! This crate must never decide the outcome of a task: it submits commands to `baton-engine` and encodes views as the
//! types of `baton-api`.
//!
//! Read first: [`routes`] (the operation table), [`ApiPorts`] (the ports behind the operations).

mod agents;
mod approvals;
mod definitions;
mod engine_error;
pub mod error_codes;
mod handoffs;
mod oauth_metadata;
mod peers;
mod probes;
mod sessions;
mod state;
mod tasks;
mod tokens;
mod tools;

pub use definitions::DefinitionPorts;
pub use peers::PeerPorts;
pub use state::ApiPorts;
pub use tools::ToolPorts;

use baton_engine::Engine;
use baton_http::{HttpContext, RouteAccess, RouteAgentSource, Routes, SurfaceRoutes};
use state::ApiState;
use std::sync::Arc;

/// The routes of Baton's own API.
pub fn routes(http: &Arc<HttpContext>, engine: Engine, ports: ApiPorts) -> SurfaceRoutes {
    let (card, open) = (RouteAccess::Card, RouteAccess::Open);
    let (read, call) = (RouteAccess::Read(RouteAgentSource::Path), RouteAccess::Call(RouteAgentSource::Path));
    let (admin, admin_change) = (RouteAccess::Admin, RouteAccess::AdminChange);
    let (read_own, call_own) =
        (RouteAccess::Read(RouteAgentSource::Resource), RouteAccess::Call(RouteAgentSource::Resource));
    let routes = Routes::new(http)
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
    // The page at the root keeps the span name of its method, like the A2A requests to the same path.
    definitions::mount(sessions::mount(routes))
        .name_spans()
        .get("/", card, agents::page)
        .with_state(Arc::new(ApiState { http: Arc::clone(http), engine, ports }))
}
