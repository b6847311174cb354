//! `baton token revoke`: revokes a token.

use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    failure::{CliError, Exit},
    screen::Screen,
};
use clap::Args;
use serde_json::json;

/// Options of `baton token revoke`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton token list                   ids are in the first column
  baton token revoke 4f1d2a90c3      requests with this token are rejected from now on

Tasks that were started with the token continue. Another token with the same subject can access
them.")]
pub(super) struct TokenRevokeOptions {
    /// Id of the token; a complete token is also accepted
    id: String,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Extracts the id from a complete token, which must never be printed.
fn token_id(written: &str) -> &str {
    written.strip_prefix("btn_").and_then(|rest| rest.split('_').next()).unwrap_or(written)
}

/// Revokes the token; idempotent.
pub(super) async fn run(options: TokenRevokeOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let revoked = session.client.revoke_token(token_id(&options.id)).await;
    session.close().await;
    let revoked = revoked.map_err(client_failure)?;
    match screen.is_json() {
        true => screen.print(&json!(revoked).to_string()),
        false => screen.print_stderr(&format!("token {} ({}) is revoked", revoked.id, revoked.name)),
    }
    Ok(Exit::Ok)
}
