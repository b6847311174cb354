//! MCP endpoints of the agents.

use super::seal;
use crate::Error;
use baton_engine::Engine;
use baton_http::McpPorts;
use baton_local::SessionFiles;
use baton_mcp::{
    EndpointContext, EnvironmentPorts, Environments, ExportedEndpoints, McpLimits, McpSessionManager, OwnServer,
    OwnServerOptions,
};
use baton_ports::{AgentInvoker, AgentSource, McpSessionStore};
use baton_system::{SystemClock, TimeOrderedIds};
use baton_toolhost::Toolbox;
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};
use tokio_util::sync::CancellationToken;

/// Directory for sessions of MCP clients, below the data directory.
const SESSIONS: &str = "mcp-sessions";

/// The MCP endpoints. With a data directory, sessions and sealed client state survive the process.
pub(super) fn endpoints(
    engine: &Engine,
    agents: &Arc<dyn AgentSource>,
    tools: &Arc<Toolbox>,
    data: Option<&Path>,
    shutdown: CancellationToken,
) -> Result<McpPorts, Error> {
    let limits = McpLimits::default();
    let common = EndpointContext {
        sessions: McpSessionManager::new(&limits, data.map(sessions).transpose()?),
        seal: Arc::new(seal::seal(data, limits.answer_timeout)?),
        limits,
        shutdown,
    };
    let invoker: Arc<dyn AgentInvoker> = Arc::new(engine.clone());
    let ports = EnvironmentPorts {
        agents: Arc::clone(agents),
        tools: tools.clone(),
        servers: tools.mcp().clone(),
        invoker: Arc::clone(&invoker),
        handoffs: Arc::new(engine.clone()),
        clock: Arc::new(SystemClock),
        ids: Arc::new(TimeOrderedIds),
    };
    Ok(McpPorts {
        own: OwnServer::endpoint(Arc::clone(agents), Arc::clone(&invoker), OwnServerOptions::default(), &common),
        manage: None,
        exported: Arc::new(ExportedEndpoints::new(Arc::clone(agents), invoker, common.clone())),
        environments: Arc::new(Environments::new(ports, common)),
    })
}

fn sessions(data: &Path) -> Result<Arc<dyn McpSessionStore>, Error> {
    let directory = data.join(SESSIONS);
    let files = SessionFiles::open(&directory, SessionFiles::DEFAULT_MAX_SESSIONS).map_err(|error| {
        let message = format!("the MCP sessions in {} cannot be stored: {error}", directory.display());
        Error::new(ErrorCode::JOURNAL_UNAVAILABLE, message)
    })?;
    Ok(Arc::new(files))
}
