//! `baton sessions set SESSION NAME=VALUE`.

use super::{Which, tell};
use crate::{
    connect::failure,
    failure::{Exit, Failure},
    screen::{Screen, one_line},
};
use baton_types::{ErrorCode, Json};
use baton_wire::api::{ChangeSession, SessionSettings};
use clap::Args;
use serde_json::{Map, Value};

/// What `baton sessions set` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions set 0199... model=openai:gpt-5
  baton sessions set 0199... max_turns=40 temperature=0.2
  baton sessions set 0199... tool_permission=never

Settings: model, max_turns, max_output_tokens, temperature, top_p, tool_permission (always, never,
tool), autonomous (true, false), context_top_k, context_top_n, context_include_score. They hold from
the next run on, before what a message says for itself. Prints all that differ from the agent's.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// What is to hold
    #[arg(required = true, value_name = "NAME=VALUE")]
    settings: Vec<String>,
}

/// Sets them.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, settings } = options;
    let mut all = Map::new();
    for setting in &settings {
        let usage = |what: &str| Failure::new(ErrorCode::USAGE, format!("'{}': {what}", one_line(setting, 120)));
        let (name, value) = setting.split_once('=').ok_or_else(|| usage("write NAME=VALUE"))?;
        if !SessionSettings::NAMES.contains(&name) {
            return Err(usage(&format!("there is no such setting; there are {}", SessionSettings::NAMES.join(", "))));
        }
        all.insert(name.to_owned(), read(name, value));
    }
    let session = which.reach().await?;
    let settings = Some(Json::from(Value::Object(all)));
    let change = ChangeSession { settings, ..ChangeSession::default() };
    let changed = session.client.change_session(which.name(), &change).await;
    session.close().await;
    tell(&changed.map_err(failure)?, screen);
    Ok(Exit::Ok)
}

/// Names of models are text, whatever they look like.
fn read(name: &str, value: &str) -> Value {
    let text = || Value::String(value.to_owned());
    if matches!(name, "model" | "tool_permission") { text() } else { value.parse().unwrap_or_else(|_| text()) }
}
