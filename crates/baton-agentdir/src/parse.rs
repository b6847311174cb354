//! Parses files into an agent and its resources.

use crate::{
    Format, export,
    item::{self, ItemSources, ListedItems},
    mcp, permission, provider,
    raw::RawAgent,
    resolve::{SiblingFiles, resolve},
    teamspark, teamspark_defaults,
};
use baton_document::{Diagnostic, DocumentReader, SourceLocation};
use baton_types::{AgentResources, AgentSpec};
use std::collections::BTreeMap;

/// The definition file of the native format.
pub const AGENT_FILE: &str = "agent.yaml";
/// The system prompt.
pub const PROMPT_FILE: &str = "prompt.md";
/// The rules of the built-in model.
pub const PLAYBOOK_FILE: &str = "playbook.yaml";

/// Result of parsing an agent's files.
#[derive(Debug)]
pub struct ParsedAgent {
    /// The agent; present exactly when no diagnostic is an error.
    pub agent: Option<AgentSpec>,
    /// Resources of the agent beside its definition; empty if there is no agent.
    pub resources: AgentResources,
    /// Errors and warnings, by file and line.
    pub diagnostics: Vec<Diagnostic>,
}

impl ParsedAgent {
    pub(crate) fn failed(diagnostics: Vec<Diagnostic>) -> Self {
        Self { agent: None, resources: AgentResources::default(), diagnostics }
    }

    /// The agent, or all diagnostics if there is none; warnings of a valid agent are dropped.
    pub fn into_result(self) -> Result<AgentSpec, Vec<Diagnostic>> {
        self.agent.ok_or(self.diagnostics)
    }
}

/// As [`parse`], for inspection only: paths stay as written, and tools cannot be run.
pub fn parse_anywhere(files: &BTreeMap<String, Vec<u8>>) -> ParsedAgent {
    parse(files, crate::convert::AGENT_DIRECTORY_VARIABLE)
}

/// Parses an agent from its files (path inside the directory, content); `base_directory` is the working directory of
/// tools.
pub fn parse(files: &BTreeMap<String, Vec<u8>>, base_directory: &str) -> ParsedAgent {
    match Format::detect_file(files) {
        Some((Format::Native, _)) => native(files, base_directory),
        Some((format, file)) => teamspark::parse(format, file, files, base_directory),
        None => {
            let hint =
                match files.keys().find(|path| matches!(path.as_str(), "agent.yml" | "Agent.yaml" | "agent.json")) {
                    Some(other) => format!("rename {other} to {AGENT_FILE}"),
                    None => "create it, or run `baton new NAME` for a directory to start from".to_owned(),
                };
            let missing = Diagnostic::error(AGENT_FILE, SourceLocation::START, "the file is missing").with_hint(hint);
            ParsedAgent::failed(vec![missing])
        }
    }
}

fn native(files: &BTreeMap<String, Vec<u8>>, base_directory: &str) -> ParsedAgent {
    let mut reader = DocumentReader::new(AGENT_FILE);
    let raw = match baton_document::read(AGENT_FILE, files.get(AGENT_FILE).map_or(&[], Vec::as_slice)) {
        Ok(node) => RawAgent::read(&mut reader, node),
        Err(diagnostic) => {
            reader.push(diagnostic);
            None
        }
    };
    let prompt = companion(files, PROMPT_FILE, "write what the agent is and how it should answer into prompt.md");
    let playbook = match files.contains_key(PLAYBOOK_FILE) {
        true => companion(files, PLAYBOOK_FILE, "add a rule, or remove the file").map(Some),
        false => Ok(None),
    };
    let (teamspark, mut remarks) = teamspark_defaults::read(files);
    let mut resources = AgentResources::default();
    let mut named_servers = Vec::new();
    let mut listed = ListedItems::default();
    let agent = raw.and_then(|mut raw| {
        listed = std::mem::take(&mut raw.listed);
        resources.exports = export::resolve_all(&mut reader, std::mem::take(&mut raw.exports), &raw.tools);
        resources.providers = provider::read_all(&mut reader, raw.providers.take());
        resources.servers = mcp::native_servers(&mut reader, raw.mcp_servers.take(), base_directory);
        let companions = SiblingFiles {
            prompt: prompt.as_deref().unwrap_or_default(),
            playbook: playbook.as_ref().ok().and_then(Option::as_deref),
            teamspark,
        };
        named_servers = raw.permissions.iter().filter_map(|rule| rule.server.clone()).collect();
        resolve(&mut reader, raw, &companions, base_directory)
    });
    let (servers, more) =
        mcp::merge_servers(std::mem::take(&mut resources.servers), files, &mcp::MCP_FILES, base_directory);
    permission::check_servers(&mut reader, &named_servers, &servers);
    let (variables, unread) = provider::variables(files);
    let failed = reader.has_errors() || prompt.is_err() || playbook.is_err() || !unread.is_empty();
    let mut diagnostics = reader.finish();
    diagnostics.extend(playbook.err());
    diagnostics.extend(prompt.err());
    diagnostics.extend(unread);
    remarks.extend(more);
    let file = |remark: &Diagnostic| mcp::MCP_FILES.iter().position(|file| *file == remark.file);
    remarks.sort_by_key(|remark| (file(remark), remark.line, remark.column));
    diagnostics.extend(remarks);
    let items = item::gather(AGENT_FILE, listed, files, ItemSources::All);
    diagnostics.extend(items.diagnostics);
    match agent.filter(|_| !failed) {
        Some(mut agent) => {
            agent.knowledge.rules = items.rules;
            agent.knowledge.references = items.references;
            ParsedAgent {
                agent: Some(agent),
                resources: AgentResources { servers, variables, ..resources },
                diagnostics,
            }
        }
        None => ParsedAgent::failed(diagnostics),
    }
}

pub(crate) fn companion(files: &BTreeMap<String, Vec<u8>>, path: &str, hint: &str) -> Result<String, Diagnostic> {
    let Some(bytes) = files.get(path) else {
        return Err(Diagnostic::error(path, SourceLocation::START, "the file is missing").with_hint(hint));
    };
    let text = baton_document::utf8(path, bytes)?;
    if text.trim().is_empty() {
        return Err(Diagnostic::error(path, SourceLocation::START, "the file is empty").with_hint(hint));
    }
    Ok(text.to_owned())
}
