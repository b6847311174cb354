//! `baton sessions reset SESSION [NAME...]`.

use super::{Which, tell};
use crate::{
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::Json;
use baton_wire::api::ChangeSession;
use clap::Args;
use serde_json::{Map, Value};

/// What `baton sessions reset` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions reset 0199...                all settings are the agent's again
  baton sessions reset 0199... temperature    only this one is")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// The settings that are the agent's again [default: all]
    #[arg(value_name = "NAME")]
    settings: Vec<String>,
}

/// Resets them.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, settings } = options;
    let session = which.reach().await?;
    let changed = if settings.is_empty() {
        session.client.reset_session(which.name()).await
    } else {
        let none: Map<String, Value> = settings.into_iter().map(|name| (name, Value::Null)).collect();
        let settings = Some(Json::from(Value::Object(none)));
        session.client.change_session(which.name(), &ChangeSession { settings, ..ChangeSession::default() }).await
    };
    session.close().await;
    tell(&changed.map_err(failure)?, screen);
    Ok(Exit::Ok)
}
