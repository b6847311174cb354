//! `baton tools login AGENT SERVER`: log in at an MCP server that wants OAuth.

use super::which::Which;
use crate::{
    failure::{Exit, Failure},
    screen::{Screen, one_line},
    wiring,
};
use clap::Args;
use serde_json::json;

/// What `baton tools login` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools login helper github

An address is shown; open it in a browser on this machine and log in there. What the server gives
is kept below the data directory for its owner only, and renewed by itself. A running server of
that data directory notices.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// The server, as `baton tools list` names it
    #[arg(value_name = "MCP_SERVER")]
    mcp_server: String,
}

/// Shows where to log in, and waits until it is done.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, mcp_server } = options;
    let show = move |url: &str| match screen.is_json() {
        true => screen.print(&json!({"url": url}).to_string()),
        false => {
            screen.say("open this address in a browser, and log in there:");
            screen.print(&one_line(url, 8000));
        }
    };
    wiring::login(&which.settings()?, &which.agent, &mcp_server, show).await?;
    screen.say(&format!("logged in at {mcp_server}"));
    Ok(Exit::Ok)
}
