//! The `baton` program: it wires the pieces, speaks to them through `baton-client`, and says plainly how it went.
//!
//! This crate must never decide anything about a task: subcommands talk to a server, their own or a running one,
//! and only the module `wiring` knows engine, journal, models and this machine.
//!
//! Read first: this file (the start-up story), `commands/` (one file per subcommand), `wiring.rs`.

mod cli;
mod commands;
mod config;
mod connect;
mod events;
mod examples;
mod failure;
mod follow;
mod log;
mod narrate;
mod screen;
mod server_file;
mod signals;
mod steps;
mod wiring;

use crate::{
    cli::{Cli, Command},
    failure::{Exit, Failure},
    screen::{Form, Screen},
};
use baton_types::ErrorCode;
use clap::Parser;
use std::{process::ExitCode, time::Duration};

/// Events are made on one thread and freed on another, which the system's allocator pays for dearly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A run, a terminal and the journal's observer must never wait for one another.
const FEWEST_WORKERS: usize = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(other) => return cli::not_a_command(&other).into(),
    };
    let screen = Screen::new(if cli.json { Form::Json } else { Form::Text });
    let ended = start(cli, screen);
    ended.unwrap_or_else(|failure| failure.report(&screen)).into()
}

fn start(cli: Cli, screen: Screen) -> Result<Exit, Failure> {
    log::start(&cli.log)?;
    let workers = std::thread::available_parallelism().map_or(FEWEST_WORKERS, |cores| cores.get().max(FEWEST_WORKERS));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::INTERNAL, format!("the runtime cannot start: {error}")))?;
    let ended = runtime.block_on(obey(cli.command, screen));
    // A thread that still waits for a line from the terminal must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(100));
    ended
}

async fn obey(command: Command, screen: Screen) -> Result<Exit, Failure> {
    match command {
        Command::Demo(options) => Box::pin(commands::demo::run(options, screen)).await,
        Command::Up(options) => Box::pin(commands::up::run(options, screen)).await,
        Command::Run(options) => Box::pin(commands::run::run(options, screen)).await,
        Command::New(options) => commands::new::run(&options, screen),
        Command::Agents(options) => Box::pin(commands::agents::run(options, screen)).await,
    }
}
