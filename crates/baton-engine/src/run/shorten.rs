//! Shortens long texts to their beginning and end, with the number of omitted bytes.

use baton_ports::ChatMessage;
use baton_rules::READ_OUTPUT_TOOL;
use baton_types::{CallId, Json};

/// Marker of shortened results; the model is offered `read_output` only if one is present.
const TRUNCATION_MARK: &str = " bytes left out here";

/// Shortens a text to its beginning and end; `None` if it is within the limit.
pub(super) fn shorten(text: &str, limit: usize, remark: &str) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let head = &text[..text.floor_char_boundary(limit / 3 * 2)];
    let tail = &text[text.ceil_char_boundary(text.len() - limit / 3)..];
    let missing = text.len() - head.len() - tail.len();
    Some(format!("{head}\n[{missing}{TRUNCATION_MARK}{remark}]\n{tail}"))
}

/// Shortens a tool result that exceeds the limit.
pub(super) fn shorten_output(output: &Json, call: &CallId, limit: usize) -> Option<Json> {
    // The JSON of a text is never shorter than the text.
    if output.as_str().len() <= limit {
        return None;
    }
    let remark = format!(" of the result; {READ_OUTPUT_TOOL} with the call '{call}' reads them");
    shorten(&output.to_plain_text(), limit, &remark).map(|text| Json::string(&text))
}

/// Whether a tool result is shortened.
pub(super) fn is_shortened(message: &ChatMessage) -> bool {
    matches!(message, ChatMessage::Tool { output, .. } if output.as_str().contains(TRUNCATION_MARK))
}
