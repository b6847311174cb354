//! `baton models check`: tests a key.

use super::{ModelConfigOptions, provider_json, report_providers};
use crate::{
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_server::{ProviderQuery, Readiness};
use baton_types::ErrorCode;
use clap::Args;

/// Options of `baton models check`.
#[derive(Args, Debug)]
pub(super) struct ModelCheckOptions {
    /// Provider to test [default: the provider of the current model]
    #[arg(value_name = "PROVIDER")]
    provider: Option<String>,
    #[command(flatten)]
    choice: ModelConfigOptions,
}

/// Requests the model list of the provider, which needs a valid key and is free.
pub(super) async fn run(options: ModelCheckOptions, screen: Screen) -> Result<Exit, CliError> {
    let settings = options.choice.settings()?;
    let agent = options.choice.agent.as_deref();
    let id = match options.provider {
        Some(id) => id,
        None => {
            let now = report_providers(&settings, agent, Some("test"), ProviderQuery::Skip).await?;
            now.model.split(':').next().unwrap_or_default().to_owned()
        }
    };
    if id == "playbook" || id == "test" {
        screen.print("playbook: built in, needs no key");
        return Ok(Exit::Ok);
    }
    let report = report_providers(&settings, agent, Some(&id), ProviderQuery::All).await?;
    let Some(provider) = report.providers.first() else {
        return Err(CliError::new(error_codes::USAGE, format!("there is no provider '{id}'"))
            .hint("`baton models` lists them all."));
    };
    if screen.is_json() {
        screen.print(&provider_json(provider).to_string());
    }
    match &provider.readiness {
        Readiness::Ready { live: true } => {
            if !screen.is_json() {
                screen.print(&format!("{}: the key works; {} models", provider.id, provider.models.len()));
            }
            Ok(Exit::Ok)
        }
        Readiness::Ready { live: false } => Ok(Exit::Ok),
        Readiness::Missing(problem) => Err(CliError::new(ErrorCode::CONFIG_INVALID, problem.clone())),
        Readiness::Failing(problem) => {
            Err(CliError::new(ErrorCode::MODEL_FAILED, format!("{}: {problem}", provider.id)))
        }
    }
}
