//! MCP endpoints for the agents.

use super::{baton::Baton, keys};
use crate::failure::CliError;
use baton_http::McpPorts;
use baton_local::{SessionFiles, SystemClock, TimeOrderedIds};
use baton_mcp::{
    Common, Environments, ExportedEndpoints, Limits, ManagePorts, ManageServer, OwnOptions, OwnServer, Ports, Seal,
    Sessions,
};
use baton_ports::{AgentInvoker, McpSessionStore};
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Folder of MCP sessions, below the data directory.
const SESSION_FOLDER: &str = "mcp-sessions";

impl Baton {
    /// MCP endpoints. With a data directory, sessions and sealed client state survive a restart.
    pub(super) fn mcp_ports(
        &self,
        kept_in: Option<&Path>,
        own: OwnOptions,
        limits: Limits,
    ) -> Result<McpPorts, CliError> {
        let seal = match kept_in {
            Some(data) => Seal::new(&keys::seal_key(data)?, &[], limits.answer_within),
            None => Seal::random(limits.answer_within),
        };
        let seal = seal.map_err(|error| CliError::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))?;
        let kept = kept_in.map(sessions).transpose()?;
        let common = Common {
            sessions: Sessions::new(&limits, kept),
            seal: Arc::new(seal),
            limits,
            shutdown: self.stopping.clone(),
        };
        let desk: Arc<dyn AgentInvoker> = Arc::new(self.engine.clone());
        let agents = || Arc::clone(&self.agents);
        let ports = Ports {
            agents: agents(),
            tools: self.tools().clone(),
            servers: self.tools().mcp().clone(),
            desk: Arc::clone(&desk),
            handoffs: Arc::new(self.engine.clone()),
            clock: Arc::new(SystemClock),
            ids: Arc::new(TimeOrderedIds),
        };
        let shelf = self.locals.clone();
        let managed = ManagePorts { agents: agents(), shelf, providers: Some(self.models().clone()) };
        Ok(McpPorts {
            own: OwnServer::endpoint(agents(), Arc::clone(&desk), own, &common),
            manage: Some(ManageServer::endpoint(managed, &common)),
            exported: Arc::new(ExportedEndpoints::new(agents(), desk, common.clone())),
            environments: Arc::new(Environments::new(ports, common)),
        })
    }
}

fn sessions(data: &Path) -> Result<Arc<dyn McpSessionStore>, CliError> {
    let directory = data.join(SESSION_FOLDER);
    let files = SessionFiles::open(&directory, SessionFiles::MOST).map_err(|error| {
        let message = format!("the sessions in {} cannot be stored: {error}", directory.display());
        CliError::new(ErrorCode::JOURNAL_UNAVAILABLE, message)
    })?;
    Ok(Arc::new(files))
}
