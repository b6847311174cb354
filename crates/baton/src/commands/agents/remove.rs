//! `baton agents remove FILE_NAME`: removes a remote agent.

use super::gone;
use crate::{
    commands::place::Place,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::ErrorCode;
use baton_wire::api::AgentDetails;
use clap::Args;

/// Options of `baton agents remove`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents remove weather

Completed tasks are kept. Tasks that wait for the agent fail. To remove an agent that is configured
under peers in baton.yaml, edit that file.")]
pub(super) struct Options {
    /// Local name of the agent
    name: String,
    #[command(flatten)]
    place: Place,
}

/// Removes the agent.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { name, place } = options;
    let objection = |agent: Result<AgentDetails, Failure>| {
        // Guards against deleting the definition of a local agent by mistake.
        if agent.is_ok_and(|agent| agent.remote.is_none()) {
            return Err(Failure::new(ErrorCode::AGENT_NOT_CHANGED, format!("'{name}' is a local agent"))
                .hint("Delete it and its definition with `baton agents delete`."));
        }
        Ok(())
    };
    gone::run(&place, &name, "removed", objection, screen).await
}
