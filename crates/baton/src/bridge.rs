//! MCP over stdio: forwards lines between stdin/stdout and a Baton endpoint.
//!
//! The bridge knows nothing of tools and agents. It keeps connection state (the session of an older protocol version,
//! requests in flight, the address of the Baton) and recovers from connection errors; if it cannot, it answers with an
//! error. stdout carries the protocol only.

mod calls;
mod deliver;
mod endpoint;
mod error;
mod legacy;
mod listen;
mod output;
mod pump;
#[cfg(test)]
mod scripted_tests;
mod send;

pub(crate) use endpoint::{BridgeEndpoint, ServerRediscovery};
pub(crate) use output::{LineOutput, standard_lines};
pub(crate) use pump::Bridge;
