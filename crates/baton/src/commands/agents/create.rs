//! `baton agents create NAME`: an agent that lives here, made while the server runs.

use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_types::ErrorCode;
use baton_wire::api::{CreateAgent, SessionSettings};
use clap::Args;
use serde_json::json;
use std::{fs, path::Path, path::PathBuf};

/// What `baton agents create` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents create bob --prompt \"You are Bob. Be brief.\"
  baton agents create bob --prompt-file bob.md --model openai:gpt-5-mini --keep
  baton agents create bob --playbook playbook.yaml
  baton agents rules bob tone --text \"Be kind.\"      then give it rules and references
  baton run bob \"Hello\"

A server keeps new agents in memory, and they are gone when it ends; --keep writes the definition
into the first folder of agents that it serves. Without a server the agent is always kept there.
Where `new_agents` in baton.yaml names a folder, all of them are kept in that one.")]
pub(super) struct Options {
    /// What it is called: lower-case letters, digits and dashes
    name: String,
    /// The name that people see [default: made of NAME]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// What it is for; others choose it by this
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The system prompt
    #[arg(long, value_name = "TEXT", conflicts_with = "prompt_file")]
    prompt: Option<String>,
    /// A file that has the system prompt
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// A file with rules of the built-in model, as playbook.yaml
    #[arg(long, value_name = "FILE")]
    playbook: Option<PathBuf>,
    /// Who answers for it: provider:model
    #[arg(long, value_name = "PROVIDER:MODEL")]
    model: Option<String>,
    /// Keep the definition on disk
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    place: Place,
}

/// Makes it, and says where it is kept.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { name, title, description, prompt, prompt_file, playbook, model, keep, place } = options;
    let from_file = prompt_file.as_deref().map(text).transpose()?;
    let playbook = playbook.as_deref().map(text).transpose()?;
    let session = place.manage().await?;
    // What this process keeps in memory is gone when the command has ended.
    let keep = (keep || session.own.is_some()).then_some(true);
    let settings = model.map(|model| SessionSettings { model: Some(model), ..SessionSettings::default() });
    let prompt = prompt.or(from_file);
    let wish = CreateAgent {
        name: Some(name),
        keep,
        playbook,
        title,
        description,
        prompt,
        settings,
        ..CreateAgent::default()
    };
    let made = session.client.create_agent(&wish).await;
    session.close().await;
    let made = made.map_err(failure)?;
    if screen.is_json() {
        screen.print(&json!(made).to_string());
        return Ok(Exit::Ok);
    }
    let kept = made.definition.map(|definition| format!(", {}", definition.kept.note)).unwrap_or_default();
    screen.say(&format!("made {}{kept}; ask it with: baton run {} \"...\"", made.name, made.name));
    Ok(Exit::Ok)
}

/// All of a file.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::new(ErrorCode::USAGE, format!("{} cannot be read: {error}", path.display())))
}
