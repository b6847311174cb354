//! Whether a text may still become a list of tool calls and nothing else.
//!
//! Evaluated for every prefix of an answer. A negative result stays negative, so the way in which the answer is split
//! into chunks does not matter.

use super::{MAX_BUFFERED_BYTES, RecognizedForms};

/// First keys of an object that can be a call.
const CALL_KEYS: &[&str] = &[
    "name",
    "tool_name",
    "function_name",
    "tool",
    "function",
    "function_call",
    "tool_calls",
    "arguments",
    "parameters",
    "args",
    "input",
    "type",
    "id",
];
/// Info strings of a fenced code block that can contain calls.
const FENCE_INFO_STRINGS: &[&str] = &["", "json", "tool_call", "tool_calls", "tool", "xml"];
const TAG: &str = "<tool_call>";
const FENCE: &str = "```";

/// Whether the text can be the start of a call.
pub(super) fn may_become_calls(text: &str, recognized: RecognizedForms) -> bool {
    let start = text.trim_start();
    if text.len() > MAX_BUFFERED_BYTES {
        return false;
    }
    if start.is_empty() || TAG.starts_with(start) || start.starts_with(TAG) {
        return true;
    }
    recognized == RecognizedForms::All && (may_become_block(start) || may_become_json(start))
}

/// Whether the text can be the start of a fenced code block with calls.
fn may_become_block(text: &str) -> bool {
    if FENCE.starts_with(text) {
        return true;
    }
    let Some(rest) = text.strip_prefix(FENCE) else { return false };
    match rest.split_once('\n') {
        None => FENCE_INFO_STRINGS.iter().any(|block| block.starts_with(rest.trim_end_matches([' ', '\r']))),
        Some((info, inside)) => {
            let inside = inside.trim_start();
            FENCE_INFO_STRINGS.contains(&info.trim_end())
                && (inside.is_empty() || may_become_json(inside) || TAG.starts_with(inside) || inside.starts_with(TAG))
        }
    }
}

/// Whether the text can be the start of an object, or a list of objects, with the keys of a call.
fn may_become_json(text: &str) -> bool {
    let object = match text.strip_prefix('[') {
        Some(list) => list.trim_start(),
        None => text,
    };
    if object.is_empty() {
        return true;
    }
    let Some(inside) = object.strip_prefix('{') else { return false };
    let inside = inside.strip_prefix('{').unwrap_or(inside).trim_start();
    if inside.is_empty() {
        return true;
    }
    let Some(key) = inside.strip_prefix('"') else { return false };
    match key.split_once('"') {
        Some((key, _)) => CALL_KEYS.contains(&key),
        None => CALL_KEYS.iter().any(|call_key| call_key.starts_with(key)),
    }
}
