//! `baton agents remove`: removes a remote agent.

use super::removal;
use crate::{
    commands::connection_options::ConnectionOptions,
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::AgentDetails;
use clap::Args;

/// Options of `baton agents remove`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents remove weather

Completed tasks are kept. Tasks that wait for the agent fail. To remove an agent that is configured
under peers in baton.yaml, edit that file.")]
pub(super) struct AgentRemoveOptions {
    /// Local name of the agent
    name: String,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Removes the agent.
pub(super) async fn run(options: AgentRemoveOptions, screen: Screen) -> Result<Exit, CliError> {
    let AgentRemoveOptions { name, connection } = options;
    let objection = |agent: Result<AgentDetails, CliError>| {
        // Guards against deleting the definition of a local agent by mistake.
        if agent.is_ok_and(|agent| agent.remote.is_none()) {
            return Err(CliError::new(error_codes::AGENT_NOT_CHANGED, format!("'{name}' is a local agent"))
                .hint("Delete it and its definition with `baton agents delete`."));
        }
        Ok(())
    };
    removal::run(&connection, &name, "removed", objection, screen).await
}
