//! Named parts of an agent: rules, references, exported tools, MCP servers, providers.

use super::{
    arguments::{Arguments, wrong},
    server::{Call, ManageServer},
    verbs::{Deed, PartKind},
};
use baton_manage::{
    Definition, ManageError, available_providers, export, export_change, item, item_change, item_with_text, provider,
    provider_change, providers, server_change, shown_entry, shown_provider,
};
use baton_types::{AgentChange, AgentResources, ErrorCode, ItemKind, Json};
use baton_wire::api::{AgentExport, AgentItem};
use serde_json::{Value, json};

/// New value of a part.
enum Wish {
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
        deed: Deed,
        call: &Call<'_>,
        mut given: Arguments,
    ) -> Result<Value, ManageError> {
        let (agent, digest) = (given.agent()?, given.digest());
        if deed == Deed::List {
            return Ok(listed(kind, &self.manager.definition(&agent).await?));
        }
        let name = given.needed(kind.argument())?;
        let asks = given.flag("ask") == Some(true);
        let wish = match deed {
            Deed::Get => return one(kind, &self.manager.definition(&agent).await?, &name),
            Deed::Delete => None,
            _ => Some(wish(kind, &name, given)?),
        };
        if let (Deed::Validate, Some(wish)) = (deed, &wish) {
            let decide = |now: &Definition| Ok(vec![change(wish, deed, now, &name)?]);
            return match self.manager.preview_change(&agent, call.who, decide).await {
                Ok(kit) => Ok(self.usable(&name, &kit, asks).await),
                Err(error) if error.code == ErrorCode::AGENT_NOT_FOUND => Err(error),
                Err(error) => Ok(json!({"isValid": false, "error": error.detail})),
            };
        }
        let decide = |now: &Definition| {
            let is_there = one(kind, now, &name);
            match (deed, &is_there) {
                (Deed::Add, Ok(_)) => {
                    let detail = format!("the agent '{agent}' has the {} '{name}' already", kind.words());
                    return Err(ManageError { code: ErrorCode::NAME_TAKEN, detail });
                }
                (Deed::Add, Err(_)) | (_, Ok(_)) => {}
                (_, Err(absent)) => return Err(absent.clone()),
            }
            Ok(vec![match &wish {
                Some(wish) => change(wish, deed, now, &name)?,
                None => removal(kind, &name),
            }])
        };
        let changed = self.manager.change(&agent, call.who, digest.as_ref(), decide).await?;
        let of = if deed == Deed::Delete { &changed.before } else { &changed.after };
        let mut shown = one(kind, of, &name)?;
        shown["digest"] = changed.after.digest.to_string().into();
        shown["success"] = true.into();
        Ok(shown)
    }

    /// Result of a provider validation; with `asks`, the provider is also queried for its models.
    async fn usable(&self, provider: &str, kit: &AgentResources, asks: bool) -> Value {
        let Some(probe) = self.providers.as_ref().filter(|_| asks) else { return json!({"isValid": true}) };
        match probe.models(provider, kit).await {
            Ok(models) => json!({"isValid": true, "models": models}),
            Err(error) => json!({"isValid": false, "error": error}),
        }
    }
}

fn wish(kind: PartKind, name: &str, mut given: Arguments) -> Result<Wish, ManageError> {
    Ok(match kind {
        PartKind::Rule | PartKind::Reference => {
            let item = AgentItem { name: name.to_owned(), ..given.rest()? };
            Wish::Item(if kind == PartKind::Rule { ItemKind::Rule } else { ItemKind::Reference }, item)
        }
        PartKind::Export => Wish::Export(AgentExport { name: name.to_owned(), ..given.rest()? }),
        PartKind::Server | PartKind::Provider => {
            let config: Option<Json> = given.member("config")?;
            let config = config.ok_or_else(|| wrong("'config' is missing".to_owned()))?;
            if kind == PartKind::Server { Wish::Server(config) } else { Wish::Provider(config) }
        }
    })
}

fn change(wish: &Wish, deed: Deed, now: &Definition, name: &str) -> Result<AgentChange, ManageError> {
    match wish {
        Wish::Item(kind, item) => item_change(*kind, item, deed == Deed::Add),
        Wish::Export(export) => Ok(export_change(Some(now), export)),
        Wish::Server(entry) => server_change(Some(now), name, entry),
        Wish::Provider(entry) => provider_change(Some(now), name, entry),
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
fn one(kind: PartKind, of: &Definition, name: &str) -> Result<Value, ManageError> {
    let absent = || {
        let name: String = name.chars().take(128).collect();
        let detail = format!("the agent '{}' has no {} '{name}'", of.name, kind.words());
        ManageError { code: ErrorCode::AGENT_PART_NOT_FOUND, detail }
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
