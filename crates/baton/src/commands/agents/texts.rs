//! `baton agents rules` and `baton agents references`.

use super::create::read_text_file;
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use baton_api::AgentItem;
use baton_client::AgentTextKind;
use baton_types::InclusionMode;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;

/// Options of `baton agents rules` and `baton agents references`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples (references work the same way as rules):
  baton agents rules bob                                      list all, without their texts
  baton agents rules bob tone                                 show the text of one
  baton agents rules bob tone --text \"Be kind.\"               create it, or change its text
  baton agents rules bob tone --priority 900 --include agent  change its settings
  baton agents rules bob tone --delete

Changes are saved where the agent is stored, and apply from its next task on.")]
pub(super) struct AgentTextOptions {
    /// Name of the agent
    agent: String,
    /// Name of one entry [default: list all]
    name: Option<String>,
    /// New text
    #[arg(long, value_name = "TEXT", requires = "name", conflicts_with = "file")]
    text: Option<String>,
    /// Read the new text from a file
    #[arg(long, value_name = "FILE", requires = "name")]
    file: Option<PathBuf>,
    /// Short description of the entry
    #[arg(long, value_name = "TEXT", requires = "name")]
    description: Option<String>,
    /// Priority from 0 to 999; higher priorities are placed later, closer to the user's message
    #[arg(long, value_name = "N", requires = "name")]
    priority: Option<u16>,
    /// When to include the text in the model's context
    #[arg(long, value_name = "WHEN", requires = "name")]
    include: Option<IncludeMode>,
    /// Delete the entry
    #[arg(long, requires = "name", conflicts_with_all = ["text", "file", "description", "priority", "include"])]
    delete: bool,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Inclusion mode of a rule or reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IncludeMode {
    /// In every request
    Always,
    /// When it is named explicitly
    Manual,
    /// When it is relevant to the request
    Agent,
}

impl From<IncludeMode> for InclusionMode {
    fn from(when: IncludeMode) -> Self {
        match when {
            IncludeMode::Always => Self::Always,
            IncludeMode::Manual => Self::Manual,
            IncludeMode::Agent => Self::Agent,
        }
    }
}

/// Lists, shows, writes or deletes entries.
pub(super) async fn run(texts: AgentTextKind, options: AgentTextOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let done = execute(&session, texts, options, screen).await;
    session.close().await;
    done
}

async fn execute(
    session: &BatonConnection,
    texts: AgentTextKind,
    options: AgentTextOptions,
    screen: Screen,
) -> Result<Exit, CliError> {
    let AgentTextOptions { agent, name, text: content, file, description, priority, include, delete, .. } = options;
    let client = &session.client;
    let Some(name) = name else {
        let list = client.agent_texts(texts, &agent).await.map_err(client_failure)?;
        match screen.is_json() {
            true => screen.print(&json!(list).to_string()),
            false if list.items.is_empty() => {
                let kind = texts.as_str();
                screen.print_stderr(&format!(
                    "{agent} has no {kind}; add one with: baton agents {kind} {agent} NAME --text \"...\""
                ));
            }
            false => print_table(&list.items, screen),
        }
        return Ok(Exit::Ok);
    };
    let content = content.or(file.as_deref().map(read_text_file).transpose()?);
    let include = include.map(InclusionMode::from);
    let change = AgentItem { name: name.clone(), description, priority, include, text: content };
    let is_look = change == AgentItem { name: name.clone(), ..AgentItem::default() };
    let (item, done) = match (delete, is_look) {
        (true, _) => (client.delete_agent_text(texts, &agent, &name).await, "deleted"),
        (false, true) => (client.agent_text(texts, &agent, &name).await, ""),
        (false, false) => (client.put_agent_text(texts, &agent, &change).await, "wrote"),
    };
    let item = item.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!(item).to_string());
    } else if done.is_empty() {
        screen.print(item.text.as_deref().unwrap_or_default().trim_end());
    } else {
        screen.print_stderr(&format!("{done} {} of {agent}", item.name));
    }
    Ok(Exit::Ok)
}

fn print_table(items: &[AgentItem], screen: Screen) {
    let width = items.iter().map(|item| item.name.chars().count()).max().unwrap_or(0);
    let paint = screen.stdout_paint();
    for item in items {
        let name = paint.name(&format!("{:<width$}", item.name));
        let priority = item.priority.map(|priority| priority.to_string()).unwrap_or_default();
        let include = match item.include {
            Some(InclusionMode::Always) => "always",
            Some(InclusionMode::Manual) => "manual",
            Some(InclusionMode::Agent) => "agent",
            None => "",
        };
        let about = one_line(item.description.as_deref().unwrap_or_default(), 160);
        screen.print(format!("{name}  {priority:>3}  {include:<6}  {about}").trim_end());
    }
}
