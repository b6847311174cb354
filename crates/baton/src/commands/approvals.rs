//! `baton approvals`: lists and answers pending approvals.

mod answer;
mod list;
mod show;

use crate::{
    failure::{CliError, Exit},
    screen::Screen,
};
use clap::{Args, Subcommand};

/// Options of `baton approvals`.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton approvals list                            list pending approvals, newest first
  baton approvals answer 0199.../call-1 allow     allow the call once
  baton approvals answer 0199.../call-1 always    allow the tool for the rest of the session
  baton approvals answer 0199.../call-1 deny      deny the call; the agent is informed

If a server runs for the data directory, the command uses it. Otherwise it opens the data directory,
and the agents of the current directory continue the work in this process."
)]
pub(crate) struct ApprovalsOptions {
    #[command(subcommand)]
    command: ApprovalsCommand,
}

/// Subcommands of `baton approvals`.
#[derive(Debug, Subcommand)]
enum ApprovalsCommand {
    /// List pending approvals: tool calls, forms, URLs to visit and questions
    List(list::ApprovalListOptions),
    /// Answer a pending approval
    Answer(answer::ApprovalAnswerOptions),
}

/// Runs the subcommand.
pub(crate) async fn run(options: ApprovalsOptions, screen: Screen) -> Result<Exit, CliError> {
    match options.command {
        ApprovalsCommand::List(options) => list::run(options, screen).await,
        ApprovalsCommand::Answer(options) => Box::pin(answer::run(options, screen)).await,
    }
}
