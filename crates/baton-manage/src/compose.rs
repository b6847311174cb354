//! Files of a new agent.

use crate::{
    ManageError,
    change::{export_change, item_create, metadata_change, provider_change, server_change, settings_change},
    definition::read,
    manage_error,
    manager::apply_changes,
};
use baton_agentdir::{AGENT_FILE, PLAYBOOK_FILE, PROMPT_FILE, segment};
use baton_api::{ChangeAgent, CreateAgent};
use baton_ports::AgentFiles;
use baton_types::{AgentChange, ErrorCode, ItemKind, is_agent_name};

/// Maximum parts per request; each is applied as a separate change.
const MAX_PARTS: usize = 1000;

/// Files for a create request.
pub(crate) fn files(request: &CreateAgent) -> Result<AgentFiles, ManageError> {
    let CreateAgent { name, keep: _, files, playbook, rules, references, servers, exports, providers, .. } = request;
    if rules.len() + references.len() + servers.len() + exports.len() + providers.len() > MAX_PARTS {
        let detail = format!("one request can add at most {MAX_PARTS} parts to an agent; add the rest later");
        return Err(manage_error(ErrorCode::INVALID_REQUEST, detail));
    }
    let mut all: AgentFiles = match files {
        Some(files) => files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect(),
        None => {
            let name = resolve_name(name.as_deref(), request.title.as_deref())?;
            // An agent needs a prompt; this is the default.
            let prompt = format!("You are {}.\n", request.title.as_deref().unwrap_or(&name));
            AgentFiles::from([
                (AGENT_FILE.to_owned(), format!("name: {name}\n").into_bytes()),
                (PROMPT_FILE.to_owned(), prompt.into_bytes()),
            ])
        }
    };
    if let Some(playbook) = playbook {
        all.insert(PLAYBOOK_FILE.to_owned(), playbook.clone().into_bytes());
    }
    let (agent, ..) = read(&all)?;
    if let Some(name) = name.as_deref().filter(|name| *name != agent.name.as_str()) {
        let detail =
            format!("the files name the agent '{}', but the request names it '{name}'; use one name", agent.name);
        return Err(manage_error(ErrorCode::INVALID_REQUEST, detail));
    }
    Ok(apply_changes(&all, &changes(request)?)?.0)
}

fn changes(request: &CreateAgent) -> Result<Vec<AgentChange>, ManageError> {
    let CreateAgent { title, description, version, prompt, settings, autonomous, .. } = request.clone();
    let metadata = ChangeAgent { title, description, version, autonomous, ..ChangeAgent::default() };
    let mut changes: Vec<AgentChange> = metadata_change(&metadata).into_iter().collect();
    changes.extend(prompt.map(AgentChange::Prompt));
    changes.extend(settings.as_ref().map(settings_change).transpose()?);
    for rule in &request.rules {
        changes.push(item_create(ItemKind::Rule, rule)?);
    }
    for reference in &request.references {
        changes.push(item_create(ItemKind::Reference, reference)?);
    }
    for (name, entry) in &request.servers {
        changes.push(server_change(None, name, entry)?);
    }
    changes.extend(request.exports.iter().map(|export| export_change(None, export)));
    for (id, entry) in &request.providers {
        changes.push(provider_change(None, id, entry)?);
    }
    Ok(changes)
}

/// Name of an agent; derived from its title if not given.
fn resolve_name(name: Option<&str>, title: Option<&str>) -> Result<String, ManageError> {
    let from_title = || title.map(|title| segment(title.trim(), "").to_string());
    let Some(name) = name.map(str::to_owned).or_else(from_title) else {
        return Err(manage_error(ErrorCode::INVALID_REQUEST, "the agent needs a name: give name, title or files"));
    };
    match is_agent_name(&name) {
        true => Ok(name),
        false => {
            let shown: String = name.chars().take(80).collect();
            let detail = format!(
                "{shown:?} is not a valid agent name; use lower-case letters, digits and dashes, at most 64, such as weather"
            );
            Err(manage_error(ErrorCode::INVALID_REQUEST, detail))
        }
    }
}
