//! `baton agents schema`: JSON Schema of `agent.yaml`, for editors.

use crate::{
    failure::{CliError, Exit},
    screen::Screen,
};

/// Prints the schema.
pub(super) fn run(screen: Screen) -> Result<Exit, CliError> {
    screen.print_json(&format!("{:#}", baton_agentdir::schema()));
    Ok(Exit::Ok)
}
