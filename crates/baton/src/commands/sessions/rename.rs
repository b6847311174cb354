//! `baton sessions rename`.

use super::{SessionSelector, print_settings};
use crate::{
    connect::client_failure,
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use baton_api::ChangeSession;
use clap::Args;

/// Options of `baton sessions rename`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions rename 0199... \"Trip to Lisbon\"
  baton sessions rename 0199... \"\"                  remove the title")]
pub(super) struct SessionRenameOptions {
    #[command(flatten)]
    selector: SessionSelector,
    /// New title
    title: String,
}

/// Renames the session.
pub(super) async fn run(options: SessionRenameOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionRenameOptions { selector, title } = options;
    let session = selector.open_session().await?;
    let change = ChangeSession { title: Some(title), ..ChangeSession::default() };
    let changed = session.client.change_session(selector.name(), &change).await;
    session.close().await;
    let changed = changed.map_err(client_failure)?;
    match (screen.is_json(), &changed.title) {
        (true, _) => print_settings(&changed, screen),
        (false, Some(title)) => {
            screen.print_stderr(&format!("renamed {} to “{}”", selector.session, one_line(title, 256)));
        }
        (false, None) => screen.print_stderr(&format!("removed the title of {}", selector.session)),
    }
    Ok(Exit::Ok)
}
