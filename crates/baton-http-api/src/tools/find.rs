//! Tool lookup.

use baton_api::{ApiError, ApiErrorKind};
use baton_ports::ToolHost;
use baton_rules::is_callable;
use baton_types::{AgentSpec, ErrorCode, ToolRunner, ToolSpec};
use std::time::Duration;

/// Maximum wait for starting servers if no available tool has the name.
const SERVER_WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum suggestions in an error.
const MAX_SUGGESTIONS: usize = 5;

/// Maximum characters of a compared name.
const MAX_NAME_LEN: usize = 128;

/// Callable tools of an agent, sorted by name.
pub(super) async fn callable_tools(host: &dyn ToolHost, agent: &AgentSpec, timeout: Duration) -> Vec<ToolSpec> {
    let mut tools = host.available_tools(agent, timeout).await;
    // Tools in the definition take precedence over server tools of the same name.
    tools.retain(|tool| agent.tools.iter().all(|own| own.name != tool.name));
    tools.extend(agent.tools.iter().cloned());
    // Calls name their tool explicitly, so all tools are included.
    tools.retain(|tool| is_callable(agent, std::slice::from_ref(&tool.name), tool));
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

/// The tool with this name. Whether a call of it runs is decided with its arguments.
pub(super) async fn find_tool(host: &dyn ToolHost, agent: &AgentSpec, name: &str) -> Result<ToolSpec, ApiError> {
    let found = host.find_tool(agent, name, SERVER_WAIT_TIMEOUT).await;
    match found.filter(|tool| !matches!(tool.runner, ToolRunner::BuiltIn)) {
        Some(tool) => Ok(tool),
        None => Err(tool_not_found(agent, name, &callable_tools(host, agent, Duration::ZERO).await)),
    }
}

fn tool_not_found(agent: &AgentSpec, name: &str, tools: &[ToolSpec]) -> ApiError {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let name: String = name.chars().take(MAX_NAME_LEN).collect();
    let near = suggestions(&name, &names);
    let hint = match (near.is_empty(), names.len()) {
        (false, _) => format!("did you mean {}?", near.join(", ")),
        (true, 0) => "it has no callable tools now".to_owned(),
        (true, count) => format!("none of its {count} tools has a similar name"),
    };
    let message = format!("the agent '{}' has no tool '{name}'; {hint}", agent.name);
    ApiError::new(ApiErrorKind::PageNotFound, ErrorCode::TOOL_NOT_FOUND, message)
}

/// Similar names, nearest first.
pub(super) fn suggestions<'a>(name: &str, names: &[&'a str]) -> Vec<&'a str> {
    let target = name.to_ascii_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|candidate| {
            let known = candidate.to_ascii_lowercase();
            let contained = target.len() >= 3 && (known.contains(&target) || target.contains(&known));
            let distance = distance(&target, &known);
            (contained || distance <= target.chars().count().max(3) / 3).then_some((distance, *candidate))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Levenshtein distance.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(MAX_NAME_LEN).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, character) in one.chars().take(MAX_NAME_LEN).enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, known) in other.iter().enumerate() {
            let changed = diagonal + usize::from(character != *known);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["fs__read_file", "fs__write_file", "get_weather", "add"];
        for (name, expect) in [
            ("get_wether", &["get_weather"][..]),
            ("GET_WEATHER", &["get_weather"]),
            ("read_file", &["fs__read_file"]),
            ("weather", &["get_weather"]),
            ("ad", &["add"]),
            ("launch", &[]),
            ("", &[]),
        ] {
            assert_eq!(suggestions(name, &names), expect, "{name}");
        }
    }

    #[test]
    fn distances() {
        for (one, other, expect) in
            [("", "", 0), ("abc", "", 3), ("", "abc", 3), ("kitten", "sitting", 3), ("a", "a", 0)]
        {
            assert_eq!(distance(one, other), expect, "{one} {other}");
        }
    }
}
