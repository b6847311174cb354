//! `baton tools`: what an agent can do, where its MCP servers stand, one call without a model, and what may run.

mod answers;
mod approve;
mod call;
mod list;
mod login;
mod result;
mod which;

use crate::{
    failure::{Exit, Failure},
    screen::Screen,
};
use clap::{Args, Subcommand};

/// What `baton tools` is told.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton tools list weather            what it can do, and where its MCP servers stand
  baton tools call weather get_weather --arg city=Oakland
  baton tools approve helper files__read_file         from now on it runs without asking
  baton tools login helper github     log in at an MCP server that wants OAuth

The running server of the data directory is used when there is one; otherwise the agents of the
current directory (or --agents) do it in this process."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

/// What can be done with tools.
#[derive(Debug, Subcommand)]
enum Command {
    /// List an agent's tools and its MCP servers
    List(list::Options),
    /// Call a tool as the agent would
    Call(call::Options),
    /// Say whether a tool runs, is asked about, or is denied from now on
    Approve(approve::Options),
    /// Log in at an MCP server of an agent
    Login(login::Options),
}

/// Does what is asked with tools.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    match options.command {
        Command::List(options) => list::run(options, screen).await,
        Command::Call(options) => Box::pin(call::run(options, screen)).await,
        Command::Approve(options) => Box::pin(approve::run(options, screen)).await,
        Command::Login(options) => Box::pin(login::run(options, screen)).await,
    }
}
