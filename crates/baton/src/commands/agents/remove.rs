//! `baton agents remove NAME`: an agent that lives elsewhere is forgotten here.

use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::ErrorCode;
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
    let removed = async {
        // The definition of one that lives here is not forgotten by mistake.
        let here = session.client.agent(&options.name).await.is_ok_and(|agent| agent.remote.is_none());
        if here {
            let message = format!("'{}' lives here", options.name);
            return Err(Failure::new(ErrorCode::AGENT_NOT_CHANGED, message)
                .hint("Delete it with its definition by `baton agents delete`."));
        }
        session.client.remove_agent(&options.name).await.map_err(failure)
    };
    let removed = removed.await;
    session.close().await;
    let removed = removed?;
    match screen.is_json() {
        true => screen.print(&json!(removed).to_string()),
        false => screen.say(&format!("removed {}", removed.name)),
    }
    Ok(Exit::Ok)
}
