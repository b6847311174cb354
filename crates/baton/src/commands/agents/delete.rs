//! `baton agents delete NAME`: an agent that lives here is gone, and its definition with it.

use super::gone;
use crate::{
    commands::place::Place,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::ErrorCode;
use baton_wire::api::AgentDetails;
use clap::Args;

/// What `baton agents delete` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents delete bob          say what would be deleted
  baton agents delete bob --yes    delete it

The definition is gone, on disk too, with everything in its directory. What the agent has done stays
on record. One that lives elsewhere is forgotten with `baton agents remove`.")]
pub(super) struct Options {
    /// What it is called
    name: String,
    /// Delete it without asking
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    place: Place,
}

/// Deletes it.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { name, yes, place } = options;
    let objection = |agent: Result<AgentDetails, Failure>| {
        let Some(definition) = agent?.definition else {
            let message = format!("the definition of '{name}' is not kept here");
            return Err(Failure::new(ErrorCode::AGENT_NOT_CHANGED, message)
                .hint("Forget one that lives elsewhere with `baton agents remove`."));
        };
        if !yes {
            let message = format!("'{name}' would be deleted: it is {}", definition.kept.note);
            return Err(Failure::new(ErrorCode::USAGE, message).hint("Say so with --yes; it cannot be had back."));
        }
        Ok(())
    };
    gone::run(&place, &name, "deleted", objection, screen).await
}
