//! Effects of definitions that only the owner may add: local programs, environment variables and files.

use crate::{Definition, ManageError, definition::read, error_codes, manage_error};
use baton_ports::AgentFiles;
use baton_rules::{DefinitionEffects, OwnerEffect, Program, ProgramStart, check_owner_effects};

/// Role of the caller that changes a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManageRole {
    /// Owner of the server, without restrictions.
    Owner,
    /// Caller that may change agents but has no other rights on the machine.
    Administrator,
}

/// Rejects files with effects that only the owner may add. The resolved effects are checked, so their spelling does not
/// matter.
pub(crate) fn check(role: ManageRole, before: Option<&Definition>, after: &AgentFiles) -> Result<(), ManageError> {
    if role == ManageRole::Owner {
        return Ok(());
    }
    let before = before.map(|before| DefinitionEffects::from_definition(&before.agent, &before.resources));
    let (agent, resources, _) = read(after)?;
    let after = DefinitionEffects::from_definition(&agent, &resources);
    check_owner_effects(before.as_ref(), &after).map_err(|effect| owner_required(&effect))
}

/// Rejects a disabled server that would start a program when enabled.
pub(crate) fn check_server_start(definition: &Definition, server: &str) -> Result<(), ManageError> {
    let DefinitionEffects { programs, .. } =
        DefinitionEffects::from_definition(&definition.agent, &definition.resources);
    let is_it = |start: &ProgramStart| match &start.program {
        Program::Server(program) => program.name == server && !start.is_enabled,
        Program::Tool { .. } | Program::Guardrail { .. } => false,
    };
    match programs.into_iter().find(is_it) {
        Some(ProgramStart { place, .. }) => Err(owner_required(&OwnerEffect::Program(place))),
        None => Ok(()),
    }
}

fn owner_required(effect: &OwnerEffect) -> ManageError {
    let detail = format!(
        "{effect}: only the owner of this server may add that, on its machine or with the owner token; leave it out"
    );
    manage_error(error_codes::SCOPE_MISSING, detail)
}
