//! `baton sessions fork`.

use super::SessionSelector;
use crate::{
    connect::client_failure,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::ForkSession;
use clap::Args;
use serde_json::json;

/// Options of `baton sessions fork`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions fork 0199...                          copy the whole session
  baton sessions fork 0199... --at 0199...:12          copy up to event 12 of that task
  baton run weather \"And in Porto?\" --context $(baton sessions fork 0199...)

Prints the context id of the new session. `baton sessions show` prints tasks and events. A tool call
without a result at that event is not copied. Both sessions continue independently.")]
pub(super) struct SessionForkOptions {
    #[command(flatten)]
    selector: SessionSelector,
    /// Last event or last task to copy [default: everything]
    #[arg(long, value_name = "TASK:EVENT")]
    at: Option<String>,
    /// Context id of the new session [default: generated]
    #[arg(long = "as", value_name = "ID")]
    new: Option<String>,
}

/// Forks the session.
pub(super) async fn run(options: SessionForkOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionForkOptions { selector, at, new } = options;
    let (task_id, event) = match at {
        None => (None, None),
        Some(at) => match at.rsplit_once(':').map(|(task, event)| (task.to_owned(), event.parse().ok())) {
            Some((task, Some(event))) => (Some(task), Some(event)),
            _ => (Some(at), None),
        },
    };
    let session = selector.open_session().await?;
    let fork = ForkSession { task_id, event, context_id: new };
    let forked = session.client.fork_session(selector.name(), &fork).await;
    session.close().await;
    let forked = forked.map_err(client_failure)?;
    match screen.is_json() {
        true => screen.print(&json!(forked).to_string()),
        false => screen.print(&forked.context_id),
    }
    Ok(Exit::Ok)
}
