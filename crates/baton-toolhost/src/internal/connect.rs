//! Opens internal servers.

use super::{
    context::InternalContext,
    server::{InternalServer, InternalServerKind},
};
use crate::{BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, ServerConnector};
use baton_manage::Manager;
use baton_ports::{AgentRepository, AgentSource, BoxFuture, SessionStore, TextSearch, ToolHost};
use baton_types::{ItemKind, McpTransport};
use rmcp::{RoleClient, RoleServer, ServiceExt, transport::async_rw::AsyncRwTransport};
use std::sync::{Arc, Weak};

/// Capacity of the pipe in bytes, per direction.
const PIPE_BYTES: usize = 64 * 1024;

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
pub struct InternalConnector {
    context: Arc<InternalContext>,
}

impl InternalConnector {
    /// Internal servers for the agents of a source; definitions are read-only.
    pub fn new(agents: Arc<dyn AgentSource>) -> Self {
        Self { context: Arc::new(InternalContext::new(agents, None)) }
    }

    /// Internal servers for the agents of a source; definitions are changed in this repository.
    pub fn with_repository(agents: Arc<dyn AgentSource>, repository: Arc<dyn AgentRepository>) -> Self {
        Self { context: Arc::new(InternalContext::new(agents, Some(Manager::new(repository)))) }
    }

    /// Attaches tools, sessions and search once they exist; only the first call has an effect. While they are missing,
    /// tools that need them return an error.
    pub fn attach(&self, ports: InternalPorts) {
        self.context.attach(ports);
    }
}

/// The internal server named by a transport.
fn server_kind(transport: &McpTransport) -> Option<InternalServerKind> {
    let McpTransport::Internal { tool } = transport else { return None };
    match tool.as_str() {
        "rules" => Some(InternalServerKind::Knowledge(ItemKind::Rule)),
        "references" => Some(InternalServerKind::Knowledge(ItemKind::Reference)),
        "tools" => Some(InternalServerKind::Tools),
        _ => None,
    }
}

/// Whether this module provides the server, so that its tool annotations can be trusted.
pub(crate) fn is_internal_server(transport: &McpTransport) -> bool {
    server_kind(transport).is_some()
}

impl ServerConnector for InternalConnector {
    fn open<'a>(
        &'a self,
        target: ConnectTarget<'a>,
        _: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>> {
        let valid_values = "Use `tool: rules`, `tool: references` or `tool: tools`.";
        let opened = match (server_kind(&target.server.transport), &target.server.transport) {
            (Some(kind), _) => Ok(serve(InternalServer::new(Arc::clone(&self.context), target.agent.clone(), kind))),
            (None, McpTransport::Internal { tool }) if tool == "supervision" => Err(ConnectError::Failed {
                reason: "this version of Baton has no internal server 'supervision' yet".to_owned(),
                hint: format!("Remove the server, or set `disabled: true`; supervisors are not asked. {valid_values}"),
            }),
            (None, McpTransport::Internal { tool }) => Err(ConnectError::Failed {
                reason: format!("there is no internal server '{tool}'"),
                hint: valid_values.to_owned(),
            }),
            (None, _) => Err(ConnectError::Failed {
                reason: "it is not an internal server".to_owned(),
                hint: format!("Write `type: internal`. {valid_values}"),
            }),
        };
        Box::pin(std::future::ready(opened))
    }
}

/// Runs a server until the other end of the pipe is dropped.
fn serve(server: InternalServer) -> BoxedTransport {
    let (here, there) = tokio::io::duplex(PIPE_BYTES);
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(there);
        let transport = AsyncRwTransport::<RoleServer, _, _>::new(read, write);
        match server.serve(transport).await {
            Ok(running) => drop(running.waiting().await),
            Err(error) => tracing::debug!(%error, "an internal server was not opened"),
        }
    });
    let (read, write) = tokio::io::split(here);
    BoxedTransport::new(AsyncRwTransport::<RoleClient, _, _>::new(read, write))
}
