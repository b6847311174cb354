//! `baton sessions reset`.

use super::{SessionSelector, print_settings};
use crate::{
    connect::client_failure,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::ChangeSession;
use baton_types::Json;
use clap::Args;
use serde_json::{Map, Value};

/// Options of `baton sessions reset`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions reset 0199...                reset all settings
  baton sessions reset 0199... temperature    reset one setting")]
pub(super) struct SessionResetOptions {
    #[command(flatten)]
    selector: SessionSelector,
    /// Settings to reset [default: all]
    #[arg(value_name = "NAME")]
    settings: Vec<String>,
}

/// Resets the settings.
pub(super) async fn run(options: SessionResetOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionResetOptions { selector, settings } = options;
    let session = selector.open_session().await?;
    let changed = if settings.is_empty() {
        session.client.reset_session(selector.name()).await
    } else {
        let none: Map<String, Value> = settings.into_iter().map(|name| (name, Value::Null)).collect();
        let settings = Some(Json::from(Value::Object(none)));
        session.client.change_session(selector.name(), &ChangeSession { settings, ..ChangeSession::default() }).await
    };
    session.close().await;
    print_settings(&changed.map_err(client_failure)?, screen);
    Ok(Exit::Ok)
}
