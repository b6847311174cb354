//! `baton sessions fork SESSION --at TASK:EVENT`.

use super::Which;
use crate::{
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_wire::api::ForkSession;
use clap::Args;
use serde_json::json;

/// What `baton sessions fork` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions fork 0199...                          a copy that goes on by itself
  baton sessions fork 0199... --at 0199...:12          what was said until event 12 of that task
  baton run weather \"And in Porto?\" --context $(baton sessions fork 0199...)

Prints the context id of the new session. `baton sessions show` says tasks and events. A call whose
results had not come by then is left out with it; both sessions go on independently.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// The last event that is taken over, or the last task [default: everything]
    #[arg(long, value_name = "TASK:EVENT")]
    at: Option<String>,
    /// The context id of the new one [default: a fresh one]
    #[arg(long = "as", value_name = "ID")]
    new: Option<String>,
}

/// Forks it.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, at, new } = options;
    let (task_id, event) = match at {
        None => (None, None),
        Some(at) => match at.rsplit_once(':').map(|(task, event)| (task.to_owned(), event.parse().ok())) {
            Some((task, Some(event))) => (Some(task), Some(event)),
            _ => (Some(at), None),
        },
    };
    let session = which.reach().await?;
    let fork = ForkSession { task_id, event, context_id: new };
    let forked = session.client.fork_session(which.name(), &fork).await;
    session.close().await;
    let forked = forked.map_err(failure)?;
    match screen.is_json() {
        true => screen.print(&json!(forked).to_string()),
        false => screen.print(&forked.context_id),
    }
    Ok(Exit::Ok)
}
