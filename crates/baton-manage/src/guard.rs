//! Effects of definitions that only the owner may add: local programs, environment variables and files.

use crate::{Definition, ManageError, definition::read, wrong};
use baton_ports::AgentFiles;
use baton_rules::{DefinitionEffects, OwnerEffect, Program, ProgramStart, check_owner_effects};
use baton_types::ErrorCode;

/// Role of the caller that changes a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Owner of the server, without restrictions.
    Owner,
    /// Caller that may change agents but has no other rights on the machine.
    Administrator,
}

/// Rejects files with effects that only the owner may add. The resolved effects are checked, so their spelling does not
/// matter.
pub(crate) fn check(who: Who, before: Option<&Definition>, after: &AgentFiles) -> Result<(), ManageError> {
    if who == Who::Owner {
        return Ok(());
    }
    let before = before.map(|before| DefinitionEffects::from_definition(&before.agent, &before.kit));
    let (agent, kit, _) = read(after)?;
    let after = DefinitionEffects::from_definition(&agent, &kit);
    check_owner_effects(before.as_ref(), &after).map_err(|effect| refused(&effect))
}

/// Rejects a disabled server that would start a program when enabled.
pub(crate) fn check_server_start(definition: &Definition, server: &str) -> Result<(), ManageError> {
    let DefinitionEffects { programs, .. } = DefinitionEffects::from_definition(&definition.agent, &definition.kit);
    let is_it = |start: &ProgramStart| match &start.program {
        Program::Server(program) => program.name == server && !start.is_enabled,
        Program::Tool { .. } | Program::Guardrail { .. } => false,
    };
    match programs.into_iter().find(is_it) {
        Some(ProgramStart { place, .. }) => Err(refused(&OwnerEffect::Program(place))),
        None => Ok(()),
    }
}

fn refused(effect: &OwnerEffect) -> ManageError {
    let detail = format!(
        "{effect}: only the owner of this server may add that, on its machine or with the owner token; leave it out"
    );
    wrong(ErrorCode::SCOPE_MISSING, detail)
}
