//! An agent as it is kept.

use crate::{ManageError, wrong};
use baton_agentdir::{Diagnostic, Format, parse_anywhere};
use baton_ports::{AgentFiles, AgentPlace, KeptAgent};
use baton_types::{AgentKit, AgentName, AgentSpec, Digest, ErrorCode};

/// The files of an agent and what they say, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name under which it is served.
    pub name: AgentName,
    /// What the files say.
    pub agent: AgentSpec,
    /// What it has beside that; secrets are in it as they are written.
    pub kit: AgentKit,
    /// The form in which it is written.
    pub form: Format,
    /// Of all files.
    pub digest: Digest,
    /// Where the files are.
    pub place: AgentPlace,
    pub(crate) files: AgentFiles,
}

impl Definition {
    pub(crate) fn of(kept: KeptAgent) -> Result<Self, ManageError> {
        let KeptAgent { name, files, digest, place } = kept;
        let (agent, kit, form) = read(&files)?;
        Ok(Self { agent: AgentSpec { name: name.clone(), ..agent }, name, kit, form, digest, place, files })
    }
}

/// What files say, or everything that is wrong with them.
pub(crate) fn read(files: &AgentFiles) -> Result<(AgentSpec, AgentKit, Format), ManageError> {
    let parsed = parse_anywhere(files);
    match (parsed.agent, Format::of(files)) {
        (Some(agent), Some(form)) => Ok((agent, parsed.kit, form)),
        _ => {
            let errors = parsed.diagnostics.iter().filter(|remark| Diagnostic::is_error(remark));
            let lines: Vec<String> = errors.map(ToString::to_string).collect();
            Err(wrong(ErrorCode::AGENT_INVALID, lines.join("\n")))
        }
    }
}
