//! The command line as a whole; each subcommand's options are beside its code.

use crate::{
    commands,
    failure::{Exit, Failure},
    log::LogOptions,
    screen::{Form, Screen},
};
use baton_types::ErrorCode;
use clap::{Parser, Subcommand};

/// Serves AI agents durably: a directory becomes an agent that survives any crash
#[derive(Debug, Parser)]
#[command(name = "baton", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print data and errors as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// How much is logged and how.
    #[command(flatten)]
    pub(crate) log: LogOptions,
}

/// What Baton can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See two agents work together; needs no key and no network
    Demo(commands::demo::Options),
    /// Serve agents
    Up(commands::up::Options),
    /// Ask an agent once and print its answer
    Run(commands::run::Options),
    /// Make an agent directory to start from
    New(commands::new::Options),
    /// Write an agent in another form, such as a TeamSpark agent as a directory of our own
    Convert(commands::convert::Options),
    /// List agents, and add those that live elsewhere
    Agents(commands::agents::Options),
    /// List an agent's tools and MCP servers, and call a tool
    Tools(commands::tools::Options),
    /// See what waits for you, and answer it
    Approvals(commands::approvals::Options),
    /// See your conversations: name, fork, export, import, delete them, change their settings
    Sessions(commands::sessions::Options),
    /// See who can answer: providers, models, windows, prices, and whether a key works
    Models(commands::models::Options),
    /// See what happened: search traces, show one, follow spans as they arrive
    Trace(commands::trace::Options),
    /// See what models cost: tokens and money by agent, model, project or day
    Costs(commands::costs::Options),
    /// Write Grafana dashboards that show what agents do
    Dashboards(commands::dashboards::Options),
    /// Check that everything works, and say what to do where it does not
    Doctor(commands::doctor::Options),
    /// Offer agents to MCP clients on the standard streams
    Mcp(commands::mcp::Options),
    /// Make, list and revoke tokens for a Baton with authentication
    Token(commands::token::Options),
    /// End MCP servers whose Baton was killed; Baton starts this itself
    #[command(name = "end-orphans", hide = true)]
    Reap,
}

const AFTER_HELP: &str = "\
Examples:
  baton demo                                       watch two agents answer a question
  baton new helper                                 make an agent
  baton up helper                                  serve it
  baton run helper \"What time is it?\"              ask it
  baton run https://agent.example.com \"Hello\"      ask an agent that lives elsewhere
  baton tools list helper                          what it can do
  baton approvals list                             what waits for your leave
  baton sessions list                              your conversations
  baton trace query '{ status = error }'           what went wrong
  baton models                                     who can answer, and what they cost
  baton costs --by agent                           what models cost
  baton doctor                                     whether everything works
  baton mcp                                        all agents, for Claude Code, Cursor and others

Most options of `baton up` can also stand in the environment or in baton.yaml (not --strict,
--insecure and --json; --config only in the environment): flag over environment over file over
default. stdout is data, stderr is talk.

Exit codes:
  0  done
  1  the task failed, or was rejected or canceled
  2  wrong usage, configuration or agent definition
  3  the task waits for an answer
  4  the server or the journal cannot be used";

/// Help and version are answers; everything else is an error like any other, with a code and a form.
pub(crate) fn not_a_command(other: &clap::Error) -> Exit {
    if !other.use_stderr() {
        // A reader that has gone away, as in `baton --help | head`, is no error.
        let _ = other.print();
        return Exit::Ok;
    }
    let json = std::env::args_os().any(|argument| argument == "--json");
    let screen = Screen::new(if json { Form::Json } else { Form::Text });
    if other.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !json {
        // No command at all: the help is the best answer.
        let _ = other.print();
        return Exit::Usage;
    }
    let rendered = other.render().to_string();
    let words = rendered.trim_start_matches("error: ").trim_end_matches("\n\nFor more information, try '--help'.\n");
    Failure::new(ErrorCode::USAGE, words).report(&screen)
}
