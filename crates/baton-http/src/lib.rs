//! The HTTP surface on one port: A2A over JSON-RPC, HTTP+JSON and gRPC, agent cards, probes and Baton's own read API.
//!
//! This crate must never decide the outcome of a task: it translates requests into commands of `baton-engine`, and
//! encodes views and feeds as `baton-wire` types. Every body, header, stream and connection is bounded.
//!
//! Read first: [`app`] (the routes), [`serve`] (connections and shutdown), [`HttpOptions`] (the limits); then
//! `a2a/mod.rs`, which describes how a request is dispatched to its operation.

mod a2a;
mod agents;
mod app;
mod approvals;
mod auth;
mod body;
mod cards;
mod compress;
mod cors;
mod definitions;
mod discovery;
mod exports;
mod guard;
mod handoffs;
mod inflate;
mod jwks;
mod large_requests;
mod mcp;
mod meters;
mod oauth_metadata;
mod options;
mod otlp;
mod path_name;
mod peers;
mod probes;
mod queries;
mod reply;
mod responses;
mod routes;
mod serve;
mod sessions;
mod share_pool;
mod signatures;
mod spans;
mod tasks;
mod telemetry;
mod tempo;
mod tls;
mod tokens;
mod tools;

pub use app::{Surface, app, surface};
pub use auth::AccessOptions;
pub use baton_rules::RateLimit;
pub use cors::{CorsError, CorsOrigins};
pub use definitions::DefinitionPorts;
pub use exports::ExportPorts;
pub use mcp::McpPorts;
pub use meters::MeterPorts;
pub use options::{A2aOptions, HttpOptions, SpanPorts, VersionRule};
pub use peers::PeerPorts;
pub use responses::{CallerServerPorts, ResponsesOptions};
pub use routes::{RouteAccess, RouteAgentSource, RouteEntry};
pub use serve::{ServeOptions, serve};
pub use tls::{Tls, TlsError, TlsFiles};
pub use tools::ToolPorts;
