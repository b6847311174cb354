//! Converts an agent to another format and lists everything that the target format cannot express.
//!
//! The written files are parsed again and every difference between the two agents is reported: nothing is lost
//! silently.

mod diff;
mod items;
mod native;
mod providers;
mod server;
mod teamspark_writer;
mod tree;
mod yaml;

use crate::{Format, ParsedAgent, parse, provider::VARIABLES_FILE, teamspark};
use baton_document::Diagnostic;
use baton_types::{AgentResources, AgentSpec, Json, McpServer, ProviderEntry};
use std::collections::BTreeMap;
use tree::OrderedValue;

/// Placeholder for the agent's directory, in paths that were relative to it and have to stay relative.
pub(crate) const AGENT_DIRECTORY_VARIABLE: &str = "${workspaceFolder}";

/// An agent in its new format.
#[derive(Debug)]
pub struct ConvertedAgent {
    /// The source format.
    pub from: Format,
    /// The written files, by path inside the target directory.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Properties that the target format cannot express, each as a phrase for a list.
    pub lost: Vec<String>,
}

/// Reason why an agent was not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The files do not make a valid agent.
    #[error("the agent cannot be read")]
    Invalid(Vec<Diagnostic>),
    /// The agent already has the requested format.
    #[error("the agent is already in the format {}", .0.as_str())]
    Same(Format),
    /// The written files do not make a valid agent: the source contains a case that the converter does not support.
    #[error("the agent cannot be written in the format {}", .0.as_str())]
    Unwritable(Format, Vec<Diagnostic>),
}

/// An MCP server as an entry of `mcp.json`. Secrets are included as written.
pub fn server_entry(server: &McpServer) -> Json {
    Json::from(OrderedValue::from(server::native_entry(server)).to_value())
}

/// A provider as an entry of `providers`. Secrets are included as written.
pub fn provider_entry(provider: &ProviderEntry) -> Json {
    Json::from(OrderedValue::from(providers::one(provider)).to_value())
}

/// The agent to convert.
struct ConversionSource<'a> {
    format: Format,
    agent: &'a AgentSpec,
    resources: &'a AgentResources,
    files: &'a BTreeMap<String, Vec<u8>>,
    /// Values of the agent's definition file, if it has one of TeamSpark's formats.
    tree: Option<OrderedValue>,
}

/// Writes an agent in another format.
pub fn convert(files: &BTreeMap<String, Vec<u8>>, to: Format) -> Result<ConvertedAgent, ConvertError> {
    let before = parse(files, AGENT_DIRECTORY_VARIABLE);
    let (Some(agent), Some((from, file))) = (&before.agent, Format::detect_file(files)) else {
        return Err(ConvertError::Invalid(before.diagnostics));
    };
    if from == to {
        return Err(ConvertError::Same(to));
    }
    let bytes = files.get(file).map_or(&[][..], Vec::as_slice);
    let tree = if from.is_foreign() {
        teamspark::tree(file, bytes).ok().map(|node| OrderedValue::from_node(&node))
    } else {
        None
    };
    let source = ConversionSource { format: from, agent, resources: &before.resources, files, tree };
    let mut written = match to {
        Format::Native => native::write(&source),
        Format::Tspark | Format::TsagentJson | Format::Tsagent => teamspark_writer::write(&source, to),
    };
    if let Some(variables) = files.get(VARIABLES_FILE) {
        written.insert(VARIABLES_FILE.to_owned(), variables.clone());
    }
    let after = parse(&written, AGENT_DIRECTORY_VARIABLE);
    let ParsedAgent { agent: Some(new), resources, .. } = &after else {
        return Err(ConvertError::Unwritable(to, after.diagnostics));
    };
    let mut lost = diff::differences(&source, to, new, resources);
    if to == Format::Native {
        lost.extend(diff::unknown_keys(source.tree.as_ref()));
    }
    Ok(ConvertedAgent { from, files: written, lost })
}
