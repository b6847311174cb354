//! `baton agents add URL`: an agent that lives elsewhere becomes one of these.

use super::details;
use crate::{
    commands::place::{self, Place},
    config::secret_below,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::ErrorCode;
use baton_wire::api::AddAgent;
use clap::Args;
use serde_json::json;
use std::env;

/// What `baton agents add` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents add https://weather.example.com
  baton agents add http://127.0.0.1:8701/agents/weather/ --name weather
  baton agents add https://weather.example.com --bearer env://WEATHER_TOKEN
  baton run weather \"Will it rain?\"           ask it like any agent here

The address is that of the card, or the one below which /.well-known/agent-card.json is. Tasks of
the agent are ordinary tasks here: they survive a crash on either side. Agents of this Baton may
hand work to it when their agent.yaml names it under handoffs. What needs more than a bearer token
(an API key, OAuth2, a client certificate, a trusted signer) stands under peers in baton.yaml.")]
pub(super) struct Options {
    /// Where its card is, or below what address
    url: String,
    /// What to call it here [default: the name in its card]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Name it in the catalog of this Baton, /.well-known/ai-catalog.json
    #[arg(long)]
    listed: bool,
    /// Where the bearer token for it is: env://NAME or file://PATH, as the server sees it
    #[arg(long, value_name = "REF")]
    bearer: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// Adds it, and shows how it will be spoken to.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { url, name, listed, bearer: written, place } = options;
    let here = env::current_dir()
        .map_err(|error| Failure::new(ErrorCode::USAGE, format!("the current directory is not there: {error}")))?;
    // The server may have been started elsewhere.
    let bearer = place::bearer(written.as_deref())?.map(|bearer| secret_below(&bearer, &here).to_string());
    let shows_none = bearer.is_none();
    let session = place.manage().await?;
    let added = session.client.add_agent(&AddAgent { url, name, listed, bearer }).await;
    session.close().await;
    let added = added.map_err(failure)?;
    if screen.is_json() {
        screen.print(&json!(added).to_string());
        return Ok(Exit::Ok);
    }
    details::print(&added, screen);
    screen.say(&format!("added {}; ask it with: baton run {} \"...\"", added.name, added.name));
    if shows_none && added.remote.is_some_and(|remote| !remote.security.is_empty()) {
        screen.say("  it wants credentials: remove it and add it with --bearer, or name it under peers in baton.yaml");
    }
    Ok(Exit::Ok)
}
