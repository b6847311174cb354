//! `baton agents create`: creates a local agent, also while the server runs.

use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::{CreateAgent, SessionSettingsBody};
use clap::Args;
use serde_json::json;
use std::{fs, path::Path, path::PathBuf};

/// Options of `baton agents create`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents create bob --prompt \"You are Bob. Be brief.\"
  baton agents create bob --prompt-file bob.md --model openai:gpt-5-mini --keep
  baton agents create bob --playbook playbook.yaml
  baton agents rules bob tone --text \"Be kind.\"      then add rules and references
  baton run bob \"Hello\"

A server keeps new agents in memory until it stops. --keep writes the definition to the first agent
directory that it serves. If no server runs, the definition is always written there. If `new_agents`
in baton.yaml names a directory, all new agents are written to that directory.")]
pub(super) struct AgentCreateOptions {
    /// Name of the agent: lower-case letters, digits and dashes
    name: String,
    /// Display name [default: derived from NAME]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Purpose of the agent; other agents select it by this text
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// System prompt
    #[arg(long, value_name = "TEXT", conflicts_with = "prompt_file")]
    prompt: Option<String>,
    /// File with the system prompt
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// File with rules for the built-in model, in the format of playbook.yaml
    #[arg(long, value_name = "FILE")]
    playbook: Option<PathBuf>,
    /// Model of the agent: provider:model
    #[arg(long, value_name = "PROVIDER:MODEL")]
    model: Option<String>,
    /// Save the definition to disk
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Creates the agent and prints the location of its definition.
pub(super) async fn run(options: AgentCreateOptions, screen: Screen) -> Result<Exit, CliError> {
    let AgentCreateOptions { name, title, description, prompt, prompt_file, playbook, model, keep, connection } =
        options;
    let from_file = prompt_file.as_deref().map(read_text_file).transpose()?;
    let playbook = playbook.as_deref().map(read_text_file).transpose()?;
    let session = connection.management_session().await?;
    // Agents in the memory of this process would be lost when the command ends.
    let keep = (keep || session.in_process.is_some()).then_some(true);
    let settings = model.map(|model| SessionSettingsBody { model: Some(model), ..SessionSettingsBody::default() });
    let prompt = prompt.or(from_file);
    let request = CreateAgent {
        name: Some(name),
        keep,
        playbook,
        title,
        description,
        prompt,
        settings,
        ..CreateAgent::default()
    };
    let created_agent = session.client.create_agent(&request).await;
    session.close().await;
    let created_agent = created_agent.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!(created_agent).to_string());
        return Ok(Exit::Ok);
    }
    let location =
        created_agent.definition.map(|definition| format!(", {}", definition.location.note)).unwrap_or_default();
    screen.print_stderr(&format!(
        "created {}{location}; ask it with: baton run {} \"...\"",
        created_agent.name, created_agent.name
    ));
    Ok(Exit::Ok)
}

/// Reads a text file.
pub(super) fn read_text_file(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path)
        .map_err(|error| CliError::new(error_codes::USAGE, format!("cannot read {}: {error}", path.display())))
}
