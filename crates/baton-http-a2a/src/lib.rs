//! A2A in every supported binding and dialect, and agent cards.
//!
//! This crate must never build a state: it submits commands to `baton-engine` and reads views. `ops/` implements the
//! operations once. `jsonrpc/`, `rest/` and `grpc/` dispatch requests to them and encode the replies; each dialect is a
//! file there that maps to and from 1.0 requests and replies.
//!
//! Read first: [`routes`] (the operation table), [`A2aOptions`] (the offered features), `ops/send.rs` (one operation),
//! `error.rs` (the only place where errors become A2A errors).

mod call;
mod cards;
mod discovery;
mod error;
pub mod error_codes;
mod error_format;
mod extensions;
mod grpc;
mod jsonrpc;
mod jwks;
mod operation;
mod ops;
mod options;
mod presentation;
mod reply;
mod rest;
mod signatures;
mod span_attributes;
mod sse;
mod state;
mod version;

pub use error_format::A2aErrors;
pub use options::{A2aOptions, VersionRule};

use baton_engine::Engine;
use baton_http::{HttpContext, RouteAccess, Routes, SurfaceRoutes};
use baton_ports::CardSigner;
use signatures::{KEYS_PATH, Signatures};
use state::A2aState;
use std::sync::Arc;

/// The A2A routes; without a signer cards are unsigned.
pub fn routes(
    http: &Arc<HttpContext>,
    engine: Engine,
    options: A2aOptions,
    signer: Option<Arc<dyn CardSigner>>,
) -> SurfaceRoutes {
    let signatures = Signatures::new(signer.clone());
    let state = Arc::new(A2aState { http: Arc::clone(http), engine, options, signer, signatures });
    let method = RouteAccess::Method;
    let routes = introductions(http)
        .name_spans()
        .post("/agents/{agent}", method, jsonrpc::handle_named_agent)
        .post("/agents/{agent}/", method, jsonrpc::handle_named_agent)
        .post("/agents/{agent}/a2a", method, jsonrpc::handle_named_agent)
        .post("/agents/{agent}/a2a/", method, jsonrpc::handle_named_agent)
        .post("/", method, jsonrpc::handle_sole_agent)
        .post("/a2a", method, jsonrpc::handle_sole_agent)
        .post("/a2a/", method, jsonrpc::handle_sole_agent);
    grpc::mount(rest::mount(routes), &state).with_state(state)
}

/// Documents that introduce the agents.
fn introductions(http: &Arc<HttpContext>) -> Routes<Arc<A2aState>> {
    let (card, open) = (RouteAccess::Card, RouteAccess::Open);
    Routes::new(http)
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
        .guard_cards()
        .get("/.well-known/ai-catalog.json", card, discovery::catalog)
        .get(KEYS_PATH, open, jwks::show)
}
