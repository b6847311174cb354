//! Effects that only the owner of a Baton may add to a definition.

use super::{DefinitionEffects, ProgramStart, ValueSource, ValueUse};

/// A new effect that requires the owner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnerEffect {
    /// Starts a program that the definition did not start before.
    #[error("{0} starts a program")]
    Program(String),
    /// Reads a variable in a new place, or sends it to a new destination.
    #[error("{0} reads a variable that was not sent there before")]
    Variable(String),
    /// Reads a machine file in a new place, or sends it to a new destination.
    #[error("{0} reads a file of this machine that was not sent there before")]
    MachineFile(String),
    /// Sends a retained value to a new destination.
    #[error("{0} would be sent to a new address; remove it first, then set the value again")]
    MovedValue(String),
}

/// Rejects new effects that require the owner.
///
/// A literal is rejected only if the definition already contained it: the author of a new literal knows its value.
pub fn check_owner_effects(before: Option<&DefinitionEffects>, after: &DefinitionEffects) -> Result<(), OwnerEffect> {
    let empty = DefinitionEffects::default();
    let before = before.unwrap_or(&empty);
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
    /// Whether this program start permits the other: the same program, and enabled before or disabled now.
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
