//! `baton token`: tokens for servers with authentication.

mod create;
mod list;
mod revoke;

use crate::{
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::TokenEntry;
use baton_types::Timestamp;
use clap::{Args, Subcommand};
use std::time::Duration;

/// Expiry times within this period are shown to the minute, others to the day.
const NEAR_EXPIRY_PERIOD: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// Options of `baton token`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  TOKEN=$(baton token create ci)                   create a token; it is shown only once
  baton token create ana --scope call:weather --expires 30d
  baton token list                                 list all tokens and their state
  baton token revoke 4f1d2a90c3                    revoke a token

Servers started with `baton up --auth` require a token. If a server runs for the data directory, the
command uses it. Otherwise it opens the data directory, so you can create tokens before the first
start.")]
pub(crate) struct TokenOptions {
    #[command(subcommand)]
    command: TokenCommand,
}

/// Subcommands of `baton token`.
#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Create a token and print it
    Create(create::TokenCreateOptions),
    /// List tokens, without their secrets
    List(list::TokenListOptions),
    /// Revoke a token
    Revoke(revoke::TokenRevokeOptions),
}

/// Runs the subcommand.
pub(crate) async fn run(options: TokenOptions, screen: Screen) -> Result<Exit, CliError> {
    match options.command {
        TokenCommand::Create(options) => create::run(options, screen).await,
        TokenCommand::List(options) => list::run(options, screen).await,
        TokenCommand::Revoke(options) => revoke::run(options, screen).await,
    }
}

/// State of a token.
fn state(token: &TokenEntry, now: Timestamp) -> &'static str {
    match (token.revoked_at, token.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(at)) if at <= now => "expired",
        _ => "valid",
    }
}

/// Expiry of a token: the day, with hour and minute if it is near.
fn format_expiry(at: Option<Timestamp>, now: Timestamp) -> String {
    let Some(at) = at else { return "never".to_owned() };
    let text = at.to_string();
    let (day, time) = text.split_once('T').unwrap_or((&text, ""));
    let soon = now.until(at).max(at.until(now)) < NEAR_EXPIRY_PERIOD;
    match time.get(..5) {
        Some(minute) if soon => format!("{day} {minute} UTC"),
        _ => day.to_owned(),
    }
}
