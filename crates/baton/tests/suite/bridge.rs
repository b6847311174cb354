//! `baton mcp`: line-delimited JSON-RPC on stdin and stdout.

mod cancellation;
mod cleanup;
mod client;
mod entries;
mod invalid_input;
mod protocols;
mod reconnection;

pub(crate) use client::{BridgeClient, meta};
