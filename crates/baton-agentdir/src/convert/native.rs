//! Writes a TeamSpark agent as a directory in the native format.

use super::{
    ConversionSource,
    items::{self, FileNames},
    providers, server,
    tree::{OrderedMap, OrderedValue},
    yaml,
};
use crate::{
    AGENT_FILE, Format, PLAYBOOK_FILE, PROMPT_FILE, REFERENCE_DIRECTORIES, RULE_DIRECTORY, raw::is_web_address,
    teamspark,
};
use baton_types::{
    AgentResources, AgentSpec, ApprovalMode, ItemKind, ModelSpec, RelevanceLimits, RunLimits, SkillSpec,
};
use std::collections::BTreeMap;

/// The files by path.
pub(super) fn write(source: &ConversionSource<'_>) -> BTreeMap<String, Vec<u8>> {
    let agent = source.agent;
    let mut files = items::shared_files(source);
    let mut map = head(agent);
    map.set_nonempty("settings", settings(agent));
    if agent.skills != [teamspark::chat_skill()] {
        map.set("skills", OrderedValue::List(agent.skills.iter().map(skill).collect()));
    }
    let kinds =
        [(ItemKind::Rule, RULE_DIRECTORY, "rules"), (ItemKind::Reference, REFERENCE_DIRECTORIES[0], "references")];
    for (kind, directory, key) in kinds {
        let mut names = FileNames::default();
        let mut rest = Vec::new();
        for item in items::items_to_write(source, Format::Native, kind) {
            match items::file(&mut names, item) {
                Some((name, text)) => {
                    files.insert(format!("{directory}/{name}"), text.into_bytes());
                }
                None => rest.push(item),
            }
        }
        map.set_nonempty(key, items::list_entries(&rest, "priority"));
    }
    map.set_nonempty("providers", providers::write(&source.resources.providers));
    write_resources(&mut map, source.resources);
    files.insert(AGENT_FILE.to_owned(), yaml::write(&map).into_bytes());
    files.insert(PROMPT_FILE.to_owned(), format!("{}\n", agent.prompt).into_bytes());
    if let ModelSpec::Playbook { rules: Some(rules) } = &agent.model {
        files.insert(PLAYBOOK_FILE.to_owned(), rules.clone().into_bytes());
    }
    files
}

fn head(agent: &AgentSpec) -> OrderedMap {
    let mut map = OrderedMap::default();
    map.set("name", agent.name.as_str());
    map.set("title", agent.title.as_str());
    map.set("description", agent.description.as_str());
    map.set("version", agent.version.as_str());
    map.set_some("model", agent.writing.model.clone());
    if let Some(provider) = &agent.about.provider {
        let mut own = OrderedMap::default();
        own.set("organization", provider.organization.as_str());
        own.set_some("url", Some(provider.url.clone()).filter(|url| is_web_address(url)));
        map.set("provider", own);
    }
    map.set_some("icon_url", agent.about.icon_url.clone().filter(|url| is_web_address(url)));
    map.set_some("documentation_url", agent.about.documentation_url.clone().filter(|url| is_web_address(url)));
    if agent.autonomous {
        map.set("autonomous", true);
    }
    map
}

fn settings(agent: &AgentSpec) -> OrderedMap {
    let mut map = OrderedMap::default();
    if agent.limits.max_turns != RunLimits::default().max_turns {
        map.set("max_turns", agent.limits.max_turns);
    }
    match agent.policy.ask {
        ApprovalMode::Tool => {}
        ApprovalMode::Always => map.set("tool_permission", "always"),
        ApprovalMode::Never => map.set("tool_permission", "never"),
    }
    map.set_some("max_output_tokens", agent.writing.max_output_tokens);
    map.set_some("temperature", agent.writing.temperature);
    map.set_some("top_p", agent.writing.top_p);
    let (limits, defaults) = (agent.knowledge.relevance, RelevanceLimits::default());
    let mut context = OrderedMap::default();
    if limits.top_k != defaults.top_k {
        context.set("top_k", limits.top_k);
    }
    if limits.top_n != defaults.top_n {
        context.set("top_n", limits.top_n);
    }
    if limits.include_score != defaults.include_score {
        context.set("include_score", limits.include_score);
    }
    map.set_nonempty("context", context);
    map
}

/// An entry of `skills`, identical in every format.
pub(super) fn skill(skill: &SkillSpec) -> OrderedValue {
    let mut map = OrderedMap::default();
    map.set("id", skill.id.as_str());
    map.set("name", skill.name.as_str());
    map.set("description", skill.description.as_str());
    map.set_nonempty("tags", OrderedValue::texts(&skill.tags));
    map.set_nonempty("examples", OrderedValue::texts(&skill.examples));
    map.into()
}

fn write_resources(map: &mut OrderedMap, resources: &AgentResources) {
    let servers =
        resources.servers.iter().map(|server| (server.name.clone(), OrderedValue::from(server::native_entry(server))));
    map.set_nonempty("mcpServers", OrderedMap(servers.collect()));
    let exports = resources.exports.iter().map(|export| {
        let mut own = OrderedMap::default();
        own.set("name", export.name.as_str());
        own.set("description", export.description.as_str());
        own.set("parameters", OrderedValue::from_json(&export.parameters));
        own.set("prompt", export.prompt.as_str());
        OrderedValue::from(own)
    });
    map.set_nonempty("exports", OrderedValue::List(exports.collect()));
}
