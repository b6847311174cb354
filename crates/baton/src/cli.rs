//! The command line as a whole; each subcommand's options are beside its code.

use crate::{commands, log::LogOptions};
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
    /// List agents, and what is wrong with broken ones
    Agents(commands::agents::Options),
}

const AFTER_HELP: &str = "\
Examples:
  baton demo                                       watch two agents answer a question
  baton new helper                                 make an agent
  baton up helper                                  serve it
  baton run helper \"What time is it?\"              ask it

Every option of `baton up` can also stand in baton.yaml or in the environment:
flag over environment over file over default. stdout is data, stderr is talk.

Exit codes:
  0  done
  1  the task failed, or was rejected or canceled
  2  wrong usage, configuration or agent definition
  3  the task waits for an answer
  4  the server or the journal cannot be used";
