//! `baton models`: lists providers and models, and tests keys.

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

/// Options of `baton models`.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  baton models                              all providers, their status and models
  baton models --provider openai            one provider with all its models, windows and prices
  baton models --offline                    without contacting the providers
  baton models --json | jq '.providers[] | select(.status == \"ready\") | .id'
  baton models check                        test the key of the current provider
  baton models check claude                 test the key of one provider

Keys come from the definition of the agent (`--agent NAME`), then from providers in baton.yaml, then
from environment variables such as OPENAI_API_KEY. They are never shown."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    choice: Choice,
    /// Show one provider with all its models
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Do not contact providers; show the configuration and the built-in model list
    #[arg(long)]
    offline: bool,
}

/// Options that select the configuration.
#[derive(Args, Clone, Debug)]
struct Choice {
    #[command(flatten)]
    place: Place,
    /// Include the providers and environment variables of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Agent directories [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Test the key of a provider
    Check(check::Options),
}

/// Lists the providers, or tests one.
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
