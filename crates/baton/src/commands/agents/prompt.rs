//! `baton agents prompt`: shows or replaces the system prompt.

use super::create::read_text_file;
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::ChangeAgent;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Options of `baton agents prompt`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents prompt bob                              show it
  baton agents prompt bob --set \"You are Bob.\"        replace it
  baton agents prompt bob --file bob.md

Changes are saved where the agent is stored, and apply from its next task on.")]
pub(super) struct AgentPromptOptions {
    /// Name of the agent
    agent: String,
    /// New system prompt
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    set: Option<String>,
    /// Read the new system prompt from a file
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Shows or replaces the system prompt.
pub(super) async fn run(options: AgentPromptOptions, screen: Screen) -> Result<Exit, CliError> {
    let AgentPromptOptions { agent, set, file, connection } = options;
    let prompt = set.or(file.as_deref().map(read_text_file).transpose()?);
    let is_change = prompt.is_some();
    let session = connection.management_session().await?;
    let shown = match prompt {
        Some(prompt) => {
            let change = ChangeAgent { prompt: Some(prompt), ..ChangeAgent::default() };
            session.client.change_agent(&agent, &change).await
        }
        None => session.client.agent(&agent).await,
    };
    session.close().await;
    let Some(definition) = shown.map_err(client_failure)?.definition else {
        let message = format!("the definition of '{agent}' is not stored here");
        return Err(CliError::new(error_codes::AGENT_NOT_CHANGED, message)
            .hint("A remote agent can only be changed on its own server."));
    };
    match (screen.is_json(), is_change) {
        (true, _) => screen.print(&json!({"prompt": definition.prompt, "digest": definition.digest}).to_string()),
        (false, true) => screen.print_stderr(&format!("wrote the prompt of {agent}")),
        (false, false) => screen.print(definition.prompt.trim_end()),
    }
    Ok(Exit::Ok)
}
