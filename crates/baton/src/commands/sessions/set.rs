//! `baton sessions set`.

use super::{SessionSelector, print_settings};
use crate::{
    connect::client_failure,
    error_codes,
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use baton_api::{ChangeSession, SessionSettingsBody};
use baton_types::Json;
use clap::Args;
use serde_json::{Map, Value};

/// Options of `baton sessions set`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions set 0199... model=openai:gpt-5
  baton sessions set 0199... max_turns=40 temperature=0.2
  baton sessions set 0199... tool_permission=never

Settings: model, max_turns, max_output_tokens, temperature, top_p, tool_permission (always, never,
tool), autonomous (true, false), context_top_k, context_top_n, context_include_score. They apply
from the next run on. Settings in a message take precedence. Prints all settings that differ from
those of the agent.")]
pub(super) struct SessionSetOptions {
    #[command(flatten)]
    selector: SessionSelector,
    /// Settings to change
    #[arg(required = true, value_name = "NAME=VALUE")]
    settings: Vec<String>,
}

/// Changes the settings.
pub(super) async fn run(options: SessionSetOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionSetOptions { selector, settings } = options;
    let mut all = Map::new();
    for setting in &settings {
        let usage =
            |problem: &str| CliError::new(error_codes::USAGE, format!("'{}': {problem}", one_line(setting, 120)));
        let (name, value) = setting.split_once('=').ok_or_else(|| usage("expected NAME=VALUE"))?;
        if !SessionSettingsBody::NAMES.contains(&name) {
            return Err(usage(&format!("unknown setting; the settings are {}", SessionSettingsBody::NAMES.join(", "))));
        }
        all.insert(name.to_owned(), parse_value(name, value));
    }
    let session = selector.open_session().await?;
    let settings = Some(Json::from(Value::Object(all)));
    let change = ChangeSession { settings, ..ChangeSession::default() };
    let changed = session.client.change_session(selector.name(), &change).await;
    session.close().await;
    print_settings(&changed.map_err(client_failure)?, screen);
    Ok(Exit::Ok)
}

/// Parses a value. Model names and permission modes are always strings, even if they look like numbers.
fn parse_value(name: &str, value: &str) -> Value {
    let text = || Value::String(value.to_owned());
    if matches!(name, "model" | "tool_permission") { text() } else { value.parse().unwrap_or_else(|_| text()) }
}
