//! `baton token`: who may use a Baton with authentication.

mod create;
mod list;
mod revoke;

use crate::{
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::Timestamp;
use baton_wire::api::TokenEntry;
use clap::{Args, Subcommand};
use std::time::Duration;

/// A day alone would say too little about an end that is so near.
const SOON: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// What `baton token` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  TOKEN=$(baton token create ci)                   make one; it is shown this once
  baton token create ana --scope call:weather --expires 30d
  baton token list                                 what was made, and what still works
  baton token revoke 4f1d2a90c3                    from now on it opens nothing

Tokens count where `baton up --auth` serves. The running server of the data directory is used when
there is one; otherwise the data directory itself, so that tokens can be made before the first start.")]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

/// What can be done with tokens.
#[derive(Debug, Subcommand)]
enum Command {
    /// Make a token and print it
    Create(create::Options),
    /// List tokens, without their secrets
    List(list::Options),
    /// Take a token back
    Revoke(revoke::Options),
}

/// Does what is asked with tokens.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    match options.command {
        Command::Create(options) => create::run(options, screen).await,
        Command::List(options) => list::run(options, screen).await,
        Command::Revoke(options) => revoke::run(options, screen).await,
    }
}

/// Whether a token still works.
fn state(token: &TokenEntry, now: Timestamp) -> &'static str {
    match (token.revoked_at, token.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(at)) if at <= now => "expired",
        _ => "valid",
    }
}

/// When a token stops working: the day, and the minute when that is soon.
fn end(at: Option<Timestamp>, now: Timestamp) -> String {
    let Some(at) = at else { return "never".to_owned() };
    let text = at.to_string();
    let (day, time) = text.split_once('T').unwrap_or((&text, ""));
    let soon = now.until(at).max(at.until(now)) < SOON;
    match time.get(..5) {
        Some(minute) if soon => format!("{day} {minute} UTC"),
        _ => day.to_owned(),
    }
}
