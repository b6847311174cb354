//! `baton agents remove NAME`: an agent that lives elsewhere is forgotten here.

use super::gone;
use crate::{
    commands::place::Place,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::ErrorCode;
use baton_wire::api::AgentDetails;
use clap::Args;

/// What `baton agents remove` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents remove weather

Tasks that it completed stay; those that wait for it fail. An agent that stands under peers in
baton.yaml is removed there.")]
pub(super) struct Options {
    /// What it is called here
    name: String,
    #[command(flatten)]
    place: Place,
}

/// Forgets it.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { name, place } = options;
    let objection = |agent: Result<AgentDetails, Failure>| {
        // The definition of one that lives here is not forgotten by mistake.
        if agent.is_ok_and(|agent| agent.remote.is_none()) {
            return Err(Failure::new(ErrorCode::AGENT_NOT_CHANGED, format!("'{name}' lives here"))
                .hint("Delete it with its definition by `baton agents delete`."));
        }
        Ok(())
    };
    gone::run(&place, &name, "removed", objection, screen).await
}
