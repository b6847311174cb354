//! `baton agents`: who is served, what a directory holds, agents that are made while a server runs, and agents that live
//! elsewhere.

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

/// What `baton agents` is told.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  baton agents                 the agents of the running server, else those of this directory
  baton agents agents/         what is in a directory, and what is wrong with it
  baton agents --json          the same for programs
  baton agents add https://weather.example.com --name weather
  baton agents show weather    where an agent lives, what it is good at, who signed its card
  baton agents remove weather
  baton agents create bob --prompt \"You are Bob.\"
  baton agents prompt bob --set \"You are Bob, and brief.\"
  baton agents rules bob tone --text \"Be kind.\"
  baton agents servers bob files --set '{\"url\": \"http://127.0.0.1:9000/mcp\"}'
  baton agents delete bob --yes
  baton agents schema > agent.schema.json

Agents that live elsewhere are marked with the address by which they were added."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: list::Listing,
}

/// What can be done with agents.
#[derive(Debug, Subcommand)]
enum Command {
    /// Add an agent that lives elsewhere, by its address
    Add(add::Options),
    /// Show one agent, or the card at an address
    Show(show::Options),
    /// Forget an agent that was added
    Remove(remove::Options),
    /// Make an agent that lives here
    Create(create::Options),
    /// Delete an agent that lives here, with its definition
    Delete(delete::Options),
    /// List, show and change how an agent should behave
    Rules(texts::Options),
    /// List, show and change what an agent can rely on
    References(texts::Options),
    /// Show or replace the system prompt of an agent
    Prompt(prompt::Options),
    /// List, show and change the MCP servers that an agent uses
    Servers(parts::Options),
    /// List, show and change work that an agent offers as MCP tools
    Exports(parts::Options),
    /// List, show and change the services that an agent's models are reached through
    Providers(parts::Options),
    /// Print the JSON Schema of agent.yaml, for editors
    Schema,
}

/// Does what is asked with agents.
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
