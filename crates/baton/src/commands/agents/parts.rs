//! `baton agents servers NAME`, `baton agents exports NAME` and `baton agents providers NAME`.

use super::create::text;
use crate::{
    commands::place::Place,
    connect::{Session, failure},
    failure::{Exit, Failure},
    screen::{Screen, one_line},
};
use baton_client::AgentParts;
use baton_types::{ErrorCode, Json};
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;

/// What `baton agents servers`, `exports` and `providers` are told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples (servers, exports and providers are used the same way):
  baton agents servers bob                                         all
  baton agents servers bob files                                   one, as it is written in mcp.json
  baton agents servers bob files --set '{\"url\": \"http://127.0.0.1:9000/mcp\"}'
  baton agents exports bob ask --file ask.json                     make it, or change it
  baton agents providers bob openai --set '{\"api_key\": \"env://TEAM_KEY\"}'
  baton agents providers bob openai --delete

Secrets are never shown: *** stands for one, and given back it stays. A change is written where the
agent is kept, and holds from its next task on.")]
pub(super) struct Options {
    /// What the agent is called
    agent: String,
    /// The name of one; without it all are listed
    name: Option<String>,
    /// The entry as JSON; makes it, or replaces the one that is there
    #[arg(long, value_name = "JSON", requires = "name", conflicts_with = "file")]
    set: Option<String>,
    /// A file that has the entry, for one with secrets
    #[arg(long, value_name = "FILE", requires = "name")]
    file: Option<PathBuf>,
    /// Take it away
    #[arg(long, requires = "name", conflicts_with_all = ["set", "file"])]
    delete: bool,
    #[command(flatten)]
    place: Place,
}

/// Lists, shows, writes or takes away.
pub(super) async fn run(parts: AgentParts, options: Options, screen: Screen) -> Result<Exit, Failure> {
    let session = options.place.manage().await?;
    let done = done(&session, parts, options, screen).await;
    session.close().await;
    done
}

async fn done(session: &Session, parts: AgentParts, options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { agent, name, set, file, delete, .. } = options;
    let client = &session.client;
    let Some(name) = name else {
        let all = client.agent_parts(parts, &agent).await.map_err(failure)?;
        match screen.is_json() {
            true => screen.print(all.as_str()),
            false => table(parts, &agent, &all, screen),
        }
        return Ok(Exit::Ok);
    };
    let given = set.or(file.as_deref().map(text).transpose()?);
    let entry = given.as_deref().map(|text| entry(parts, text)).transpose()?;
    let (part, done) = match (delete, entry) {
        (true, _) => (client.delete_agent_part(parts, &agent, &name).await, "deleted"),
        (false, Some(entry)) => (client.put_agent_part(parts, &agent, &name, &entry).await, "wrote"),
        (false, None) => (client.agent_part(parts, &agent, &name).await, ""),
    };
    let part = part.map_err(failure)?;
    match done {
        _ if screen.is_json() => screen.print(part.as_str()),
        "" => screen.print_json(&format!("{:#}", part.to_value())),
        done => screen.say(&format!("{done} {name} of {agent}")),
    }
    Ok(Exit::Ok)
}

/// What was written as JSON; the message repeats none of it, because it may hold secrets.
fn entry(parts: AgentParts, text: &str) -> Result<Json, Failure> {
    let parsed: Result<Value, _> = serde_json::from_str(text);
    let problem = match parsed {
        Ok(Value::Object(entry)) => return Ok(Json::from(Value::Object(entry))),
        Ok(_) => "is not an object".to_owned(),
        Err(error) => format!("is no JSON at line {}, column {}", error.line(), error.column()),
    };
    Err(Failure::new(ErrorCode::USAGE, format!("the entry {problem}"))
        .hint(format!("Write it as an object, such as '{}'.", example(parts))))
}

/// The shortest entry that is of use.
fn example(parts: AgentParts) -> &'static str {
    match parts {
        AgentParts::Servers => r#"{"url": "http://127.0.0.1:9000/mcp"}"#,
        AgentParts::Exports => r#"{"description": "What is new", "prompt": "Say what is new."}"#,
        AgentParts::Providers => r#"{"api_key": "env://OPENAI_API_KEY"}"#,
    }
}

/// That there are none, and how there would be one.
fn none(parts: AgentParts, agent: &str) -> String {
    let (none, name) = match parts {
        AgentParts::Servers => ("no servers", "NAME"),
        AgentParts::Exports => ("no exports", "NAME"),
        AgentParts::Providers => ("no providers of its own", "openai"),
    };
    let (kind, entry) = (parts.as_str(), example(parts));
    format!("{agent} has {none}; add one with: baton agents {kind} {agent} {name} --set '{entry}'")
}

/// A line for each, with the names of its keys or what it is about.
fn table(parts: AgentParts, agent: &str, all: &Json, screen: Screen) {
    let all = all.to_value();
    let named: Vec<(String, String)> = match &all[parts.as_str()] {
        Value::Object(entries) => entries.iter().map(|(name, entry)| (name.clone(), about(entry))).collect(),
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
        screen.say(&none(parts, agent));
    }
    let width = named.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, about) in named {
        let name = screen.data_paint().name(&format!("{name:<width$}"));
        screen.print(format!("{name}  {}", one_line(&about, 160)).trim_end());
    }
}

/// Where it is, or which keys it has.
fn about(entry: &Value) -> String {
    for key in ["url", "command", "tool", "base_url", "BASE_URL"] {
        if let Some(text) = entry[key].as_str() {
            return text.to_owned();
        }
    }
    entry.as_object().map(|keys| keys.keys().cloned().collect::<Vec<_>>().join(", ")).unwrap_or_default()
}
