//! `/api/v1/agents/{agent}/servers`: MCP servers of an agent, without secrets.

use super::part::DefinitionCollection;
use baton_api::AgentServerList;
use baton_manage::{Definition, ManageError, server_change, servers, shown_entry};
use baton_types::{AgentChange, Json};
use serde::Serialize;
use serde_json::{Map, Value};

pub(super) struct Servers;

impl DefinitionCollection for Servers {
    const PATH: &'static str = "servers";
    const PARAMETER: &'static str = "server";
    const NOUN: &'static str = "server";
    const ID: &'static str = "AgentServer";
    const PUT_NOTE: &'static str = "Replaces the entry. A value sent in its redacted form keeps the stored value.";
    type Body = Json;
    type List = AgentServerList;
    type Entry = Map<String, Value>;

    fn all(of: &Definition) -> Self::List {
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
