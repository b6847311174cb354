//! Programs that speak MCP on their standard streams.

use crate::{Attempt, Connect, ConnectError, Link, Target};
use baton_ports::BoxFuture;

/// Starts a program for each connection, in a process group of its own, and ends it with everything it started.
#[derive(Clone, Debug, Default)]
pub struct StdioConnect {}

impl StdioConnect {
    /// The usual one.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Connect for StdioConnect {
    fn open<'a>(&'a self, target: Target<'a>, attempt: Attempt) -> BoxFuture<'a, Result<Link, ConnectError>> {
        let _ = (target, attempt);
        Box::pin(std::future::ready(Err(ConnectError::Failed { reason: String::new(), hint: String::new() })))
    }
}
