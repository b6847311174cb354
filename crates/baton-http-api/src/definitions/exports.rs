//! `/api/v1/agents/{agent}/exports`: tasks that an agent exports as MCP tools.

use super::part::DefinitionCollection;
use baton_api::{AgentExport, AgentExportList};
use baton_manage::{Definition, ManageError, export, export_change};
use baton_types::AgentChange;
use serde::Serialize;

pub(super) struct Exports;

impl DefinitionCollection for Exports {
    const PATH: &'static str = "exports";
    const PARAMETER: &'static str = "export";
    const NOUN: &'static str = "exported tool";
    const ID: &'static str = "AgentExport";
    const PUT_NOTE: &'static str = "Absent members keep their values.";
    type Body = AgentExport;
    type List = AgentExportList;
    type Entry = AgentExport;

    fn all(of: &Definition) -> Self::List {
        AgentExportList { exports: of.resources.exports.iter().map(export).collect(), digest: of.digest.to_string() }
    }

    fn one(of: &Definition, name: &str) -> Option<impl Serialize> {
        of.resources.exports.iter().find(|tool| tool.name == name).map(export)
    }

    /// Absent members keep their values.
    fn put(now: &Definition, name: &str, body: &AgentExport) -> Result<AgentChange, ManageError> {
        Ok(export_change(Some(now), &AgentExport { name: name.to_owned(), ..body.clone() }))
    }

    fn removal(name: String) -> AgentChange {
        AgentChange::Export { name, entry: None }
    }
}
