//! The `baton` program: it resolves its configuration into a server, talks to it through `baton-client` and reports the
//! result.
//!
//! This crate must never decide anything about a task: subcommands talk to a server, in this process or a running one,
//! and only `baton-server` knows engine, journal and models.
//!
//! Read first: this file (start-up), `commands/` (one file per subcommand), `config/server_options.rs`.

mod bridge;
mod cli;
mod commands;
mod config;
mod connect;
mod entries;
mod error_codes;
mod events;
mod examples;
mod failure;
mod follow;
mod form;
mod log;
mod mcp_status;
mod model_summary;
mod money;
mod open_server;
mod published_server;
mod remote_agents;
mod screen;
mod server_file;
mod signals;
mod step_text;
mod steps;

use crate::{
    cli::{Cli, CliCommand},
    failure::{CliError, Exit},
    screen::{Screen, ScreenFormat},
    signals::StopRequests,
};
use baton_types::ErrorCode;
use clap::Parser;
use std::{
    backtrace::{Backtrace, BacktraceStatus},
    panic,
    process::ExitCode,
    time::Duration,
};

/// Events are allocated on one thread and freed on another, which is slow with the system allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A run, a terminal and the journal's observer must never block one another.
const MIN_WORKERS: usize = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return cli::report_parse_error(&error).into(),
    };
    let screen = Screen::new(if cli.json { ScreenFormat::Json } else { ScreenFormat::Text });
    // Panic messages may contain untrusted text, so they are escaped as well.
    panic::set_hook(Box::new(move |panic| {
        screen.print_stderr(&panic.to_string());
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            screen.print_stderr(&trace.to_string());
        }
    }));
    let ended = start(cli, screen).unwrap_or_else(|failure| failure.report(&screen));
    screen.write_failure().map_or(ended, |failure| failure.report(&screen)).into()
}

fn start(cli: Cli, screen: Screen) -> Result<Exit, CliError> {
    log::start(&cli.log)?;
    let workers = std::thread::available_parallelism().map_or(MIN_WORKERS, |cores| cores.get().max(MIN_WORKERS));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .map_err(|error| CliError::new(ErrorCode::INTERNAL, format!("the runtime cannot start: {error}")))?;
    let ended = runtime.block_on(dispatch(cli.command, screen));
    // Tools end with their runs during this shutdown. A thread that blocks on a terminal read must not keep the process
    // alive.
    runtime.shutdown_timeout(match ended {
        Ok(Exit::Interrupted) => Duration::from_millis(500),
        _ => Duration::from_millis(100),
    });
    ended
}

async fn dispatch(command: CliCommand, screen: Screen) -> Result<Exit, CliError> {
    match command {
        CliCommand::Demo(options) => with_double_ctrl_c(|stop| commands::demo::run(options, screen, stop)).await,
        CliCommand::Up(options) => with_double_ctrl_c(|stop| commands::up::run(options, screen, stop)).await,
        CliCommand::Run(options) => with_double_ctrl_c(|stop| commands::run::run(options, screen, stop)).await,
        CliCommand::New(options) => commands::new::run(&options, screen),
        CliCommand::Convert(options) => commands::convert::run(&options, screen),
        CliCommand::Agents(options) => Box::pin(commands::agents::run(options, screen)).await,
        CliCommand::Tools(options) => Box::pin(commands::tools::run(options, screen)).await,
        CliCommand::Approvals(options) => Box::pin(commands::approvals::run(options, screen)).await,
        CliCommand::Sessions(options) => Box::pin(commands::sessions::run(options, screen)).await,
        CliCommand::Models(options) => Box::pin(commands::models::run(options, screen)).await,
        CliCommand::Trace(options) => with_double_ctrl_c(|stop| commands::trace::run(options, screen, stop)).await,
        CliCommand::Costs(options) => Box::pin(commands::costs::run(options, screen)).await,
        CliCommand::Dashboards(options) => commands::dashboards::run(&options, screen),
        CliCommand::Doctor(options) => Box::pin(commands::doctor::run(options, screen)).await,
        CliCommand::Mcp(options) => with_double_ctrl_c(|stop| commands::mcp::run(options, screen, stop)).await,
        CliCommand::OpenApi(options) => Ok(commands::openapi::run(&options, screen)),
        CliCommand::Reap => Ok(commands::reap::run()),
        CliCommand::Token(options) => Box::pin(commands::token::run(options, screen)).await,
    }
}

/// Runs a command that shuts down in order at the first stop request. At the second request the command is dropped
/// immediately, which ends its tools and removes `server.json`.
async fn with_double_ctrl_c<Work>(command: impl FnOnce(StopRequests) -> Work) -> Result<Exit, CliError>
where
    Work: Future<Output = Result<Exit, CliError>>,
{
    let mut stop = StopRequests::listen();
    let work = Box::pin(command(stop.clone()));
    tokio::select! {
        ended = work => ended,
        () = stop.second() => Ok(Exit::Interrupted),
    }
}
