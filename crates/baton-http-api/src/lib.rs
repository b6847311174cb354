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
mod resources;
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
use baton_http::{HttpContext, RouteAccess, RouteEntry, Routes, SurfaceRoutes};
use state::ApiState;
use std::sync::Arc;

/// The routes of Baton's own API.
pub fn routes(http: &Arc<HttpContext>, engine: Engine, ports: ApiPorts) -> SurfaceRoutes {
    mounted(http).with_state(Arc::new(ApiState { http: Arc::clone(http), engine, ports }))
}

/// The operation table of these routes.
pub fn operations(http: &Arc<HttpContext>) -> Vec<RouteEntry> {
    mounted(http).entries().to_vec()
}

fn mounted(http: &Arc<HttpContext>) -> Routes<Arc<ApiState>> {
    let open = RouteAccess::Open;
    let routes = Routes::new(http)
        .get("/.well-known/oauth-protected-resource", open, oauth_metadata::show)
        .get("/.well-known/oauth-protected-resource/{*resource}", open, oauth_metadata::show)
        .get("/health", open, probes::healthy);
    let routes = probes::mount(handoffs::mount(tasks::mount(agents::mount(routes))));
    let routes = approvals::mount(tools::mount(tokens::mount(peers::mount(routes))));
    // The page at the root keeps the span name of its method, like the A2A requests to the same path.
    definitions::mount(sessions::mount(routes)).name_spans().get("/", RouteAccess::Card, agents::page)
}
