//! `baton models`: lists providers and models, and tests keys.

mod check;
mod show;

use crate::{
    commands::connection_options::ConnectionOptions,
    config::{BatonSettings, ConfigOverrides},
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_server::{ModelsReport, ProviderQuery, ProviderReport, ProviderRequest, Readiness};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
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
pub(crate) struct ModelsOptions {
    #[command(subcommand)]
    verb: Option<ModelsCommand>,
    #[command(flatten)]
    choice: ModelConfigOptions,
    /// Show one provider with all its models
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Do not contact providers; show the configuration and the built-in model list
    #[arg(long)]
    offline: bool,
}

/// Options that select the configuration.
#[derive(Args, Clone, Debug)]
struct ModelConfigOptions {
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Include the providers and environment variables of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Agent directories [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// Test the key of a provider
    Check(check::ModelCheckOptions),
}

/// Lists the providers, or tests one.
pub(crate) async fn run(options: ModelsOptions, screen: Screen) -> Result<Exit, CliError> {
    if let Some(ModelsCommand::Check(check)) = options.verb {
        return check::run(check, screen).await;
    }
    let settings = options.choice.settings()?;
    let asks = if options.offline { ProviderQuery::Skip } else { ProviderQuery::All };
    let report =
        report_providers(&settings, options.choice.agent.as_deref(), options.provider.as_deref(), asks).await?;
    if screen.is_json() {
        let providers: Vec<_> = report.providers.iter().map(provider_json).collect();
        screen.print(&json!({ "model": report.model, "found": report.source, "providers": providers }).to_string());
        return Ok(Exit::Ok);
    }
    let is_complete = options.provider.is_some();
    for line in show::lines(&report, is_complete, screen.stdout_paint()) {
        screen.print(&line);
    }
    Ok(Exit::Ok)
}

/// Reports all providers, or one, with the configuration of this agent.
pub(super) async fn report_providers(
    settings: &BatonSettings,
    agent: Option<&str>,
    provider: Option<&str>,
    query: ProviderQuery,
) -> Result<ModelsReport, CliError> {
    let request = ProviderRequest { agent: agent.map(Into::into), provider: provider.map(ToOwned::to_owned), query };
    Ok(request.run(&settings.agent_options(), settings.model_options()).await?)
}

/// JSON form of a provider.
fn provider_json(provider: &ProviderReport) -> Value {
    let (status, detail) = match &provider.readiness {
        Readiness::Ready { live: true } => ("ready", None),
        Readiness::Ready { live: false } => ("configured", None),
        Readiness::Missing(problem) => ("missing", Some(problem)),
        Readiness::Failing(problem) => ("failing", Some(problem)),
    };
    let models: Vec<_> = provider
        .models
        .iter()
        .map(|model| {
            json!({ "id": model.id, "window": model.window, "max_output": model.max_output,
                "input": model.input, "output": model.output })
        })
        .collect();
    json!({ "id": provider.id, "title": provider.title, "status": status, "detail": detail, "from": provider.from,
        "models": models })
}

impl ModelConfigOptions {
    fn settings(&self) -> Result<BatonSettings, CliError> {
        let chosen = ConfigOverrides {
            config: self.connection.config.clone(),
            data: self.connection.data.clone(),
            agents: self.agents.clone(),
            ..ConfigOverrides::default()
        };
        chosen.resolve()
    }
}
