//! `/api/v1/agents/{agent}/servers`: MCP servers of an agent, without secrets.

use super::part::DefinitionCollection;
use baton_api::AgentServerList;
use baton_manage::{Definition, ManageError, server_change, servers, shown_entry};
use baton_types::{AgentChange, Json};
use serde::Serialize;

pub(super) struct Servers;

impl DefinitionCollection for Servers {
    const PATH: &'static str = "servers";
    const NOUN: &'static str = "server";
    type Body = Json;

    fn all(of: &Definition) -> impl Serialize {
        AgentServerList { servers: servers(of), digest: of.digest.to_string() }
    }

    fn one(of: &Definition, name: &str) -> Option<impl Serialize> {
        of.resources.servers.iter().find(|server| server.name == name).map(shown_entry)
    }

    /// Replaces the entry. A value sent in its redacted form keeps the stored value.
    fn put(now: &Definition, name: &str, body: &Json) -> Result<AgentChange, ManageError> {
        server_change(Some(now), name, body)
    }

    fn removal(name: String) -> AgentChange {
        AgentChange::Server { name, entry: None }
    }
}
