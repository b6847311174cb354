//! `baton token list`: lists tokens.

use super::{format_expiry, state};
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    failure::{CliError, Exit},
    screen::{Screen, columns, one_line},
};
use baton_api::{TokenEntry, TokenList};
use baton_server::now;
use baton_types::Timestamp;
use clap::Args;
use serde_json::json;

/// Options of `baton token list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton token list                               id, name, subject, scopes, expiry and state
  baton token list --json | jq '.tokens[].id'    the ids, from JSON output")]
pub(super) struct TokenListOptions {
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Prints all tokens, oldest first, including expired and revoked ones.
pub(super) async fn run(options: TokenListOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let tokens = session.client.tokens().await;
    session.close().await;
    let tokens = tokens.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!(TokenList { tokens }).to_string());
        return Ok(Exit::Ok);
    }
    if tokens.is_empty() {
        screen.print_stderr("no tokens yet; create one with: baton token create NAME");
        return Ok(Exit::Ok);
    }
    let now = now();
    let titles = ["ID", "NAME", "SUBJECT", "SCOPES", "EXPIRES", "STATE"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(titles).chain(tokens.iter().map(|token| row(token, now))).collect();
    for line in columns(&rows) {
        screen.print(&line);
    }
    Ok(Exit::Ok)
}

fn row(token: &TokenEntry, now: Timestamp) -> [String; 6] {
    let subject = match token.tenant.as_str() {
        "local" => token.subject.clone(),
        tenant => format!("{} of {tenant}", token.subject),
    };
    [
        token.id.clone(),
        one_line(&token.name, 40),
        one_line(&subject, 60),
        token.scopes.join(","),
        format_expiry(token.expires_at, now),
        state(token, now).to_owned(),
    ]
}
