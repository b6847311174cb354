//! `baton models`: who can answer, and whether a key works.

mod check;
mod show;

use crate::{
    commands::place::Place,
    failure::{Exit, Failure},
    screen::Screen,
    wiring::{self, ProviderReport},
};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

/// What `baton models` is told.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  baton models                              every provider, whether it is ready, and its models
  baton models --provider openai            one provider with all its models, windows and prices
  baton models --offline                    without asking anybody
  baton models --json | jq '.providers[] | select(.status == \"ready\") | .id'
  baton models check                        try the key of whoever answers now
  baton models check claude                 try the key of a provider

Keys come from an agent's own definition (`--agent NAME`), else from providers in baton.yaml, else
from variables such as OPENAI_API_KEY. They are never shown."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    choice: Choice,
    /// One provider, with all its models
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Ask nobody: only what is configured, and the models that Baton knows by itself
    #[arg(long)]
    offline: bool,
}

/// Whose settings are looked at.
#[derive(Args, Clone, Debug)]
struct Choice {
    #[command(flatten)]
    place: Place,
    /// The agent whose own providers and variables count, too
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Agent directories [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Try a provider's key
    Check(check::Options),
}

/// Lists providers, or tries one.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    if let Some(Verb::Check(check)) = options.verb {
        return check::run(check, screen).await;
    }
    let settings = options.choice.settings()?;
    let asks = if options.offline { wiring::Asks::Nobody } else { wiring::Asks::Everybody };
    let report = wiring::report(&settings, options.choice.agent.as_deref(), options.provider.as_deref(), asks).await?;
    if screen.is_json() {
        let providers: Vec<_> = report.providers.iter().map(ProviderReport::to_json).collect();
        screen.print(&json!({ "model": report.model, "found": report.why, "providers": providers }).to_string());
        return Ok(Exit::Ok);
    }
    let whole = options.provider.is_some();
    for line in show::lines(&report, whole, screen.data_paint()) {
        screen.print(&line);
    }
    Ok(Exit::Ok)
}

impl Choice {
    fn settings(&self) -> Result<crate::config::Settings, Failure> {
        let chosen = crate::config::Chosen {
            config: self.place.config.clone(),
            data: self.place.data.clone(),
            agents: self.agents.clone(),
            ..crate::config::Chosen::default()
        };
        chosen.resolve()
    }
}
