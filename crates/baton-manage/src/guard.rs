//! What only the owner of a Baton may have agents do: start programs of its machine, and read its variables and files.

use crate::{Definition, ManageError, definition::read, wrong};
use baton_agentdir::PLAYBOOK_FILE;
use baton_ports::AgentFiles;
use baton_types::{AgentKit, AgentSpec, ErrorCode, McpTransport, ToolRunner};
use std::collections::BTreeSet;

/// Who wants a definition to be different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Whoever runs this Baton: everything.
    Owner,
    /// Somebody who may change agents, and has no other right on the machine.
    Administrator,
}

/// Words by which a definition has a value read from where Baton runs.
const REFERENCES: [&str; 9] =
    ["${", "env://", "file://", "op://", "envFile", "env_file", "env_var", "env_http_headers", "AWS_PROFILE"];

/// What a definition said before.
pub(crate) struct Said<'a> {
    agent: &'a AgentSpec,
    kit: &'a AgentKit,
    files: &'a AgentFiles,
}

impl<'a> Said<'a> {
    pub(crate) fn of(definition: &'a Definition) -> Self {
        Self { agent: &definition.agent, kit: &definition.kit, files: &definition.files }
    }
}

/// Refuses files that newly have Baton start a program or read a variable, unless its owner wants that.
pub(crate) fn check(who: Who, before: Option<&Said<'_>>, after: &AgentFiles) -> Result<(), ManageError> {
    if who == Who::Owner {
        return Ok(());
    }
    let (agent, kit, _) = read(after)?;
    let was_there = |server| before.is_some_and(|before| before.kit.servers.contains(server));
    for server in kit.servers.iter().filter(|server| !was_there(server)) {
        if matches!(server.transport, McpTransport::Stdio { .. }) {
            return Err(refused(&format!("the server '{}' starts a program", server.name)));
        }
    }
    let was_offered = |tool| before.is_some_and(|before| before.agent.tools.contains(tool));
    for tool in agent.tools.iter().filter(|tool| !was_offered(tool)) {
        if matches!(tool.runner, ToolRunner::Command(_)) {
            return Err(refused(&format!("the tool '{}' starts a program", tool.name)));
        }
    }
    for (path, bytes) in after.iter().filter(|(path, _)| is_read_for_references(path)) {
        let old = before.and_then(|before| before.files.get(path)).map(|bytes| String::from_utf8_lossy(bytes));
        let known: BTreeSet<&str> = old.as_deref().unwrap_or_default().lines().map(str::trim).collect();
        let new = String::from_utf8_lossy(bytes);
        let mut lines = new.lines().map(str::trim).filter(|line| !known.contains(line));
        if lines.any(|line| REFERENCES.iter().any(|word| line.contains(word))) {
            return Err(refused(&format!("{path} refers to variables or files of the machine")));
        }
    }
    Ok(())
}

/// Texts for models and the playbook read nothing.
fn is_read_for_references(path: &str) -> bool {
    let is_text = [".md", ".mdt", ".txt"].iter().any(|ending| path.ends_with(ending));
    !is_text && path != PLAYBOOK_FILE
}

fn refused(what: &str) -> ManageError {
    let detail =
        format!("{what}: that may be wished by the owner of this Baton only, on its machine or with its own token");
    wrong(ErrorCode::SCOPE_MISSING, detail)
}
