//! Writes an agent in one of TeamSpark's formats.

use super::{
    ConversionSource, diff,
    items::{self, FileNames},
    native, providers, server,
    tree::{OrderedMap, OrderedValue},
    yaml,
};
use crate::{
    Format, PLAYBOOK_FILE, PROMPT_FILE, REFERENCE_DIRECTORIES, RULE_DIRECTORY, TSAGENT_FILE, TSAGENT_JSON_FILE,
    mcp::TEAMSPARK_FILE, teamspark,
};
use baton_types::{ApprovalMode, ItemKind, ModelSpec, RelevanceLimits, RunLimits};
use std::collections::BTreeMap;

/// The files by path.
pub(super) fn write(source: &ConversionSource<'_>, to: Format) -> BTreeMap<String, Vec<u8>> {
    let agent = source.agent;
    let mut files = BTreeMap::new();
    let mut map = OrderedMap::default();
    map.set("metadata", metadata(source, to));
    map.set_nonempty("settings", settings(source, to));
    let name = match to {
        Format::Tspark => TEAMSPARK_FILE,
        Format::TsagentJson => TSAGENT_JSON_FILE,
        Format::Native | Format::Tsagent => TSAGENT_FILE,
    };
    if to == Format::Tsagent {
        map.set("systemPrompt", agent.prompt.as_str());
        map.set_nonempty(
            "rules",
            items::list_entries(&items::items_to_write(source, to, ItemKind::Rule), "priorityLevel"),
        );
        map.set_nonempty(
            "references",
            items::list_entries(&items::items_to_write(source, to, ItemKind::Reference), "priorityLevel"),
        );
    } else {
        files = items::shared_files(source);
        directories(source, to, &mut files);
        files.insert(PROMPT_FILE.to_owned(), format!("{}\n", agent.prompt).into_bytes());
    }
    let earlier = source.tree.as_ref().and_then(|tree| tree.get("mcpServers"));
    let servers = source.resources.servers.iter().map(|server| {
        let earlier = earlier.and_then(|all| all.get(&server.name));
        (server.name.clone(), OrderedValue::from(server::teamspark_entry(server, earlier)))
    });
    map.set_nonempty("mcpServers", OrderedMap(servers.collect()));
    match source.tree.as_ref().and_then(|tree| tree.get("providers")) {
        Some(earlier) => map.set("providers", earlier.clone()),
        None => map.set_nonempty("providers", providers::write(&source.resources.providers)),
    }
    copy_unknown_keys(&mut map, source.tree.as_ref(), &diff::GENERATED_TOP_KEYS);
    let text = if to == Format::Tsagent { yaml::write(&map) } else { OrderedValue::Map(map).to_json() };
    files.insert(name.to_owned(), text.into_bytes());
    if let ModelSpec::Playbook { rules: Some(rules) } = &agent.model {
        files.insert(PLAYBOOK_FILE.to_owned(), rules.clone().into_bytes());
    }
    files
}

fn directories(source: &ConversionSource<'_>, to: Format, files: &mut BTreeMap<String, Vec<u8>>) {
    for (kind, directory) in [(ItemKind::Rule, RULE_DIRECTORY), (ItemKind::Reference, REFERENCE_DIRECTORIES[1])] {
        let mut names = FileNames::default();
        for item in items::items_to_write(source, to, kind) {
            let is_prose = item.media_type == "text/markdown";
            let plain = if is_prose { None } else { items::file(&mut names, item) };
            let (name, text) = plain.unwrap_or_else(|| items::mdt(&mut names, item));
            files.insert(format!("{directory}/{name}"), text.into_bytes());
        }
    }
}

fn metadata(source: &ConversionSource<'_>, to: Format) -> OrderedMap {
    let agent = source.agent;
    let mut map = OrderedMap::default();
    map.set("name", agent.title.as_str());
    map.set("version", agent.version.as_str());
    map.set("description", agent.description.as_str());
    map.set_some("iconUrl", agent.about.icon_url.clone());
    map.set_some("documentationUrl", agent.about.documentation_url.clone());
    if let Some(provider) = &agent.about.provider {
        let mut own = OrderedMap::default();
        own.set("organization", provider.organization.as_str());
        own.set("url", provider.url.as_str());
        map.set("provider", own);
    }
    let skills =
        if diff::has_default_skill(source) { Vec::new() } else { agent.skills.iter().map(native::skill).collect() };
    // In the `tspark` format a list of skills, even an empty one, is the only way to mark an agent as autonomous.
    let says_so = to == Format::Tspark && (agent.autonomous || !skills.is_empty());
    if agent.autonomous || says_so {
        map.set("autonomous", agent.autonomous);
    }
    if !skills.is_empty() || (to == Format::Tspark && agent.autonomous) {
        map.set("skills", skills);
    }
    let tools = source.resources.exports.iter().filter_map(|export| {
        let mut own = OrderedMap::default();
        own.set("name", export.name.as_str());
        own.set("description", export.description.as_str());
        own.set("parameters", OrderedValue::from_json(&export.parameters));
        own.set("prompt", teamspark::to_teamspark_prompt(export)?);
        Some(OrderedValue::from(own))
    });
    map.set_nonempty("tools", OrderedValue::List(tools.collect()));
    copy_unknown_keys(
        &mut map,
        source.tree.as_ref().and_then(|tree| tree.get("metadata")),
        &diff::GENERATED_METADATA_KEYS,
    );
    map
}

fn settings(source: &ConversionSource<'_>, to: Format) -> OrderedMap {
    let agent = source.agent;
    let mut map = OrderedMap::default();
    if agent.limits.max_turns != RunLimits::default().max_turns {
        map.set("maxChatTurns", agent.limits.max_turns);
    }
    map.set_some("maxOutputTokens", agent.writing.max_output_tokens);
    map.set_some("temperature", agent.writing.temperature);
    map.set_some("topP", agent.writing.top_p);
    match agent.policy.ask {
        ApprovalMode::Tool => {}
        ApprovalMode::Always => map.set("toolPermission", "always"),
        ApprovalMode::Never => map.set("toolPermission", "never"),
    }
    let (limits, defaults) = (agent.knowledge.relevance, RelevanceLimits::default());
    if limits.top_k != defaults.top_k {
        map.set("contextTopK", limits.top_k);
    }
    if limits.top_n != defaults.top_n {
        map.set("contextTopN", limits.top_n);
    }
    if limits.include_score != defaults.include_score {
        map.set("contextIncludeScore", limits.include_score);
    }
    if to == Format::Tspark {
        // The `tspark` format writes all numbers as text.
        for (_, value) in &mut map.0 {
            if let OrderedValue::Number(number) = value {
                *value = OrderedValue::Text(number.to_string());
            }
        }
    }
    let model = if to == Format::Tspark { "mostRecentModel" } else { "model" };
    map.set_some(model, agent.writing.model.clone());
    copy_unknown_keys(
        &mut map,
        source.tree.as_ref().and_then(|tree| tree.get("settings")),
        &diff::GENERATED_SETTINGS_KEYS,
    );
    map
}

/// Copies keys of an earlier map that are not generated.
fn copy_unknown_keys(map: &mut OrderedMap, earlier: Option<&OrderedValue>, generated_keys: &[&str]) {
    let Some(OrderedValue::Map(OrderedMap(earlier))) = earlier else { return };
    for (key, value) in earlier.iter().filter(|(key, _)| !generated_keys.contains(&key.as_str())) {
        map.set(key, value.clone());
    }
}
