//! `baton sessions delete`.

use super::SessionSelector;
use crate::{
    connect::client_failure,
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use clap::Args;
use serde_json::json;

/// Options of `baton sessions delete`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions delete 0199...
  baton sessions delete 0199... --force              cancel unfinished tasks first

Deletes the messages, tasks and settings of the session at once. The spans of its runs are kept
until their retention ends.")]
pub(super) struct SessionDeleteOptions {
    #[command(flatten)]
    selector: SessionSelector,
    /// Cancel unfinished tasks instead of failing
    #[arg(long)]
    force: bool,
}

/// Deletes the session.
pub(super) async fn run(options: SessionDeleteOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionDeleteOptions { selector, force } = options;
    let session = selector.open_session().await?;
    let deleted = session.client.delete_session(selector.name(), force).await;
    session.close().await;
    let deleted = deleted.map_err(client_failure)?;
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
    screen.print_stderr(&format!("deleted {name} with {agent}: {tasks}{canceled}"));
    Ok(Exit::Ok)
}
