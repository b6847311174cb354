//! Writes an agent in one of TeamSpark's formats.

use super::{
    Source,
    items::{self, FileNames},
    lost, native, providers, server,
    tree::{Map, Tree},
    yaml,
};
use crate::{
    Format, PLAYBOOK_FILE, PROMPT_FILE, REFERENCE_DIRECTORIES, RULE_DIRECTORY, TSAGENT_FILE, TSAGENT_JSON_FILE,
    foreign, mcp::TEAMSPARK_FILE,
};
use baton_types::{ApprovalMode, ItemKind, ModelSpec, RelevanceLimits, RunLimits};
use std::collections::BTreeMap;

/// The files by path.
pub(super) fn write(source: &Source<'_>, to: Format) -> BTreeMap<String, Vec<u8>> {
    let agent = source.agent;
    let mut files = BTreeMap::new();
    let mut map = Map::default();
    map.set("metadata", metadata(source, to));
    map.set_filled("settings", settings(source, to));
    let name = match to {
        Format::Tspark => TEAMSPARK_FILE,
        Format::TsagentJson => TSAGENT_JSON_FILE,
        Format::Native | Format::Tsagent => TSAGENT_FILE,
    };
    if to == Format::Tsagent {
        map.set("systemPrompt", agent.prompt.as_str());
        map.set_filled("rules", items::listed(&items::own(source, to, ItemKind::Rule), "priorityLevel"));
        map.set_filled("references", items::listed(&items::own(source, to, ItemKind::Reference), "priorityLevel"));
    } else {
        files = items::shared_files(source);
        directories(source, to, &mut files);
        files.insert(PROMPT_FILE.to_owned(), format!("{}\n", agent.prompt).into_bytes());
    }
    let earlier = source.tree.as_ref().and_then(|tree| tree.get("mcpServers"));
    let servers = source.kit.servers.iter().map(|server| {
        let earlier = earlier.and_then(|all| all.get(&server.name));
        (server.name.clone(), Tree::from(server::theirs(server, earlier)))
    });
    map.set_filled("mcpServers", Map(servers.collect()));
    match source.tree.as_ref().and_then(|tree| tree.get("providers")) {
        Some(earlier) => map.set("providers", earlier.clone()),
        None => map.set_filled("providers", providers::write(&source.kit.providers)),
    }
    keep(&mut map, source.tree.as_ref(), &lost::TOP);
    let text = if to == Format::Tsagent { yaml::write(&map) } else { Tree::Map(map).to_json() };
    files.insert(name.to_owned(), text.into_bytes());
    if let ModelSpec::Playbook { rules: Some(rules) } = &agent.model {
        files.insert(PLAYBOOK_FILE.to_owned(), rules.clone().into_bytes());
    }
    files
}

fn directories(source: &Source<'_>, to: Format, files: &mut BTreeMap<String, Vec<u8>>) {
    for (kind, directory) in [(ItemKind::Rule, RULE_DIRECTORY), (ItemKind::Reference, REFERENCE_DIRECTORIES[1])] {
        let mut names = FileNames::default();
        for item in items::own(source, to, kind) {
            let is_prose = item.media_type == "text/markdown";
            let plain = if is_prose { None } else { items::file(&mut names, item) };
            let (name, text) = plain.unwrap_or_else(|| items::mdt(&mut names, item));
            files.insert(format!("{directory}/{name}"), text.into_bytes());
        }
    }
}

fn metadata(source: &Source<'_>, to: Format) -> Map {
    let agent = source.agent;
    let mut map = Map::default();
    map.set("name", agent.title.as_str());
    map.set("version", agent.version.as_str());
    map.set("description", agent.description.as_str());
    map.set_some("iconUrl", agent.about.icon_url.clone());
    map.set_some("documentationUrl", agent.about.documentation_url.clone());
    if let Some(provider) = &agent.about.provider {
        let mut own = Map::default();
        own.set("organization", provider.organization.as_str());
        own.set("url", provider.url.as_str());
        map.set("provider", own);
    }
    let skills =
        if lost::has_made_up_skill(source) { Vec::new() } else { agent.skills.iter().map(native::skill).collect() };
    // In the `tspark` format a list of skills, even an empty one, is the only way to mark an agent as autonomous.
    let says_so = to == Format::Tspark && (agent.autonomous || !skills.is_empty());
    if agent.autonomous || says_so {
        map.set("autonomous", agent.autonomous);
    }
    if !skills.is_empty() || (to == Format::Tspark && agent.autonomous) {
        map.set("skills", skills);
    }
    let tools = source.kit.exports.iter().filter_map(|export| {
        let mut own = Map::default();
        own.set("name", export.name.as_str());
        own.set("description", export.description.as_str());
        own.set("parameters", Tree::of_json(&export.parameters));
        own.set("prompt", foreign::as_theirs(export)?);
        Some(Tree::from(own))
    });
    map.set_filled("tools", Tree::List(tools.collect()));
    keep(&mut map, source.tree.as_ref().and_then(|tree| tree.get("metadata")), &lost::METADATA);
    map
}

fn settings(source: &Source<'_>, to: Format) -> Map {
    let agent = source.agent;
    let mut map = Map::default();
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
    let (given, usual) = (agent.knowledge.relevance, RelevanceLimits::default());
    if given.top_k != usual.top_k {
        map.set("contextTopK", given.top_k);
    }
    if given.top_n != usual.top_n {
        map.set("contextTopN", given.top_n);
    }
    if given.include_score != usual.include_score {
        map.set("contextIncludeScore", given.include_score);
    }
    if to == Format::Tspark {
        // The `tspark` format writes all numbers as text.
        for (_, value) in &mut map.0 {
            if let Tree::Number(number) = value {
                *value = Tree::Text(number.to_string());
            }
        }
    }
    let model = if to == Format::Tspark { "mostRecentModel" } else { "model" };
    map.set_some(model, agent.writing.model.clone());
    keep(&mut map, source.tree.as_ref().and_then(|tree| tree.get("settings")), &lost::SETTINGS);
    map
}

/// Copies keys of an earlier map that are not generated.
fn keep(map: &mut Map, earlier: Option<&Tree>, made: &[&str]) {
    let Some(Tree::Map(Map(earlier))) = earlier else { return };
    for (key, value) in earlier.iter().filter(|(key, _)| !made.contains(&key.as_str())) {
        map.set(key, value.clone());
    }
}
