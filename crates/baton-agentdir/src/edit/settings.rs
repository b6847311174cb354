//! Edits default settings of sessions.

use super::{
    EditError,
    amend::{Amended, Subject},
    step::{Path, keys, plain},
    yaml::walk,
};
use crate::{
    Format,
    document::{Node, Value},
};
use baton_types::{ApprovalMode, SessionOverrides, Thousandths};

/// Sets the given values as defaults, with the key names of the format.
pub(super) fn set(subject: &Subject<'_>, settings: &SessionOverrides) -> Result<Amended, EditError> {
    let root = subject.tree()?;
    let wanted = match subject.format {
        Format::Native => ours(settings),
        format => theirs(&root, format, settings),
    };
    subject.with_values(wanted)
}

fn ours(settings: &SessionOverrides) -> Vec<(Path, Node)> {
    let some = |path: &[&str], node: Option<Node>| node.map(|node| (keys(path), node));
    let values = [
        some(&["model"], settings.model.as_deref().map(plain)),
        some(&["settings", "max_turns"], settings.max_turns.map(plain)),
        some(&["settings", "max_output_tokens"], settings.max_output_tokens.map(plain)),
        some(&["settings", "temperature"], settings.temperature.map(number)),
        some(&["settings", "top_p"], settings.top_p.map(number)),
        some(&["settings", "tool_permission"], settings.tool_permission.map(|ask| plain(word(ask)))),
        some(&["autonomous"], settings.autonomous.map(plain)),
        some(&["settings", "context", "top_k"], settings.context_top_k.map(plain)),
        some(&["settings", "context", "top_n"], settings.context_top_n.map(plain)),
        some(&["settings", "context", "include_score"], settings.context_include_score.map(number)),
    ];
    values.into_iter().flatten().collect()
}

fn theirs(root: &Node, format: Format, settings: &SessionOverrides) -> Vec<(Path, Node)> {
    let get = |path: &Path| match walk(root, path) {
        (node, []) => Some(node.clone()),
        _ => None,
    };
    // Earlier versions wrote all numbers as text.
    let is_text = |path: &Path| match get(path) {
        Some(node) => matches!(node.value, Value::Text(_)),
        None => format != Format::Tsagent,
    };
    let some = |key: &str, node: Option<Node>| {
        let path = keys(&["settings", key]);
        node.map(|node| match &node.value {
            Value::Number(number) if is_text(&path) => {
                let text = number.to_string();
                let is_said = get(&path).is_some_and(|there| is_same(&there, &text));
                (path.clone(), if is_said { get(&path).unwrap_or(node) } else { plain(text) })
            }
            _ => (path, node),
        })
    };
    let has = |key: &str| get(&keys(&["settings", key])).is_some();
    let is_earlier = !has("model") && (has("mostRecentModel") || format == Format::Tspark);
    let model = if is_earlier { "mostRecentModel" } else { "model" };
    let values = [
        some(model, settings.model.as_deref().map(plain)),
        some("maxChatTurns", settings.max_turns.map(plain)),
        some("maxOutputTokens", settings.max_output_tokens.map(plain)),
        some("temperature", settings.temperature.map(number)),
        some("topP", settings.top_p.map(number)),
        some("toolPermission", settings.tool_permission.map(|ask| plain(word(ask)))),
        some("contextTopK", settings.context_top_k.map(plain)),
        some("contextTopN", settings.context_top_n.map(plain)),
        some("contextIncludeScore", settings.context_include_score.map(number)),
        settings.autonomous.map(|alone| (keys(&["metadata", "autonomous"]), plain(alone))),
    ];
    values.into_iter().flatten().collect()
}

/// Whether a text is this number in another notation, such as `0.50`.
fn is_same(node: &Node, number: &str) -> bool {
    let Value::Text(text) = &node.value else { return false };
    text.trim().parse::<f64>().ok() == number.parse::<f64>().ok()
}

fn number(number: Thousandths) -> Node {
    match number.0.is_multiple_of(1000) {
        true => plain(number.0 / 1000),
        false => plain(number.get()),
    }
}

fn word(ask: ApprovalMode) -> &'static str {
    match ask {
        ApprovalMode::Always => "always",
        ApprovalMode::Never => "never",
        ApprovalMode::Tool => "tool",
    }
}
