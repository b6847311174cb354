//! `baton agents servers`, `baton agents exports` and `baton agents providers`.

use super::create::read_text_file;
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    error_codes,
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use baton_client::AgentResourceKind;
use baton_types::Json;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;

/// Options of `baton agents servers`, `exports` and `providers`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples (servers, exports and providers work the same way):
  baton agents servers bob                                         list all
  baton agents servers bob files                                   show one, as in mcp.json
  baton agents servers bob files --set '{\"url\": \"http://127.0.0.1:9000/mcp\"}'
  baton agents exports bob ask --file ask.json                     create or replace it
  baton agents providers bob openai --set '{\"api_key\": \"env://TEAM_KEY\"}'
  baton agents providers bob openai --delete

Secrets are shown as ***. If you write *** back, the secret is kept. Changes are saved where the
agent is stored, and apply from its next task on.")]
pub(super) struct AgentPartOptions {
    /// Name of the agent
    agent: String,
    /// Name of one entry [default: list all]
    name: Option<String>,
    /// Create or replace the entry with this JSON
    #[arg(long, value_name = "JSON", requires = "name", conflicts_with = "file")]
    set: Option<String>,
    /// Read the entry from a file, for entries with secrets
    #[arg(long, value_name = "FILE", requires = "name")]
    file: Option<PathBuf>,
    /// Delete the entry
    #[arg(long, requires = "name", conflicts_with_all = ["set", "file"])]
    delete: bool,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Lists, shows, writes or deletes entries.
pub(super) async fn run(parts: AgentResourceKind, options: AgentPartOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let done = execute(&session, parts, options, screen).await;
    session.close().await;
    done
}

async fn execute(
    session: &BatonConnection,
    parts: AgentResourceKind,
    options: AgentPartOptions,
    screen: Screen,
) -> Result<Exit, CliError> {
    let AgentPartOptions { agent, name, set, file, delete, .. } = options;
    let client = &session.client;
    let Some(name) = name else {
        let all = client.agent_parts(parts, &agent).await.map_err(client_failure)?;
        match screen.is_json() {
            true => screen.print(all.as_str()),
            false => print_table(parts, &agent, &all, screen),
        }
        return Ok(Exit::Ok);
    };
    let content = set.or(file.as_deref().map(read_text_file).transpose()?);
    let entry = content.as_deref().map(|text| parse_entry(parts, text)).transpose()?;
    let (part, done) = match (delete, entry) {
        (true, _) => (client.delete_agent_part(parts, &agent, &name).await, "deleted"),
        (false, Some(entry)) => (client.put_agent_part(parts, &agent, &name, &entry).await, "wrote"),
        (false, None) => (client.agent_part(parts, &agent, &name).await, ""),
    };
    let part = part.map_err(client_failure)?;
    match done {
        _ if screen.is_json() => screen.print(part.as_str()),
        "" => screen.print_json(&format!("{:#}", part.to_value())),
        done => screen.print_stderr(&format!("{done} {name} of {agent}")),
    }
    Ok(Exit::Ok)
}

/// Parses an entry. The error message never quotes the text, because it may contain secrets.
fn parse_entry(parts: AgentResourceKind, text: &str) -> Result<Json, CliError> {
    let parsed: Result<Value, _> = serde_json::from_str(text);
    let problem = match parsed {
        Ok(Value::Object(entry)) => return Ok(Json::from(Value::Object(entry))),
        Ok(_) => "is not an object".to_owned(),
        Err(error) => format!("is not valid JSON at line {}, column {}", error.line(), error.column()),
    };
    Err(CliError::new(error_codes::USAGE, format!("the entry {problem}"))
        .hint(format!("Write it as an object, such as '{}'.", example(parts))))
}

/// Minimal valid entry.
fn example(parts: AgentResourceKind) -> &'static str {
    match parts {
        AgentResourceKind::Servers => r#"{"url": "http://127.0.0.1:9000/mcp"}"#,
        AgentResourceKind::Exports => r#"{"description": "What is new", "prompt": "Say what is new."}"#,
        AgentResourceKind::Providers => r#"{"api_key": "env://OPENAI_API_KEY"}"#,
    }
}

/// Message for an empty list, with the command that adds an entry.
fn empty_message(parts: AgentResourceKind, agent: &str) -> String {
    let (none, name) = match parts {
        AgentResourceKind::Servers => ("no servers", "NAME"),
        AgentResourceKind::Exports => ("no exports", "NAME"),
        AgentResourceKind::Providers => ("no providers of its own", "openai"),
    };
    let (kind, entry) = (parts.as_str(), example(parts));
    format!("{agent} has {none}; add one with: baton agents {kind} {agent} {name} --set '{entry}'")
}

/// Prints one line per entry: its name, and its address, keys or description.
fn print_table(parts: AgentResourceKind, agent: &str, all: &Json, screen: Screen) {
    let all = all.to_value();
    let named: Vec<(String, String)> = match &all[parts.as_str()] {
        Value::Object(entries) => entries.iter().map(|(name, entry)| (name.clone(), entry_summary(entry))).collect(),
        Value::Array(entries) => entries
            .iter()
            .map(|entry| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                (text("name"), text("description"))
            })
            .collect(),
        _ => Vec::new(),
    };
    if named.is_empty() {
        screen.print_stderr(&empty_message(parts, agent));
    }
    let width = named.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, about) in named {
        let name = screen.stdout_paint().name(&format!("{name:<width$}"));
        screen.print(format!("{name}  {}", one_line(&about, 160)).trim_end());
    }
}

/// Address of an entry, or the list of its keys.
fn entry_summary(entry: &Value) -> String {
    for key in ["url", "command", "tool", "base_url", "BASE_URL"] {
        if let Some(text) = entry[key].as_str() {
            return text.to_owned();
        }
    }
    entry.as_object().map(|keys| keys.keys().cloned().collect::<Vec<_>>().join(", ")).unwrap_or_default()
}
