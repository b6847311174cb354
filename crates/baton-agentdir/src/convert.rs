//! The same agent in another form, and what of it that form cannot say.
//!
//! The new files are read again, and everything in which the two agents differ is told: nothing is lost in silence.

mod items;
mod lost;
mod native;
mod providers;
mod server;
mod theirs;
mod tree;
mod yaml;

use crate::{Diagnostic, Format, Parsed, foreign, parse, provider::VARIABLES_FILE};
use baton_types::{AgentKit, AgentSpec, Json, McpServer, ProviderEntry};
use std::collections::BTreeMap;
use tree::Tree;

/// Stands for the agent's directory, in paths that were relative to it and are to stay so.
pub(crate) const HERE: &str = "${workspaceFolder}";

/// An agent in its new form.
#[derive(Debug)]
pub struct Converted {
    /// The form that it had.
    pub from: Format,
    /// The new files, by their paths inside the new place.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What the new form cannot say, each as a phrase for a list.
    pub lost: Vec<String>,
}

/// Why an agent was not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The files make no agent.
    #[error("the agent cannot be read")]
    Invalid(Vec<Diagnostic>),
    /// It has the form that was asked for.
    #[error("the agent has the form {} already", .0.as_str())]
    Same(Format),
    /// The new files do not make an agent; something in the old ones is of a kind that nobody thought of.
    #[error("the agent cannot be written in the form {}", .0.as_str())]
    Unwritable(Format, Vec<Diagnostic>),
}

/// An MCP server as an entry of `mcp.json` says it; secrets are in it as they are written.
pub fn server_entry(server: &McpServer) -> Json {
    Json::from(Tree::from(server::ours(server)).to_value())
}

/// A provider as an entry of `providers` says it; secrets are in it as they are written.
pub fn provider_entry(provider: &ProviderEntry) -> Json {
    Json::from(Tree::from(providers::one(provider)).to_value())
}

/// What is written.
struct Source<'a> {
    format: Format,
    agent: &'a AgentSpec,
    kit: &'a AgentKit,
    files: &'a BTreeMap<String, Vec<u8>>,
    /// The values of the agent's own file, when it is one of TeamSpark's.
    tree: Option<Tree>,
}

/// Writes an agent in another form.
pub fn convert(files: &BTreeMap<String, Vec<u8>>, to: Format) -> Result<Converted, ConvertError> {
    let before = parse(files, HERE);
    let (Some(agent), Some((from, file))) = (&before.agent, Format::found(files)) else {
        return Err(ConvertError::Invalid(before.diagnostics));
    };
    if from == to {
        return Err(ConvertError::Same(to));
    }
    let bytes = files.get(file).map_or(&[][..], Vec::as_slice);
    let tree = if from.is_foreign() { foreign::tree(file, bytes).ok().map(|node| Tree::of(&node)) } else { None };
    let source = Source { format: from, agent, kit: &before.kit, files, tree };
    let mut written = match to {
        Format::Native => native::write(&source),
        Format::Tspark | Format::TsagentJson | Format::Tsagent => theirs::write(&source, to),
    };
    if let Some(variables) = files.get(VARIABLES_FILE) {
        written.insert(VARIABLES_FILE.to_owned(), variables.clone());
    }
    let after = parse(&written, HERE);
    let Parsed { agent: Some(new), kit, .. } = &after else {
        return Err(ConvertError::Unwritable(to, after.diagnostics));
    };
    let mut lost = lost::differences(&source, to, new, kit);
    if to == Format::Native {
        lost.extend(lost::extras(source.tree.as_ref()));
    }
    Ok(Converted { from, files: written, lost })
}
