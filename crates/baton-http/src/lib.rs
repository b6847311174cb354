//! The HTTP surface: A2A over JSON-RPC, agent cards, probes and Baton's own read API on one port.
//!
//! This crate must never decide what happens to a task: it reads requests into commands of `baton-engine`, and writes
//! views and feeds as `baton-wire` shapes. Every body, header, stream and connection has a bound.
//!
//! Read first: [`app`] (the routes), [`serve`] (connections and shutdown), [`HttpOptions`] (the bounds); then
//! `a2a/mod.rs`, which follows one JSON-RPC request.

mod a2a;
mod agents;
mod app;
mod auth;
mod body;
mod cards;
mod guard;
mod handoffs;
mod options;
mod probes;
mod reply;
mod serve;
mod tasks;

pub use app::app;
pub use options::{HttpOptions, VersionRule};
pub use serve::{ServeOptions, serve};
