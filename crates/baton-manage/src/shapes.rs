//! Definitions as clients see them.

use crate::{
    Definition,
    secrets::{shown_entry, shown_provider},
};
use baton_ports::AgentPlace;
use baton_types::{AgentSpec, ContextItem, ExportedTool, Json, KnownProvider, PROVIDERS, ProviderEntry, Thousandths};
use baton_wire::api::{
    AgentDefinition, AgentExport, AgentItem, AgentKept, AgentMaker, AvailableProvider, ProviderKeyInfo, SessionSettings,
};
use std::collections::BTreeMap;

/// The whole definition, without secrets and without the texts of rules and references.
pub fn definition(definition: &Definition) -> AgentDefinition {
    let Definition { agent, kit, form, digest, place, .. } = definition;
    let maker = agent.about.provider.as_ref();
    AgentDefinition {
        kept: kept(place),
        digest: digest.to_string(),
        form: form.as_str().to_owned(),
        prompt: agent.prompt.clone(),
        autonomous: agent.autonomous,
        settings: settings(agent),
        provider: maker.map(|maker| AgentMaker { organization: maker.organization.clone(), url: maker.url.clone() }),
        icon_url: agent.about.icon_url.clone(),
        documentation_url: agent.about.documentation_url.clone(),
        rules: agent.knowledge.rules.iter().map(item).collect(),
        references: agent.knowledge.references.iter().map(item).collect(),
        servers: servers(definition),
        exports: kit.exports.iter().map(export).collect(),
        providers: providers(definition),
    }
}

/// Where a definition is kept.
pub fn kept(place: &AgentPlace) -> AgentKept {
    let (name, path) = match place {
        AgentPlace::Memory => ("memory", None),
        AgentPlace::Disk(path) => ("disk", Some(path.clone())),
        AgentPlace::Storage => ("storage", None),
    };
    AgentKept { place: name.to_owned(), path, note: note(place) }
}

/// What a place means, for people.
pub fn note(place: &AgentPlace) -> String {
    match place {
        AgentPlace::Memory => "kept in memory: gone when this Baton ends".to_owned(),
        AgentPlace::Disk(path) => format!("kept on disk in {path}"),
        AgentPlace::Storage => "kept by the program that serves it".to_owned(),
    }
}

/// A rule or reference without its text.
pub fn item(item: &ContextItem) -> AgentItem {
    AgentItem {
        name: item.name.clone(),
        description: Some(item.description.clone()),
        priority: Some(item.priority),
        include: Some(item.include),
        text: None,
    }
}

/// A rule or reference, its text without the end of line that a file has.
pub fn item_with_text(given: &ContextItem) -> AgentItem {
    AgentItem { text: Some(given.text.trim_end_matches(['\n', '\r']).to_owned()), ..item(given) }
}

/// Work that an agent offers.
pub fn export(tool: &ExportedTool) -> AgentExport {
    let ExportedTool { name, description, parameters, prompt } = tool.clone();
    AgentExport { name, description: Some(description), parameters: Some(parameters), prompt: Some(prompt) }
}

/// The servers by name, without secrets.
pub fn servers(definition: &Definition) -> BTreeMap<String, Json> {
    definition.kit.servers.iter().map(|server| (server.name.clone(), shown_entry(server))).collect()
}

/// The providers by id, without secrets.
pub fn providers(definition: &Definition) -> BTreeMap<String, Json> {
    definition.kit.providers.iter().map(|provider| (provider.id.clone(), shown_provider(provider))).collect()
}

/// The provider of this id, or of another name of it.
pub fn provider<'a>(definition: &'a Definition, id: &str) -> Option<&'a ProviderEntry> {
    definition.kit.providers.iter().find(|provider| provider.id == KnownProvider::id_of(id))
}

/// Providers that an agent could have.
pub fn available_providers() -> Vec<AvailableProvider> {
    let one = |known: &KnownProvider| AvailableProvider {
        id: known.id.to_owned(),
        title: known.title.to_owned(),
        model: known.model.map(str::to_owned),
        keys: known
            .keys
            .iter()
            .map(|key| ProviderKeyInfo { name: key.name.to_owned(), secret: key.setting.is_secret() })
            .collect(),
    };
    PROVIDERS.iter().map(one).collect()
}

/// Settings that hold in new sessions.
pub fn settings(agent: &AgentSpec) -> SessionSettings {
    let limits = agent.knowledge.relevance;
    SessionSettings {
        model: agent.writing.model.clone(),
        max_turns: Some(agent.limits.max_turns),
        max_output_tokens: agent.writing.max_output_tokens,
        temperature: agent.writing.temperature.map(Thousandths::get),
        top_p: agent.writing.top_p.map(Thousandths::get),
        tool_permission: Some(agent.policy.ask),
        autonomous: Some(agent.autonomous),
        context_top_k: Some(limits.top_k),
        context_top_n: Some(limits.top_n),
        context_include_score: Some(limits.include_score.get()),
    }
}
