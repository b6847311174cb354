//! `baton agents`: list, create, change and delete agents, and add remote agents.

mod add;
mod create;
mod delete;
mod details;
mod list;
mod parts;
mod prompt;
mod removal;
mod remove;
mod schema;
mod show;
mod texts;

pub(super) use list::list_known_agents;

use crate::{
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_client::{AgentResourceKind, AgentTextKind};
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
pub(crate) struct AgentsOptions {
    #[command(subcommand)]
    command: Option<AgentsCommand>,
    #[command(flatten)]
    list: list::AgentListOptions,
}

/// Subcommands of `baton agents`.
#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// Add a remote agent by its address
    Add(add::AgentAddOptions),
    /// Show one agent, or the agent card at an address
    Show(show::AgentShowOptions),
    /// Remove a remote agent
    Remove(remove::AgentRemoveOptions),
    /// Create a local agent
    Create(create::AgentCreateOptions),
    /// Delete a local agent and its definition
    Delete(delete::AgentDeleteOptions),
    /// List, show and change the rules of an agent
    Rules(texts::AgentTextOptions),
    /// List, show and change the references of an agent
    References(texts::AgentTextOptions),
    /// Show or replace the system prompt of an agent
    Prompt(prompt::AgentPromptOptions),
    /// List, show and change the MCP servers of an agent
    Servers(parts::AgentPartOptions),
    /// List, show and change the MCP tools that an agent exports
    Exports(parts::AgentPartOptions),
    /// List, show and change the model providers of an agent
    Providers(parts::AgentPartOptions),
    /// Print the JSON Schema of agent.yaml, for editors
    Schema,
}

/// Runs the subcommand; lists agents without one.
pub(crate) async fn run(options: AgentsOptions, screen: Screen) -> Result<Exit, CliError> {
    match options.command {
        None => list::run(options.list, screen).await,
        Some(AgentsCommand::Add(options)) => add::run(options, screen).await,
        Some(AgentsCommand::Show(options)) => show::run(options, screen).await,
        Some(AgentsCommand::Remove(options)) => remove::run(options, screen).await,
        Some(AgentsCommand::Create(options)) => create::run(options, screen).await,
        Some(AgentsCommand::Delete(options)) => delete::run(options, screen).await,
        Some(AgentsCommand::Rules(options)) => texts::run(AgentTextKind::Rules, options, screen).await,
        Some(AgentsCommand::References(options)) => texts::run(AgentTextKind::References, options, screen).await,
        Some(AgentsCommand::Prompt(options)) => prompt::run(options, screen).await,
        Some(AgentsCommand::Servers(options)) => parts::run(AgentResourceKind::Servers, options, screen).await,
        Some(AgentsCommand::Exports(options)) => parts::run(AgentResourceKind::Exports, options, screen).await,
        Some(AgentsCommand::Providers(options)) => parts::run(AgentResourceKind::Providers, options, screen).await,
        Some(AgentsCommand::Schema) => schema::run(screen),
    }
}
