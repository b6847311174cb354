//! `baton agents schema`: JSON Schema of `agent.yaml`, for editors.

use crate::{
    failure::{Exit, Failure},
    screen::Screen,
};

/// Prints the schema.
pub(super) fn run(screen: Screen) -> Result<Exit, Failure> {
    screen.print_json(&format!("{:#}", baton_agentdir::schema()));
    Ok(Exit::Ok)
}
