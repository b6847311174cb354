//! `baton tools login AGENT SERVER`: log in at an MCP server that wants OAuth.

use crate::{
    config::Chosen,
    failure::{Exit, Failure},
    screen::{Screen, one_line},
    wiring,
};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// What `baton tools login` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools login helper github

An address is shown; open it in a browser on this machine and log in there. What the server gives
is kept below the data directory for its owner only, and renewed by itself. A running server of
that data directory notices.")]
pub(super) struct Options {
    /// Whose server
    agent: String,
    /// The server, as `baton tools list` names it
    server: String,
    /// The data directory [default: .baton]
    #[arg(long, value_name = "DIR", env = "BATON_DATA")]
    data: Option<PathBuf>,
    /// The configuration file [default: baton.yaml, if there is one]
    #[arg(long, value_name = "FILE", env = "BATON_CONFIG")]
    config: Option<PathBuf>,
    /// Agent directories [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

/// Shows where to log in, and waits until it is done.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { agent, server, data, config, agents } = options;
    let settings = Chosen { config, data, agents, ..Chosen::default() }.resolve()?;
    let show = move |url: &str| match screen.is_json() {
        true => screen.print(&json!({"url": url}).to_string()),
        false => {
            screen.say("open this address in a browser, and log in there:");
            screen.print(&one_line(url, 8000));
        }
    };
    wiring::login(&settings, &agent, &server, show).await?;
    screen.say(&format!("logged in at {server}"));
    Ok(Exit::Ok)
}
