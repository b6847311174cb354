//! Effects that only the owner of a Baton may add to a definition.

use super::{DefinitionEffects, ProgramStart, ValueSource, ValueUse};

/// A new effect that needs the owner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnerEffect {
    /// A program would be started that the definition did not start before.
    #[error("{0} starts a program")]
    Program(String),
    /// A variable would be read that was not read there before, or sent elsewhere.
    #[error("{0} reads a variable for somebody who did not get it before")]
    Variable(String),
    /// A file of the machine would be read that was not read there before, or sent elsewhere.
    #[error("{0} reads a file of this machine for somebody who did not get it before")]
    MachineFile(String),
    /// A value that the definition keeps would be sent elsewhere.
    #[error("{0} would go to an address that it was not given for; remove it first, and give a value anew")]
    MovedValue(String),
}

/// Refuses effects that are not those of the definition before, unless anybody who manages agents may have them.
///
/// A literal is refused only where it was before: whoever writes it anew knows it.
pub fn check_owner_effects(before: Option<&DefinitionEffects>, after: &DefinitionEffects) -> Result<(), OwnerEffect> {
    let nothing = DefinitionEffects::default();
    let before = before.unwrap_or(&nothing);
    let DefinitionEffects { programs, values, addresses: _ } = after;
    let is_known = |program: &&ProgramStart| before.programs.iter().any(|old| old.covers(program));
    if let Some(new) = programs.iter().find(|program| !is_known(program)) {
        return Err(OwnerEffect::Program(new.place.clone()));
    }
    for value in values.iter().filter(|value| !before.values.contains(value)) {
        let place = value.place.clone();
        match value.source {
            ValueSource::Variable => return Err(OwnerEffect::Variable(place)),
            ValueSource::MachineFile => return Err(OwnerEffect::MachineFile(place)),
            ValueSource::Literal if before.values.iter().any(|old| old.is_same_value(value)) => {
                return Err(OwnerEffect::MovedValue(place));
            }
            ValueSource::Literal => {}
        }
    }
    Ok(())
}

impl ProgramStart {
    /// Whether whoever had this one started may have the other one started: the same program, or one that is now off.
    fn covers(&self, other: &Self) -> bool {
        let Self { place: _, program, is_enabled } = self;
        *program == other.program && (*is_enabled || !other.is_enabled)
    }
}

impl ValueUse {
    fn is_same_value(&self, other: &Self) -> bool {
        self.place == other.place && self.value == other.value
    }
}
