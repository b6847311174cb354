//! MCP endpoints for the agents.

use crate::{Management, ServerError, ServerHandle, keys};
use baton_local::SessionFiles;
use baton_mcp::{
    EndpointContext, EnvironmentPorts, Environments, ExportedEndpoints, ManagePorts, ManageServer, McpLimits, McpPorts,
    McpSessionManager, OwnServer, OwnServerOptions,
};
use baton_ports::{AgentInvoker, McpSessionStore};
use baton_system::{SystemClock, TimeOrderedIds};
use std::{path::Path, sync::Arc};

/// Folder of MCP sessions, below the data directory.
const SESSION_FOLDER: &str = "mcp-sessions";

/// MCP endpoints. With a data directory, sessions and sealed client state survive a restart.
pub(crate) fn endpoints(
    server: &ServerHandle,
    data: Option<&Path>,
    own: OwnServerOptions,
    limits: McpLimits,
) -> Result<McpPorts, ServerError> {
    let seal = keys::state_seal(data, limits.answer_timeout)?;
    let session_store = data.map(sessions).transpose()?;
    let parts = server.components();
    let common = EndpointContext {
        sessions: McpSessionManager::new(&limits, session_store),
        seal: Arc::new(seal),
        limits,
        shutdown: parts.stopping.clone(),
    };
    let engine = parts.engine();
    let invoker: Arc<dyn AgentInvoker> = Arc::new(engine.clone());
    let agents = || Arc::clone(&parts.agents);
    let ports = EnvironmentPorts {
        agents: agents(),
        tools: parts.tools.clone(),
        servers: parts.tools.mcp().clone(),
        invoker: Arc::clone(&invoker),
        handoffs: Arc::new(engine),
        clock: Arc::new(SystemClock),
        ids: Arc::new(TimeOrderedIds),
    };
    let managed = (parts.management == Management::Enabled).then(|| ManagePorts {
        agents: agents(),
        repository: parts.locals.repository(),
        providers: Some(parts.models.clone()),
    });
    Ok(McpPorts {
        own: OwnServer::endpoint(agents(), Arc::clone(&invoker), own, &common),
        manage: managed.map(|ports| ManageServer::endpoint(ports, &common)),
        exported: Arc::new(ExportedEndpoints::new(agents(), invoker, common.clone())),
        environments: Arc::new(Environments::new(ports, common)),
    })
}

fn sessions(data: &Path) -> Result<Arc<dyn McpSessionStore>, ServerError> {
    let directory = data.join(SESSION_FOLDER);
    let files = SessionFiles::open(&directory, SessionFiles::DEFAULT_MAX_SESSIONS).map_err(|error| {
        ServerError::Storage(format!("the MCP sessions in {} cannot be stored: {error}", directory.display()))
    })?;
    Ok(Arc::new(files))
}
