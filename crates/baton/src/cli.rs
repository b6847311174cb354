//! The command line as a whole; the options of each subcommand are defined next to its code.

use crate::{
    commands, error_codes,
    failure::{CliError, Exit},
    log::LogOptions,
    screen::{Screen, ScreenFormat},
};
use clap::{Parser, Subcommand};

/// Durable server for AI agents: a directory becomes an agent that survives crashes
#[derive(Debug, Parser)]
#[command(name = "baton", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub(crate) command: CliCommand,
    /// Print data and errors as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Log level and format.
    #[command(flatten)]
    pub(crate) log: LogOptions,
}

/// Subcommands of `baton`.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Run a demo with two agents; needs no API key and no network
    Demo(commands::demo::DemoOptions),
    /// Serve agents
    Up(commands::up::UpOptions),
    /// Send one message to an agent and print its answer
    Run(commands::run::RunCommandOptions),
    /// Create an agent directory
    New(commands::new::NewOptions),
    /// Convert an agent to another format, such as a TeamSpark agent to a Baton agent directory
    Convert(commands::convert::ConvertOptions),
    /// List agents, and add or remove remote agents
    Agents(commands::agents::AgentsOptions),
    /// List an agent's tools and MCP servers, and call a tool
    Tools(commands::tools::ToolsOptions),
    /// List pending approvals and questions, and answer them
    Approvals(commands::approvals::ApprovalsOptions),
    /// Manage sessions: list, name, fork, export, import, delete, change settings
    Sessions(commands::sessions::SessionsOptions),
    /// List providers and models: context windows, prices, and whether a key works
    Models(commands::models::ModelsOptions),
    /// Search traces, show one, follow spans as they arrive
    Trace(commands::trace::TraceOptions),
    /// Show model costs: tokens and money by agent, model, project or day
    Costs(commands::costs::CostsOptions),
    /// Write Grafana dashboards for agent activity
    Dashboards(commands::dashboards::DashboardsOptions),
    /// Check the setup and report how to fix problems
    Doctor(commands::doctor::DoctorOptions),
    /// Serve agents to MCP clients over stdio
    Mcp(commands::mcp::McpOptions),
    /// Create, list and revoke access tokens
    Token(commands::token::TokenOptions),
    /// Print the OpenAPI document of the HTTP API
    #[command(name = "openapi")]
    OpenApi(commands::openapi::OpenApiOptions),
    /// End MCP servers of a Baton process that was killed; started by Baton itself
    #[command(name = "end-orphans", hide = true)]
    Reap,
}

const AFTER_HELP: &str = "\
Examples:
  baton demo                                       watch two agents answer a question
  baton new helper                                 create an agent
  baton up helper                                  serve it
  baton run helper \"What time is it?\"              ask it
  baton run https://agent.example.com \"Hello\"      ask a remote agent
  baton tools list helper                          list its tools
  baton approvals list                             list pending approvals
  baton sessions list                              list your sessions
  baton trace query '{ status = error }'           find errors
  baton models                                     list models and prices
  baton costs --by agent                           show model costs by agent
  baton doctor                                     check the setup
  baton mcp                                        serve all agents to MCP clients
  baton openapi                                    print the OpenAPI document of the HTTP API

You can also set most options of `baton up` as environment variables or in baton.yaml (not --strict,
--insecure and --json; --config only as an environment variable). Precedence: flag, environment
variable, file, default. Data goes to stdout, messages go to stderr.

Exit codes:
  0  success
  1  the task failed, or was rejected or canceled
  2  invalid usage, configuration or agent definition
  3  the task needs input
  4  the server or the journal is unavailable";

/// Prints help and version; reports any other parse error with an error code and in the requested format.
pub(crate) fn report_parse_error(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        // A closed pipe, as in `baton --help | head`, is not an error.
        let _ = error.print();
        return Exit::Ok;
    }
    let json = std::env::args_os().any(|argument| argument == "--json");
    let screen = Screen::new(if json { ScreenFormat::Json } else { ScreenFormat::Text });
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !json {
        // Without a subcommand, print the help.
        let _ = error.print();
        return Exit::Usage;
    }
    let rendered = error.render().to_string();
    let message = rendered.trim_start_matches("error: ").trim_end_matches("\n\nFor more information, try '--help'.\n");
    CliError::new(error_codes::USAGE, message).report(&screen)
}
