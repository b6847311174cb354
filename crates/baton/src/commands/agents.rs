//! `baton agents`: list, create, change and delete agents, and add remote agents.

mod add;
mod create;
mod delete;
mod details;
mod gone;
mod list;
mod parts;
mod prompt;
mod remove;
mod schema;
mod show;
mod texts;

use crate::{
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_client::{AgentParts, AgentTexts};
use clap::{Args, Subcommand};

/// Options of `baton agents`.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  baton agents                 list the agents of the running server, or of this directory
  baton agents agents/         list the agents of a directory, and errors in their definitions
  baton agents --json          print the list as JSON
  baton agents add https://weather.example.com --name weather
  baton agents show weather    show an agent's address, skills and card signature
  baton agents remove weather
  baton agents create bob --prompt \"You are Bob.\"
  baton agents prompt bob --set \"You are Bob. Be brief.\"
  baton agents rules bob tone --text \"Be kind.\"
  baton agents servers bob files --set '{\"url\": \"http://127.0.0.1:9000/mcp\"}'
  baton agents delete bob --yes
  baton agents schema > agent.schema.json

Remote agents are marked with the address that they were added with."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: list::Listing,
}

/// Subcommands of `baton agents`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Add a remote agent by its address
    Add(add::Options),
    /// Show one agent, or the agent card at an address
    Show(show::Options),
    /// Remove a remote agent
    Remove(remove::Options),
    /// Create a local agent
    Create(create::Options),
    /// Delete a local agent and its definition
    Delete(delete::Options),
    /// List, show and change the rules of an agent
    Rules(texts::Options),
    /// List, show and change the references of an agent
    References(texts::Options),
    /// Show or replace the system prompt of an agent
    Prompt(prompt::Options),
    /// List, show and change the MCP servers of an agent
    Servers(parts::Options),
    /// List, show and change the MCP tools that an agent exports
    Exports(parts::Options),
    /// List, show and change the model providers of an agent
    Providers(parts::Options),
    /// Print the JSON Schema of agent.yaml, for editors
    Schema,
}

/// Runs the subcommand; lists agents without one.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    match options.command {
        None => list::run(options.list, screen).await,
        Some(Command::Add(options)) => add::run(options, screen).await,
        Some(Command::Show(options)) => show::run(options, screen).await,
        Some(Command::Remove(options)) => remove::run(options, screen).await,
        Some(Command::Create(options)) => create::run(options, screen).await,
        Some(Command::Delete(options)) => delete::run(options, screen).await,
        Some(Command::Rules(options)) => texts::run(AgentTexts::Rules, options, screen).await,
        Some(Command::References(options)) => texts::run(AgentTexts::References, options, screen).await,
        Some(Command::Prompt(options)) => prompt::run(options, screen).await,
        Some(Command::Servers(options)) => parts::run(AgentParts::Servers, options, screen).await,
        Some(Command::Exports(options)) => parts::run(AgentParts::Exports, options, screen).await,
        Some(Command::Providers(options)) => parts::run(AgentParts::Providers, options, screen).await,
        Some(Command::Schema) => schema::run(screen),
    }
}
