//! Effects of definitions that only the owner of a Baton may add: programs of its machine, and its variables and files.

use crate::{Definition, ManageError, definition::read, wrong};
use baton_ports::AgentFiles;
use baton_rules::{DefinitionEffects, OwnerEffect, Program, ProgramStart, check_owner_effects};
use baton_types::ErrorCode;

/// Who wants a definition to be different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Whoever runs this Baton: everything.
    Owner,
    /// Somebody who may change agents, and has no other right on the machine.
    Administrator,
}

/// Refuses files with effects that only the owner may add. They are judged by what they resolve to, so it makes no
/// difference how a file spells them.
pub(crate) fn check(who: Who, before: Option<&Definition>, after: &AgentFiles) -> Result<(), ManageError> {
    if who == Who::Owner {
        return Ok(());
    }
    let before = before.map(|before| DefinitionEffects::from_definition(&before.agent, &before.kit));
    let (agent, kit, _) = read(after)?;
    let after = DefinitionEffects::from_definition(&agent, &kit);
    check_owner_effects(before.as_ref(), &after).map_err(|effect| refused(&effect))
}

/// Refuses a server that is off and would start a program when it is on.
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
        "{effect}: only the owner of this Baton may have that, on its machine or with its own token; leave it out"
    );
    wrong(ErrorCode::SCOPE_MISSING, detail)
}
