//! The tools of all agents: functions of the program, and tools of MCP servers.

use crate::Error;
use baton_outbound::{AddressPolicy, GuardedClient, Options};
use baton_ports::AgentSource;
use baton_toolhost::{Connectors, HostSettings, HttpTools, McpServers, NativeTools, Toolbox};
use baton_types::ErrorCode;
use std::sync::Arc;

pub(super) fn toolbox(agents: Arc<dyn AgentSource>, native: NativeTools) -> Result<Toolbox, Error> {
    let client = GuardedClient::new(AddressPolicy::public_only(), &Options::default())
        .map_err(|error| Error::new(ErrorCode::TLS_INVALID, error.to_string()))?;
    let servers = McpServers::new(agents, Connectors::default(), HostSettings::default());
    let http = HttpTools::new(client);
    Ok(Toolbox::new(servers).with_http(Arc::new(http)).with_native(Arc::new(native)))
}
