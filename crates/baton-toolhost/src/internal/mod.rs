//! Servers that are part of Baton: an agent's own knowledge as tools, spoken to like any other server.

mod references;

use crate::{Attempt, Connect, ConnectError, Link, Target};
use baton_ports::{AgentSource, BoxFuture};
use baton_types::McpTransport;
use references::ReferencesServer;
use rmcp::{RoleClient, RoleServer, ServiceExt, transport::async_rw::AsyncRwTransport};
use std::sync::Arc;

/// What fits between the two ends at a time.
const PIPE: usize = 64 * 1024;

/// Opens the servers that are part of Baton.
pub struct InternalConnect {
    agents: Arc<dyn AgentSource>,
}

impl InternalConnect {
    /// For the agents of a source.
    pub fn new(agents: Arc<dyn AgentSource>) -> Self {
        Self { agents }
    }
}

impl Connect for InternalConnect {
    fn open<'a>(&'a self, target: Target<'a>, _: Attempt) -> BoxFuture<'a, Result<Link, ConnectError>> {
        let opened = match &target.server.transport {
            McpTransport::Internal { tool } if tool == "references" => {
                Ok(served(ReferencesServer::new(Arc::clone(&self.agents), target.agent.clone())))
            }
            McpTransport::Internal { tool } => Err(ConnectError::Failed {
                reason: format!("there is no internal server '{tool}'"),
                hint: "Use `tool: references`, the only one so far.".to_owned(),
            }),
            _ => Err(ConnectError::Failed {
                reason: "it is not an internal server".to_owned(),
                hint: "Write `type: internal` and `tool: references`.".to_owned(),
            }),
        };
        Box::pin(std::future::ready(opened))
    }
}

/// Runs a server for as long as the other end of the pipe is held.
fn served(server: ReferencesServer) -> Link {
    let (here, there) = tokio::io::duplex(PIPE);
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(there);
        let transport = AsyncRwTransport::<RoleServer, _, _>::new(read, write);
        match server.serve(transport).await {
            Ok(running) => drop(running.waiting().await),
            Err(error) => tracing::debug!(%error, "an internal server was not opened"),
        }
    });
    let (read, write) = tokio::io::split(here);
    Link::new(AsyncRwTransport::<RoleClient, _, _>::new(read, write))
}
