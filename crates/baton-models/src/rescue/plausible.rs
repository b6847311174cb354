//! Whether a text may still become nothing but calls.
//!
//! Said of every beginning of an answer, and once it is no it stays no, so that it does not matter how the answer is
//! cut into pieces.

use super::{MOST_HELD, Wanted};

/// Keys that an object begins with when it is a call.
const KEYS: &[&str] = &[
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
/// What may stand behind the marks of a block.
const BLOCKS: &[&str] = &["", "json", "tool_call", "tool_calls", "tool", "xml"];
const TAG: &str = "<tool_call>";
const FENCE: &str = "```";

/// Whether the text may be the beginning of a call.
pub(super) fn plausible(text: &str, wanted: Wanted) -> bool {
    let begun = text.trim_start();
    if text.len() > MOST_HELD {
        return false;
    }
    if begun.is_empty() || TAG.starts_with(begun) || begun.starts_with(TAG) {
        return true;
    }
    wanted == Wanted::All && (block(begun) || json(begun))
}

/// Whether it may be the beginning of a block with calls in it.
fn block(text: &str) -> bool {
    if FENCE.starts_with(text) {
        return true;
    }
    let Some(rest) = text.strip_prefix(FENCE) else { return false };
    match rest.split_once('\n') {
        None => BLOCKS.iter().any(|block| block.starts_with(rest.trim_end_matches([' ', '\r']))),
        Some((info, inside)) => {
            let inside = inside.trim_start();
            BLOCKS.contains(&info.trim_end())
                && (inside.is_empty() || json(inside) || TAG.starts_with(inside) || inside.starts_with(TAG))
        }
    }
}

/// Whether it may be the beginning of an object, or a list of objects, with a call's keys.
fn json(text: &str) -> bool {
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
        Some((key, _)) => KEYS.contains(&key),
        None => KEYS.iter().any(|known| known.starts_with(key)),
    }
}
