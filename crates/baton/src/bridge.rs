//! MCP on the standard streams: lines in and out, carried to and from an endpoint of a Baton.
//!
//! The bridge knows nothing of tools and agents. It keeps what a connection needs (the session of an older protocol,
//! requests in flight, where the Baton is) and mends what breaks on the way; what it cannot mend is an answer that says
//! so. stdout carries the protocol only.

mod calls;
mod carry;
mod deliver;
mod legacy;
mod listen;
mod output;
mod pump;
mod reach;
#[cfg(test)]
mod scripted_tests;
mod trouble;

pub(crate) use output::{Output, standard_lines};
pub(crate) use pump::Bridge;
pub(crate) use reach::{Again, Reach};
