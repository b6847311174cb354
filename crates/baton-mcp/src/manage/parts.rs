//! Named parts of an agent: rules, references, exported tools, MCP servers, providers.

use super::{
    arguments::{ManageArguments, invalid_argument},
    server::{ManageCall, ManageServer},
    verbs::{PartAction, PartKind},
};
use crate::error_codes;
use baton_api::{AgentExport, AgentItem};
use baton_manage::{
    Definition, ManageError, available_providers, export, export_change, item, item_change, item_with_text, provider,
    provider_change, providers, server_change, shown_entry, shown_provider,
};
use baton_types::{AgentChange, AgentResources, ErrorCode, ItemKind, Json};
use serde_json::{Value, json};

/// New value of a part.
enum PartValue {
    Item(ItemKind, AgentItem),
    Export(AgentExport),
    Server(Json),
    Provider(Json),
}

impl ManageServer {
    /// Performs an action on one part of an agent, or lists all parts of the kind.
    pub(super) async fn part(
        &self,
        kind: PartKind,
        action: PartAction,
        call: &ManageCall<'_>,
        mut arguments: ManageArguments,
    ) -> Result<Value, ManageError> {
        let (agent, digest) = (arguments.agent()?, arguments.digest());
        if action == PartAction::List {
            return Ok(listed(kind, &self.manager.definition(&agent).await?));
        }
        let name = arguments.required_text(kind.argument())?;
        let asks = arguments.flag("ask") == Some(true);
        let value = match action {
            PartAction::Get => return find_part(kind, &self.manager.definition(&agent).await?, &name),
            PartAction::Delete => None,
            _ => Some(parse_value(kind, &name, arguments)?),
        };
        if let (PartAction::Validate, Some(value)) = (action, &value) {
            let decide = |now: &Definition| Ok(vec![change(value, action, now, &name)?]);
            return match self.manager.preview_change(&agent, call.role, decide).await {
                Ok(resources) => Ok(self.validate_provider(&name, &resources, asks).await),
                Err(error) if error.code == ErrorCode::AGENT_NOT_FOUND => Err(error),
                Err(error) => Ok(json!({"isValid": false, "error": error.detail})),
            };
        }
        let decide = |now: &Definition| {
            let is_there = find_part(kind, now, &name);
            match (action, &is_there) {
                (PartAction::Add, Ok(_)) => {
                    let detail = format!("the agent '{agent}' has the {} '{name}' already", kind.label());
                    return Err(ManageError { code: error_codes::NAME_TAKEN, detail });
                }
                (PartAction::Add, Err(_)) | (_, Ok(_)) => {}
                (_, Err(absent)) => return Err(absent.clone()),
            }
            Ok(vec![match &value {
                Some(value) => change(value, action, now, &name)?,
                None => removal(kind, &name),
            }])
        };
        let changed = self.manager.change(&agent, call.role, digest.as_ref(), decide).await?;
        let of = if action == PartAction::Delete { &changed.before } else { &changed.after };
        let mut shown = find_part(kind, of, &name)?;
        shown["digest"] = changed.after.digest.to_string().into();
        shown["success"] = true.into();
        Ok(shown)
    }

    /// Result of a provider validation; with `asks`, the provider is also queried for its models.
    async fn validate_provider(&self, provider: &str, resources: &AgentResources, asks: bool) -> Value {
        let Some(probe) = self.providers.as_ref().filter(|_| asks) else { return json!({"isValid": true}) };
        match probe.models(provider, resources).await {
            Ok(models) => json!({"isValid": true, "models": models}),
            Err(error) => json!({"isValid": false, "error": error}),
        }
    }
}

fn parse_value(kind: PartKind, name: &str, mut arguments: ManageArguments) -> Result<PartValue, ManageError> {
    Ok(match kind {
        PartKind::Rule | PartKind::Reference => {
            let item = AgentItem { name: name.to_owned(), ..arguments.rest()? };
            PartValue::Item(if kind == PartKind::Rule { ItemKind::Rule } else { ItemKind::Reference }, item)
        }
        PartKind::Export => PartValue::Export(AgentExport { name: name.to_owned(), ..arguments.rest()? }),
        PartKind::Server | PartKind::Provider => {
            let config: Option<Json> = arguments.member("config")?;
            let config = config.ok_or_else(|| invalid_argument("'config' is missing".to_owned()))?;
            if kind == PartKind::Server { PartValue::Server(config) } else { PartValue::Provider(config) }
        }
    })
}

fn change(value: &PartValue, action: PartAction, now: &Definition, name: &str) -> Result<AgentChange, ManageError> {
    match value {
        PartValue::Item(kind, item) => item_change(*kind, item, action == PartAction::Add),
        PartValue::Export(export) => Ok(export_change(Some(now), export)),
        PartValue::Server(entry) => server_change(Some(now), name, entry),
        PartValue::Provider(entry) => provider_change(Some(now), name, entry),
    }
}

fn removal(kind: PartKind, name: &str) -> AgentChange {
    let name = name.to_owned();
    match kind {
        PartKind::Rule => AgentChange::Remove { kind: ItemKind::Rule, name },
        PartKind::Reference => AgentChange::Remove { kind: ItemKind::Reference, name },
        PartKind::Export => AgentChange::Export { name, entry: None },
        PartKind::Server => AgentChange::Server { name, entry: None },
        PartKind::Provider => AgentChange::Provider { id: name, entry: None },
    }
}

fn items(kind: PartKind) -> ItemKind {
    if kind == PartKind::Reference { ItemKind::Reference } else { ItemKind::Rule }
}

fn listed(kind: PartKind, of: &Definition) -> Value {
    let digest = of.digest.to_string();
    match kind {
        PartKind::Rule | PartKind::Reference => {
            let all: Vec<AgentItem> = of.agent.knowledge.items(items(kind)).iter().map(item).collect();
            let key = if kind == PartKind::Rule { "rules" } else { "references" };
            json!({key: all, "digest": digest})
        }
        PartKind::Export => {
            json!({"exported_tools": of.resources.exports.iter().map(export).collect::<Vec<_>>(), "digest": digest})
        }
        PartKind::Server => json!({"mcp_servers": baton_manage::servers(of), "digest": digest}),
        PartKind::Provider => {
            let installed = providers(of);
            json!({
                "installed": installed.keys().collect::<Vec<_>>(),
                "providers": installed,
                "available": available_providers(),
                "digest": digest,
            })
        }
    }
}

/// One part, without secrets.
fn find_part(kind: PartKind, of: &Definition, name: &str) -> Result<Value, ManageError> {
    let absent = || {
        let name: String = name.chars().take(128).collect();
        let detail = format!("the agent '{}' has no {} '{name}'", of.name, kind.label());
        ManageError { code: error_codes::AGENT_PART_NOT_FOUND, detail }
    };
    let shown = match kind {
        PartKind::Rule | PartKind::Reference => {
            let found = of.agent.knowledge.items(items(kind)).iter().find(|item| item.name == name);
            json!(item_with_text(found.ok_or_else(absent)?))
        }
        PartKind::Export => {
            let found = of.resources.exports.iter().find(|tool| tool.name == name);
            json!(export(found.ok_or_else(absent)?))
        }
        PartKind::Server => {
            let found = of.resources.servers.iter().find(|server| server.name == name);
            json!({"name": name, "config": shown_entry(found.ok_or_else(absent)?).to_value()})
        }
        PartKind::Provider => {
            let found = provider(of, name).ok_or_else(absent)?;
            json!({"providerType": found.id, "config": shown_provider(found).to_value()})
        }
    };
    Ok(json!({kind.noun(): shown, "digest": of.digest.to_string()}))
}
