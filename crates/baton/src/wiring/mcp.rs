//! MCP endpoints for the agents.

use super::{baton::Baton, keys};
use crate::failure::CliError;
use baton_http::McpPorts;
use baton_local::SessionFiles;
use baton_mcp::{
    EndpointContext, EnvironmentPorts, Environments, ExportedEndpoints, ManagePorts, ManageServer, McpLimits,
    McpSessionManager, OwnServer, OwnServerOptions, StateSeal,
};
use baton_ports::{AgentInvoker, McpSessionStore};
use baton_system::{SystemClock, TimeOrderedIds};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Folder of MCP sessions, below the data directory.
const SESSION_FOLDER: &str = "mcp-sessions";

impl Baton {
    /// MCP endpoints. With a data directory, sessions and sealed client state survive a restart.
    pub(super) fn mcp_ports(
        &self,
        kept_in: Option<&Path>,
        own: OwnServerOptions,
        limits: McpLimits,
    ) -> Result<McpPorts, CliError> {
        let seal = match kept_in {
            Some(data) => StateSeal::new(&keys::seal_key(data)?, &[], limits.answer_timeout),
            None => StateSeal::random(limits.answer_timeout),
        };
        let seal = seal.map_err(|error| CliError::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))?;
        let session_store = kept_in.map(sessions).transpose()?;
        let common = EndpointContext {
            sessions: McpSessionManager::new(&limits, session_store),
            seal: Arc::new(seal),
            limits,
            shutdown: self.stopping.clone(),
        };
        let invoker: Arc<dyn AgentInvoker> = Arc::new(self.engine.clone());
        let agents = || Arc::clone(&self.agents);
        let ports = EnvironmentPorts {
            agents: agents(),
            tools: self.tools().clone(),
            servers: self.tools().mcp().clone(),
            invoker: Arc::clone(&invoker),
            handoffs: Arc::new(self.engine.clone()),
            clock: Arc::new(SystemClock),
            ids: Arc::new(TimeOrderedIds),
        };
        let repository = self.locals.repository();
        let managed = ManagePorts { agents: agents(), repository, providers: Some(self.models().clone()) };
        Ok(McpPorts {
            own: OwnServer::endpoint(agents(), Arc::clone(&invoker), own, &common),
            manage: Some(ManageServer::endpoint(managed, &common)),
            exported: Arc::new(ExportedEndpoints::new(agents(), invoker, common.clone())),
            environments: Arc::new(Environments::new(ports, common)),
        })
    }
}

fn sessions(data: &Path) -> Result<Arc<dyn McpSessionStore>, CliError> {
    let directory = data.join(SESSION_FOLDER);
    let files = SessionFiles::open(&directory, SessionFiles::DEFAULT_MAX_SESSIONS).map_err(|error| {
        let message = format!("the sessions in {} cannot be stored: {error}", directory.display());
        CliError::new(ErrorCode::JOURNAL_UNAVAILABLE, message)
    })?;
    Ok(Arc::new(files))
}
