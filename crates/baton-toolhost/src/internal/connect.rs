//! Opens internal servers.

use super::{
    inside::Inside,
    server::{Desk, InternalServer},
};
use crate::{Attempt, Connect, ConnectError, Link, Target};
use baton_ports::{AgentEditor, AgentSource, BoxFuture, SessionStore, TextSearch, ToolHost};
use baton_types::{ItemKind, McpTransport};
use rmcp::{RoleClient, RoleServer, ServiceExt, transport::async_rw::AsyncRwTransport};
use std::sync::{Arc, Weak};

/// Capacity of the pipe in bytes, per direction.
const PIPE: usize = 64 * 1024;

/// Ports of the internal servers besides agent definitions. Their implementations are created after the servers and own
/// them, so the references are weak.
pub struct InternalPorts {
    /// Tool host.
    pub tools: Weak<dyn ToolHost>,
    /// Session store.
    pub sessions: Weak<dyn SessionStore>,
    /// Relevance search.
    pub search: Weak<dyn TextSearch>,
}

/// Opens the servers that are part of Baton.
pub struct InternalConnect {
    inside: Arc<Inside>,
}

impl InternalConnect {
    /// Internal servers for the agents of a source; definitions are read-only.
    pub fn new(agents: Arc<dyn AgentSource>) -> Self {
        Self { inside: Arc::new(Inside::new(agents, None)) }
    }

    /// Internal servers for the agents of a source; definitions are changed through this editor.
    pub fn with_book(agents: Arc<dyn AgentSource>, book: Arc<dyn AgentEditor>) -> Self {
        Self { inside: Arc::new(Inside::new(agents, Some(book))) }
    }

    /// Attaches tools, sessions and search once they exist; only the first call has an effect. While they are missing,
    /// tools that need them return an error.
    pub fn attach(&self, ports: InternalPorts) {
        self.inside.attach(ports);
    }
}

/// The internal server named by a transport.
fn desk(transport: &McpTransport) -> Option<Desk> {
    let McpTransport::Internal { tool } = transport else { return None };
    match tool.as_str() {
        "rules" => Some(Desk::Knowledge(ItemKind::Rule)),
        "references" => Some(Desk::Knowledge(ItemKind::Reference)),
        "tools" => Some(Desk::Tools),
        _ => None,
    }
}

/// Whether this module provides the server, so that its tool annotations can be trusted.
pub(crate) fn is_ours(transport: &McpTransport) -> bool {
    desk(transport).is_some()
}

impl Connect for InternalConnect {
    fn open<'a>(&'a self, target: Target<'a>, _: Attempt) -> BoxFuture<'a, Result<Link, ConnectError>> {
        let known = "Use `tool: rules`, `tool: references` or `tool: tools`.";
        let opened = match (desk(&target.server.transport), &target.server.transport) {
            (Some(desk), _) => Ok(served(InternalServer::new(Arc::clone(&self.inside), target.agent.clone(), desk))),
            (None, McpTransport::Internal { tool }) if tool == "supervision" => Err(ConnectError::Failed {
                reason: "this version of Baton has no internal server 'supervision' yet".to_owned(),
                hint: format!("Remove the server, or set `disabled: true`; supervisors are not asked. {known}"),
            }),
            (None, McpTransport::Internal { tool }) => Err(ConnectError::Failed {
                reason: format!("there is no internal server '{tool}'"),
                hint: known.to_owned(),
            }),
            (None, _) => Err(ConnectError::Failed {
                reason: "it is not an internal server".to_owned(),
                hint: format!("Write `type: internal`. {known}"),
            }),
        };
        Box::pin(std::future::ready(opened))
    }
}

/// Runs a server until the other end of the pipe is dropped.
fn served(server: InternalServer) -> Link {
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
