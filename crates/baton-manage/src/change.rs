//! Conversion of requests to definition changes.

use crate::{Definition, ManageError, manage_error, provider, secrets::restore_secrets};
use baton_agentdir::{provider_entry, server_entry};
use baton_api::{AgentExport, AgentItem, AgentProviderInfo, ChangeAgent, SessionSettingsBody};
use baton_types::{AgentChange, AgentPublisher, ErrorCode, ItemDraft, ItemKind, Json, MetadataChange};
use serde_json::{Value, json};

/// Metadata change of a request; `None` if it contains no metadata.
pub fn metadata_change(request: &ChangeAgent) -> Option<AgentChange> {
    let ChangeAgent { title, description, version, provider, icon_url, documentation_url, autonomous, .. } =
        request.clone();
    let provider = provider.map(|AgentProviderInfo { organization, url }| AgentPublisher { organization, url });
    let change = MetadataChange { title, description, version, provider, icon_url, documentation_url, autonomous };
    (change != MetadataChange::default()).then_some(AgentChange::Metadata(change))
}

/// Change of the default settings for new sessions.
pub fn settings_change(settings: &SessionSettingsBody) -> Result<AgentChange, ManageError> {
    let checked = settings
        .check()
        .map_err(|name| manage_error(ErrorCode::INVALID_REQUEST, format!("settings.{name} is out of range")))?;
    Ok(AgentChange::Settings(checked))
}

fn draft(item: &AgentItem) -> ItemDraft {
    let AgentItem { name, description, priority, include, text } = item.clone();
    ItemDraft { name, description, priority, include, text }
}

/// Change that creates a rule or reference.
pub(crate) fn item_create(kind: ItemKind, item: &AgentItem) -> Result<AgentChange, ManageError> {
    if item.text.is_none() {
        let detail = format!("the {} '{}' has no text", kind.as_str(), item.name);
        return Err(manage_error(ErrorCode::INVALID_REQUEST, detail));
    }
    Ok(AgentChange::Create { kind, item: draft(item) })
}

/// Change that creates or updates a rule or reference.
pub fn item_change(kind: ItemKind, item: &AgentItem, is_new: bool) -> Result<AgentChange, ManageError> {
    match is_new {
        true => item_create(kind, item),
        false => Ok(AgentChange::Update { kind, item: draft(item) }),
    }
}

/// Change that creates a rule or reference, or updates the existing one.
pub fn item_put(definition: &Definition, kind: ItemKind, item: &AgentItem) -> Result<AgentChange, ManageError> {
    let is_there = definition.agent.knowledge.items(kind).iter().any(|existing| existing.name == item.name);
    item_change(kind, item, !is_there)
}

/// Change of an MCP server. Redacted values keep the stored value.
pub fn server_change(definition: Option<&Definition>, name: &str, entry: &Json) -> Result<AgentChange, ManageError> {
    if !entry.is_object() {
        return Err(manage_error(
            ErrorCode::INVALID_REQUEST,
            format!("the server '{name}' must be an object, as in mcp.json"),
        ));
    }
    let old = definition.and_then(|definition| definition.resources.servers.iter().find(|server| server.name == name));
    let entry = restore_secrets(entry, old.map(server_entry).as_ref())?;
    Ok(AgentChange::Server { name: name.to_owned(), entry: Some(entry) })
}

/// Change of a model provider. Redacted values keep the stored value.
pub fn provider_change(definition: Option<&Definition>, id: &str, entry: &Json) -> Result<AgentChange, ManageError> {
    if !entry.is_object() {
        let detail = format!("the provider '{id}' must be an object with keys such as api_key; it may be empty ({{}})");
        return Err(manage_error(ErrorCode::INVALID_REQUEST, detail));
    }
    let old = definition.and_then(|definition| provider(definition, id));
    let entry = restore_secrets(entry, old.map(provider_entry).as_ref())?;
    Ok(AgentChange::Provider { id: id.to_owned(), entry: Some(entry) })
}

/// Change of an exported tool. Absent members keep their values.
pub fn export_change(definition: Option<&Definition>, export: &AgentExport) -> AgentChange {
    let old = definition.and_then(|definition| definition.resources.exports.iter().find(|old| old.name == export.name));
    let mut entry = json!({});
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            entry[key] = value;
        }
    };
    let text = |new: &Option<String>, old: Option<&String>| new.as_ref().or(old).map(|text| text.as_str().into());
    put("description", text(&export.description, old.map(|old| &old.description)));
    put("parameters", export.parameters.as_ref().or(old.map(|old| &old.parameters)).map(Json::to_value));
    put("prompt", text(&export.prompt, old.map(|old| &old.prompt)));
    AgentChange::Export { name: export.name.clone(), entry: Some(Json::from(entry)) }
}
