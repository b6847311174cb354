//! `baton token revoke ID`: a token that opens nothing any more.

use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use clap::Args;
use serde_json::json;

/// What `baton token revoke` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton token list                   the ids are in the first column
  baton token revoke 4f1d2a90c3      requests that show it are refused from now on

Tasks that were started with it go on; another token with the same subject reaches them.")]
pub(super) struct Options {
    /// The id of the token; of a whole token, only its id is read
    id: String,
    #[command(flatten)]
    place: Place,
}

/// The id in a whole token, which must not be repeated anywhere.
fn id_in(written: &str) -> &str {
    written.strip_prefix("btn_").and_then(|rest| rest.split('_').next()).unwrap_or(written)
}

/// Takes it back; doing so again changes nothing.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let session = options.place.manage().await?;
    let revoked = session.client.revoke_token(id_in(&options.id)).await;
    session.close().await;
    let revoked = revoked.map_err(failure)?;
    match screen.is_json() {
        true => screen.print(&json!(revoked).to_string()),
        false => screen.say(&format!("token {} ({}) is revoked", revoked.id, revoked.name)),
    }
    Ok(Exit::Ok)
}
