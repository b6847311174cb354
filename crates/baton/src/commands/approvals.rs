//! `baton approvals`: what waits for a person, and answering it.

mod answer;
mod list;
mod show;

use crate::{
    failure::{Exit, Failure},
    screen::Screen,
};
use clap::{Args, Subcommand};

/// What `baton approvals` is told.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton approvals list                            what waits for you, the newest first
  baton approvals answer 0199.../call-1 allow     let the call run, this once
  baton approvals answer 0199.../call-1 always    ... and the same tool for the rest of the session
  baton approvals answer 0199.../call-1 deny      it does not run, and the agent is told

The running server of the data directory is used when there is one; otherwise the data directory
itself, and the agents of the current directory go on with the work in this process."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

/// What can be done with what waits.
#[derive(Debug, Subcommand)]
enum Command {
    /// List calls that need leave, forms, addresses to visit and questions
    List(list::Options),
    /// Answer one of them
    Answer(answer::Options),
}

/// Does what is asked with what waits.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    match options.command {
        Command::List(options) => list::run(options, screen).await,
        Command::Answer(options) => Box::pin(answer::run(options, screen)).await,
    }
}
