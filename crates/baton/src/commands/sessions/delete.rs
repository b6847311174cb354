//! `baton sessions delete SESSION`.

use super::Which;
use crate::{
    connect::failure,
    failure::{Exit, Failure},
    screen::{Screen, one_line},
};
use clap::Args;
use serde_json::json;

/// What `baton sessions delete` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions delete 0199...
  baton sessions delete 0199... --force              cancel what has not ended first

Its messages, tasks and everything that was said about it are forgotten, all at once. Spans of its
runs stay until their own retention.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// Cancel work that has not ended, instead of refusing
    #[arg(long)]
    force: bool,
}

/// Deletes it.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, force } = options;
    let session = which.reach().await?;
    let deleted = session.client.delete_session(which.name(), force).await;
    session.close().await;
    let deleted = deleted.map_err(failure)?;
    if screen.is_json() {
        screen.print(&json!(deleted).to_string());
        return Ok(Exit::Ok);
    }
    let tasks = if deleted.tasks == 1 { "1 task".to_owned() } else { format!("{} tasks", deleted.tasks) };
    let canceled = match deleted.canceled {
        0 => String::new(),
        canceled => format!(", {canceled} canceled first"),
    };
    let (name, agent) = (one_line(&deleted.context_id, 256), one_line(&deleted.agent, 64));
    screen.say(&format!("deleted {name} with {agent}: {tasks}{canceled}"));
    Ok(Exit::Ok)
}
