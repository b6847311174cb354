//! Agent directories: diagnostics, resolved agents, the scaffold and the examples.

#![cfg(test)]

mod agent_change_properties;
mod agent_changes;
mod conversion;
mod diagnostics;
mod knowledge;
mod models;
mod never_panics;
mod permission_edits;
mod permissions;
mod resolved;
mod resource_diagnostics;
mod resource_formats;
mod schema;
mod teamspark;

use baton_agentdir::{ParsedAgent, parse};
use std::collections::BTreeMap;

/// Parses an `agent.yaml` next to a valid `prompt.md`.
fn parse_yaml(yaml: &str) -> ParsedAgent {
    parse_files(&[("agent.yaml", yaml.as_bytes()), ("prompt.md", b"You are a test.\n")])
}

fn parse_files(files: &[(&str, &[u8])]) -> ParsedAgent {
    let files: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect();
    parse(&files, "/agents/test")
}

fn shown(parsed: &ParsedAgent) -> String {
    let lines: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    format!("{}\nagent: {}", lines.join("\n"), if parsed.agent.is_some() { "yes" } else { "no" })
}
