//! `baton agents remove NAME`: an agent that lives elsewhere is forgotten here.

use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use clap::Args;
use serde_json::json;

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
    let session = options.place.manage().await?;
    let removed = session.client.remove_agent(&options.name).await;
    session.close().await;
    let removed = removed.map_err(failure)?;
    match screen.is_json() {
        true => screen.print(&json!(removed).to_string()),
        false => screen.say(&format!("removed {}", removed.name)),
    }
    Ok(Exit::Ok)
}
