//! Edits default settings of sessions.

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
    step::{EditPath, keys, scalar},
    yaml::walk,
};
use crate::Format;
use baton_document::{DocumentNode, NodeValue};
use baton_types::{ApprovalMode, SessionOverrides, Thousandths};

/// Sets the given values as defaults, with the key names of the format.
pub(super) fn set(subject: &EditSubject<'_>, settings: &SessionOverrides) -> Result<AgentAmendment, EditError> {
    let root = subject.tree()?;
    let values = match subject.format {
        Format::Native => native_values(settings),
        format => teamspark_values(&root, format, settings),
    };
    subject.set_values(values)
}

fn native_values(settings: &SessionOverrides) -> Vec<(EditPath, DocumentNode)> {
    let some = |path: &[&str], node: Option<DocumentNode>| node.map(|node| (keys(path), node));
    let values = [
        some(&["model"], settings.model.as_deref().map(scalar)),
        some(&["settings", "max_turns"], settings.max_turns.map(scalar)),
        some(&["settings", "max_output_tokens"], settings.max_output_tokens.map(scalar)),
        some(&["settings", "temperature"], settings.temperature.map(number)),
        some(&["settings", "top_p"], settings.top_p.map(number)),
        some(&["settings", "tool_permission"], settings.tool_permission.map(|ask| scalar(approval_keyword(ask)))),
        some(&["autonomous"], settings.autonomous.map(scalar)),
        some(&["settings", "context", "top_k"], settings.context_top_k.map(scalar)),
        some(&["settings", "context", "top_n"], settings.context_top_n.map(scalar)),
        some(&["settings", "context", "include_score"], settings.context_include_score.map(number)),
    ];
    values.into_iter().flatten().collect()
}

fn teamspark_values(root: &DocumentNode, format: Format, settings: &SessionOverrides) -> Vec<(EditPath, DocumentNode)> {
    let get = |path: &EditPath| match walk(root, path) {
        (node, []) => Some(node.clone()),
        _ => None,
    };
    // Earlier versions wrote all numbers as text.
    let is_text = |path: &EditPath| match get(path) {
        Some(node) => matches!(node.value, NodeValue::Text(_)),
        None => format != Format::Tsagent,
    };
    let some = |key: &str, node: Option<DocumentNode>| {
        let path = keys(&["settings", key]);
        node.map(|node| match &node.value {
            NodeValue::Number(number) if is_text(&path) => {
                let text = number.to_string();
                let is_unchanged = get(&path).is_some_and(|there| is_same(&there, &text));
                (path.clone(), if is_unchanged { get(&path).unwrap_or(node) } else { scalar(text) })
            }
            _ => (path, node),
        })
    };
    let has = |key: &str| get(&keys(&["settings", key])).is_some();
    let is_earlier = !has("model") && (has("mostRecentModel") || format == Format::Tspark);
    let model = if is_earlier { "mostRecentModel" } else { "model" };
    let values = [
        some(model, settings.model.as_deref().map(scalar)),
        some("maxChatTurns", settings.max_turns.map(scalar)),
        some("maxOutputTokens", settings.max_output_tokens.map(scalar)),
        some("temperature", settings.temperature.map(number)),
        some("topP", settings.top_p.map(number)),
        some("toolPermission", settings.tool_permission.map(|ask| scalar(approval_keyword(ask)))),
        some("contextTopK", settings.context_top_k.map(scalar)),
        some("contextTopN", settings.context_top_n.map(scalar)),
        some("contextIncludeScore", settings.context_include_score.map(number)),
        settings.autonomous.map(|autonomous| (keys(&["metadata", "autonomous"]), scalar(autonomous))),
    ];
    values.into_iter().flatten().collect()
}

/// Whether a text is this number in another notation, such as `0.50`.
fn is_same(node: &DocumentNode, number: &str) -> bool {
    let NodeValue::Text(text) = &node.value else { return false };
    text.trim().parse::<f64>().ok() == number.parse::<f64>().ok()
}

fn number(number: Thousandths) -> DocumentNode {
    match number.0.is_multiple_of(1000) {
        true => scalar(number.0 / 1000),
        false => scalar(number.get()),
    }
}

fn approval_keyword(ask: ApprovalMode) -> &'static str {
    match ask {
        ApprovalMode::Always => "always",
        ApprovalMode::Never => "never",
        ApprovalMode::Tool => "tool",
    }
}
