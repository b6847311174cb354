//! Stored agent definitions.

use crate::{ManageError, manage_error};
use baton_agentdir::{Format, parse_anywhere};
use baton_document::Diagnostic;
use baton_ports::{AgentFiles, AgentLocation, StoredAgent};
use baton_types::{AgentName, AgentResources, AgentSpec, Digest, ErrorCode};

/// The files of an agent and their parsed content at one point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Name under which the agent is served.
    pub name: AgentName,
    /// Parsed agent.
    pub agent: AgentSpec,
    /// Other parsed resources; they contain secrets as written.
    pub resources: AgentResources,
    /// Format of the files.
    pub form: Format,
    /// Digest of all files.
    pub digest: Digest,
    /// Location of the files.
    pub location: AgentLocation,
    pub(crate) files: AgentFiles,
}

impl Definition {
    pub(crate) fn from_stored(stored: StoredAgent) -> Result<Self, ManageError> {
        let StoredAgent { name, files, digest, location, directory: _ } = stored;
        let (agent, resources, form) = read(&files)?;
        Ok(Self { agent: AgentSpec { name: name.clone(), ..agent }, name, resources, form, digest, location, files })
    }
}

/// Parses files; the error lists all problems.
pub(crate) fn read(files: &AgentFiles) -> Result<(AgentSpec, AgentResources, Format), ManageError> {
    let parsed = parse_anywhere(files);
    match (parsed.agent, Format::detect(files)) {
        (Some(agent), Some(form)) => Ok((agent, parsed.resources, form)),
        _ => {
            let errors = parsed.diagnostics.iter().filter(|remark| Diagnostic::is_error(remark));
            let lines: Vec<String> = errors.map(ToString::to_string).collect();
            Err(manage_error(ErrorCode::AGENT_INVALID, lines.join("\n")))
        }
    }
}
