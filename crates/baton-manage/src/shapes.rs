//! Definitions in API form.

use crate::{
    Definition,
    secrets::{shown_entry, shown_provider},
};
use baton_api::{
    AgentDefinition, AgentExport, AgentItem, AgentProviderInfo, AvailableProvider, DefinitionLocation, ProviderKeyInfo,
    SessionSettingsBody,
};
use baton_ports::AgentLocation;
use baton_types::{AgentSpec, ContextItem, ExportedTool, Json, KnownProvider, PROVIDERS, ProviderEntry, Thousandths};
use std::collections::BTreeMap;

/// The whole definition, without secrets and without the texts of rules and references.
pub fn definition(definition: &Definition) -> AgentDefinition {
    let Definition { agent, resources, form, digest, location, .. } = definition;
    let maker = agent.about.provider.as_ref();
    AgentDefinition {
        location: storage_info(location),
        digest: digest.to_string(),
        form: form.as_str().to_owned(),
        prompt: agent.prompt.clone(),
        autonomous: agent.autonomous,
        settings: settings(agent),
        provider: maker
            .map(|maker| AgentProviderInfo { organization: maker.organization.clone(), url: maker.url.clone() }),
        icon_url: agent.about.icon_url.clone(),
        documentation_url: agent.about.documentation_url.clone(),
        rules: agent.knowledge.rules.iter().map(item).collect(),
        references: agent.knowledge.references.iter().map(item).collect(),
        servers: servers(definition),
        exports: resources.exports.iter().map(export).collect(),
        providers: providers(definition),
    }
}

/// Storage location of a definition.
pub fn storage_info(location: &AgentLocation) -> DefinitionLocation {
    let (name, path) = match location {
        AgentLocation::Memory => ("memory", None),
        AgentLocation::Disk(path) => ("disk", Some(path.clone())),
        AgentLocation::Storage => ("storage", None),
    };
    DefinitionLocation { place: name.to_owned(), path, note: location_note(location) }
}

/// Description of a location for people.
pub fn location_note(location: &AgentLocation) -> String {
    match location {
        AgentLocation::Memory => "stored in memory: lost when this server stops".to_owned(),
        AgentLocation::Disk(path) => format!("stored on disk in {path}"),
        AgentLocation::Storage => "stored by the program that serves it".to_owned(),
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

/// A rule or reference with its text, without trailing line breaks.
pub fn item_with_text(source: &ContextItem) -> AgentItem {
    AgentItem { text: Some(source.text.trim_end_matches(['\n', '\r']).to_owned()), ..item(source) }
}

/// An exported tool.
pub fn export(tool: &ExportedTool) -> AgentExport {
    let ExportedTool { name, description, parameters, prompt } = tool.clone();
    AgentExport { name, description: Some(description), parameters: Some(parameters), prompt: Some(prompt) }
}

/// Servers by name, without secrets.
pub fn servers(definition: &Definition) -> BTreeMap<String, Json> {
    definition.resources.servers.iter().map(|server| (server.name.clone(), shown_entry(server))).collect()
}

/// Providers by id, without secrets.
pub fn providers(definition: &Definition) -> BTreeMap<String, Json> {
    definition.resources.providers.iter().map(|provider| (provider.id.clone(), shown_provider(provider))).collect()
}

/// The provider with this id or alias.
pub fn provider<'a>(definition: &'a Definition, id: &str) -> Option<&'a ProviderEntry> {
    definition.resources.providers.iter().find(|provider| provider.id == KnownProvider::canonical_id(id))
}

/// Supported providers.
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

/// Default settings for new sessions.
pub fn settings(agent: &AgentSpec) -> SessionSettingsBody {
    let limits = agent.knowledge.relevance;
    SessionSettingsBody {
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
