//! `baton agents delete NAME`: an agent that lives here is gone, and its definition with it.

use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::ErrorCode;
use clap::Args;
use serde_json::json;

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
    let session = place.manage().await?;
    let done = async {
        let agent = session.client.agent(&name).await.map_err(failure)?;
        let Some(definition) = &agent.definition else {
            let message = format!("the definition of '{name}' is not kept here");
            return Err(Failure::new(ErrorCode::AGENT_NOT_CHANGED, message)
                .hint("Forget one that lives elsewhere with `baton agents remove`."));
        };
        if !yes {
            let message = format!("'{name}' would be deleted: it is {}", definition.kept.note);
            return Err(Failure::new(ErrorCode::USAGE, message).hint("Say so with --yes; it cannot be had back."));
        }
        session.client.remove_agent(&name).await.map_err(failure)
    };
    let done = done.await;
    session.close().await;
    let deleted = done?;
    match screen.is_json() {
        true => screen.print(&json!(deleted).to_string()),
        false => screen.say(&format!("deleted {}", deleted.name)),
    }
    Ok(Exit::Ok)
}
