//! Lists differences between an agent before and after conversion.

use super::{ConversionSource, tree::OrderedMap, tree::OrderedValue};
use crate::{Format, resolve::default_skill, teamspark};
use baton_types::{
    AgentResources, AgentSpec, ContextItem, ItemKind, McpServer, ModelSpec, PermissionRule, RunLimits, ToolExecution,
};

/// Top-level keys of TeamSpark's files that are generated from the agent.
pub(super) const GENERATED_TOP_KEYS: [&str; 8] =
    ["metadata", "settings", "systemPrompt", "rules", "references", "mcpServers", "skills", "providers"];
/// Keys of `metadata` that are generated from the agent.
pub(super) const GENERATED_METADATA_KEYS: [&str; 9] =
    ["name", "version", "description", "iconUrl", "documentationUrl", "provider", "autonomous", "skills", "tools"];
/// Keys of `settings` that are generated from the agent.
pub(super) const GENERATED_SETTINGS_KEYS: [&str; 10] = [
    "maxChatTurns",
    "maxOutputTokens",
    "temperature",
    "topP",
    "toolPermission",
    "contextTopK",
    "contextTopN",
    "contextIncludeScore",
    "model",
    "mostRecentModel",
];

/// Whether the only skill is the generated default.
pub(super) fn has_default_skill(source: &ConversionSource<'_>) -> bool {
    let agent = source.agent;
    match source.format {
        Format::Native => agent.skills == [default_skill(&agent.name, &agent.title, &agent.description)],
        Format::Tspark | Format::TsagentJson | Format::Tsagent => agent.skills == [teamspark::chat_skill()],
    }
}

/// Every difference between the source agent and the new one.
pub(super) fn differences(
    source: &ConversionSource<'_>,
    to: Format,
    new: &AgentSpec,
    resources: &AgentResources,
) -> Vec<String> {
    let old = source.agent;
    let mut differences = Vec::new();
    let mut note = |differs: bool, difference: String| {
        if differs {
            differences.push(difference);
        }
    };
    note(old.name != new.name, format!("its address: `{}` becomes `{}`", old.name, new.name));
    note(old.title != new.title, "its title".to_owned());
    note(old.description != new.description, "its description".to_owned());
    note(old.version != new.version, "its version".to_owned());
    note(old.prompt != new.prompt, "some of its prompt".to_owned());
    note(old.skills != new.skills && !has_default_skill(source), "some of its skills".to_owned());
    note(old.input_modes != new.input_modes, "its input types: `input_modes`".to_owned());
    note(old.about != new.about, "its publisher: `provider`, `icon_url` or `documentation_url`".to_owned());
    note(old.writing != new.writing, "its model settings".to_owned());
    let names: Vec<&str> = old.tools.iter().map(|tool| tool.name.as_str()).collect();
    note(old.tools != new.tools, format!("its tools: {}", names.join(", ")));
    let ModelSpec::Playbook { rules: playbook } = &old.model else { return differences };
    note(playbook.is_some() && old.model != new.model, "its playbook rules: `playbook.yaml`".to_owned());
    let callers = old.tool_execution == ToolExecution::Caller && old.tool_execution != new.tool_execution;
    note(callers, "tool execution by callers: `settings.tools`".to_owned());
    note(old.limits.max_turns != new.limits.max_turns, "`settings.max_turns`".to_owned());
    note(old.limits.parallel_tools != new.limits.parallel_tools, "`settings.parallel_tools`".to_owned());
    note(old.limits.deadline != new.limits.deadline, "`settings.deadline`".to_owned());
    let is_usual = |limits: &RunLimits| (limits.tool_errors, limits.spill_bytes, limits.compact_at);
    note(
        is_usual(&old.limits) != is_usual(&new.limits),
        "`settings.tool_errors`, `spill_bytes` or `compact_at`".to_owned(),
    );
    note(old.limits.budgets != new.limits.budgets, "its budgets: `settings.budgets`".to_owned());
    note(old.answer != new.answer, "its answer format: `answer`".to_owned());
    note(old.a2a != new.a2a, "its A2A settings: `a2a`".to_owned());
    note(old.guardrails != new.guardrails, "its guardrails: `guardrails`".to_owned());
    note(old.control_tools != new.control_tools, "`settings.control_tools`".to_owned());
    note(old.orchestration != new.orchestration, "`settings.orchestration`".to_owned());
    note(old.enable_handoff != new.enable_handoff, "`enable_handoff`".to_owned());
    note(old.handoffs != new.handoffs, "its handoff targets: `handoffs`".to_owned());
    note(old.policy.ask != new.policy.ask, "its approval mode: `settings.tool_permission`".to_owned());
    note(old.policy.rules != new.policy.rules, "its permission rules: `permissions`".to_owned());
    note(old.autonomous != new.autonomous, "its autonomous mode: `autonomous`".to_owned());
    note(old.knowledge.relevance != new.knowledge.relevance, "`settings.context`".to_owned());
    for kind in [ItemKind::Rule, ItemKind::Reference] {
        items(&mut differences, kind, old.knowledge.items(kind), new.knowledge.items(kind));
    }
    servers(&mut differences, &source.resources.servers, &resources.servers, to);
    for entry in source.resources.providers.iter().filter(|entry| !resources.providers.contains(entry)) {
        differences.push(format!("some settings of the provider {}", entry.id));
    }
    for export in source.resources.exports.iter().filter(|export| !resources.exports.contains(export)) {
        differences.push(format!("the export {}", export.name));
    }
    differences
}

fn items(differences: &mut Vec<String>, kind: ItemKind, old: &[ContextItem], new: &[ContextItem]) {
    for item in old {
        let label = format!("the {} {}", kind.as_str(), item.name);
        match new.iter().find(|new| new.name == item.name) {
            None => differences.push(label),
            Some(new) if new == item => {}
            Some(new) if new.text != item.text => differences.push(format!("white space around the text of {label}")),
            Some(new) if new.media_type != item.media_type => {
                differences.push(format!("the media type {} of {label}", item.media_type));
            }
            Some(_) => differences.push(format!("metadata of {label}")),
        }
    }
}

fn servers(differences: &mut Vec<String>, old: &[McpServer], new: &[McpServer], to: Format) {
    for server in old {
        let name = &server.name;
        let Some(new) = new.iter().find(|new| new.name == *name) else {
            differences.push(format!("the server {name}"));
            continue;
        };
        if server.transport != new.transport {
            differences.push(format!("the server {name}: automatic detection of the HTTP transport"));
        }
        let same_permissions = server.permissions.default == new.permissions.default
            && sorted(&server.permissions.rules) == sorted(&new.permissions.rules)
            && (&server.include, &server.exclude) == (&new.include, &new.exclude);
        if !same_permissions {
            let instead = if to == Format::Native { "" } else { "; denied tools are disabled" };
            differences.push(format!("the server {name}: some permissions of its tools{instead}"));
        }
        let rest = |server: &McpServer| {
            let McpServer { enabled, era, timeouts, modes, prefix, required, trusted, oauth, .. } = server.clone();
            (enabled, era, timeouts, modes, prefix, required, trusted, oauth)
        };
        if rest(server) != rest(new) {
            differences.push(format!("the server {name}: some of its settings"));
        }
    }
}

/// Sorted, because the order of rules for different tools has no meaning.
fn sorted(rules: &[PermissionRule]) -> Vec<String> {
    let mut rules: Vec<String> = rules.iter().map(|rule| format!("{rule:?}")).collect();
    rules.sort();
    rules.dedup();
    rules
}

/// Keys of a TeamSpark file that have no counterpart in an agent.
pub(super) fn unknown_keys(tree: Option<&OrderedValue>) -> Vec<String> {
    let mut differences = Vec::new();
    let maps = [
        ("", tree, &GENERATED_TOP_KEYS[..]),
        ("metadata.", at(tree, "metadata"), &GENERATED_METADATA_KEYS),
        ("settings.", at(tree, "settings"), &GENERATED_SETTINGS_KEYS),
    ];
    for (path, map, generated_keys) in maps {
        let Some(OrderedValue::Map(OrderedMap(entries))) = map else { continue };
        let has_value =
            |value: &OrderedValue| !matches!(value, OrderedValue::Null) && *value != OrderedValue::List(Vec::new());
        // This path has already been added to the environment of the servers.
        let is_made = |key: &str| generated_keys.contains(&key) || key == "systemPath";
        let unknown = entries.iter().filter(|(key, value)| !is_made(key) && has_value(value));
        differences.extend(unknown.map(|(key, _)| format!("`{path}{key}`")));
    }
    differences
}

fn at<'a>(tree: Option<&'a OrderedValue>, key: &str) -> Option<&'a OrderedValue> {
    tree?.get(key)
}
