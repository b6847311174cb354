//! `baton tools`: lists tools and MCP servers, calls tools, and changes permissions.

mod agent_selector;
mod answers;
mod approve;
mod call;
mod list;
mod login;
mod result;

use crate::{
    failure::{CliError, Exit},
    screen::Screen,
};
use clap::{Args, Subcommand};

/// Options of `baton tools`.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton tools list weather            list its tools and the state of its MCP servers
  baton tools call weather get_weather --arg city=Oakland
  baton tools approve helper files__read_file         allow a tool without asking
  baton tools login helper github     log in to an MCP server that requires OAuth

If a server runs for the data directory, the command uses it. Otherwise the agents of the current
directory (or of --agents) run in this process."
)]
pub(crate) struct ToolsOptions {
    #[command(subcommand)]
    command: ToolsCommand,
}

/// Subcommands of `baton tools`.
#[derive(Debug, Subcommand)]
enum ToolsCommand {
    /// List the tools and MCP servers of an agent
    List(list::ToolListOptions),
    /// Call a tool like the agent would
    Call(call::ToolCallOptions),
    /// Change the permission of a tool: allow, ask or deny
    Approve(approve::ToolApproveOptions),
    /// Log in to an MCP server of an agent
    Login(login::ToolLoginOptions),
}

/// Runs the subcommand.
pub(crate) async fn run(options: ToolsOptions, screen: Screen) -> Result<Exit, CliError> {
    match options.command {
        ToolsCommand::List(options) => list::run(options, screen).await,
        ToolsCommand::Call(options) => Box::pin(call::run(options, screen)).await,
        ToolsCommand::Approve(options) => Box::pin(approve::run(options, screen)).await,
        ToolsCommand::Login(options) => Box::pin(login::run(options, screen)).await,
    }
}
