//! Opening a server that is part of Baton.

use super::{
    inside::Inside,
    server::{Desk, InternalServer},
};
use crate::{Attempt, Connect, ConnectError, Link, Target};
use baton_ports::{AgentBook, AgentSource, BoxFuture, SessionBook, TextSearch, ToolHost};
use baton_types::{ItemKind, McpTransport};
use rmcp::{RoleClient, RoleServer, ServiceExt, transport::async_rw::AsyncRwTransport};
use std::sync::{Arc, Weak};

/// What fits between the two ends at a time.
const PIPE: usize = 64 * 1024;

/// What servers that are part of Baton reach beside definitions. It is made after them and has them, so they only know
/// the way to it.
pub struct InternalPorts {
    /// What agents can use.
    pub tools: Weak<dyn ToolHost>,
    /// What is part of sessions.
    pub sessions: Weak<dyn SessionBook>,
    /// What has to do with a question.
    pub search: Weak<dyn TextSearch>,
}

/// Opens the servers that are part of Baton.
pub struct InternalConnect {
    inside: Arc<Inside>,
}

impl InternalConnect {
    /// For the agents of a source, whose definitions nobody can change from here.
    pub fn new(agents: Arc<dyn AgentSource>) -> Self {
        Self { inside: Arc::new(Inside::new(agents, None)) }
    }

    /// For the agents of a source, whose definitions are changed through this book.
    pub fn with_book(agents: Arc<dyn AgentSource>, book: Arc<dyn AgentBook>) -> Self {
        Self { inside: Arc::new(Inside::new(agents, Some(book))) }
    }

    /// Says where tools, sessions and searching are, once they are there; the first word counts. Until then, and after
    /// they are gone, tools that need them say so.
    pub fn attach(&self, ports: InternalPorts) {
        self.inside.attach(ports);
    }
}

/// The servers that there are.
fn desk(transport: &McpTransport) -> Option<Desk> {
    let McpTransport::Internal { tool } = transport else { return None };
    match tool.as_str() {
        "rules" => Some(Desk::Knowledge(ItemKind::Rule)),
        "references" => Some(Desk::Knowledge(ItemKind::Reference)),
        "tools" => Some(Desk::Tools),
        _ => None,
    }
}

/// Whether a server is one of those of this module, so that what it says about its tools is true.
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

/// Runs a server for as long as the other end of the pipe is held.
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
