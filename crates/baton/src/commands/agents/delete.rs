//! `baton agents delete`: deletes a local agent and its definition.

use super::removal;
use crate::{
    commands::connection_options::ConnectionOptions,
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::AgentDetails;
use clap::Args;

/// Options of `baton agents delete`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents delete bob          show what would be deleted
  baton agents delete bob --yes    delete it

Deletes the definition, including its directory on disk. The history of the agent is kept. To remove
a remote agent, use `baton agents remove`.")]
pub(super) struct AgentDeleteOptions {
    /// Name of the agent
    name: String,
    /// Delete without confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Deletes the agent.
pub(super) async fn run(options: AgentDeleteOptions, screen: Screen) -> Result<Exit, CliError> {
    let AgentDeleteOptions { name, yes, connection } = options;
    let objection = |agent: Result<AgentDetails, CliError>| {
        let Some(definition) = agent?.definition else {
            let message = format!("the definition of '{name}' is not stored here");
            return Err(CliError::new(error_codes::AGENT_NOT_CHANGED, message)
                .hint("Remove a remote agent with `baton agents remove`."));
        };
        if !yes {
            let message = format!("'{name}' would be deleted: it is {}", definition.location.note);
            return Err(CliError::new(error_codes::USAGE, message).hint("Confirm with --yes. This cannot be undone."));
        }
        Ok(())
    };
    removal::run(&connection, &name, "deleted", objection, screen).await
}
