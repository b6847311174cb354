//! `baton tools login`: OAuth login at an MCP server.

use crate::{
    config::ConfigOverrides,
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use baton_server::{McpLogin, ServerError, process_environment};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Options of `baton tools login`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools login helper github

Prints a URL. Open it in a browser on this machine and log in. The tokens are stored in the data
directory, accessible only to its owner, and are refreshed automatically. A server that runs for the
data directory picks them up.")]
pub(super) struct ToolLoginOptions {
    /// Name of the agent
    agent: String,
    /// Server name from `baton tools list`
    server: String,
    /// Data directory [default: .baton]
    #[arg(long, value_name = "DIR", env = "BATON_DATA")]
    data: Option<PathBuf>,
    /// Configuration file [default: baton.yaml, if it exists]
    #[arg(long, value_name = "FILE", env = "BATON_CONFIG")]
    config: Option<PathBuf>,
    /// Agent directories [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

/// Prints the login URL and waits until the login is complete.
pub(super) async fn run(options: ToolLoginOptions, screen: Screen) -> Result<Exit, CliError> {
    let ToolLoginOptions { agent, server, data, config, agents } = options;
    let settings = ConfigOverrides { config, data, agents, ..ConfigOverrides::default() }.resolve()?;
    let show = move |url: &str| match screen.is_json() {
        true => screen.print(&json!({"url": url}).to_string()),
        false => {
            screen.print_stderr("open this URL in a browser and log in:");
            screen.print(&one_line(url, 8000));
        }
    };
    let login = McpLogin {
        agents: &settings.agent_options(),
        agent: agent.into(),
        server: &server,
        data: &settings.data,
        environment: &process_environment(),
    };
    login.run(show).await.map_err(|error| {
        let is_unknown = matches!(error, ServerError::UnknownAgent(_));
        let failure = CliError::from(error);
        match is_unknown {
            true => failure.hint("Change to the directory that holds the agent, or name it with --agents."),
            false => failure,
        }
    })?;
    screen.print_stderr(&format!("logged in to {server}"));
    Ok(Exit::Ok)
}
