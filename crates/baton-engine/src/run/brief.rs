//! Long texts in short: the beginning and the end, and how much is missing between them.

use baton_ports::ChatMessage;
use baton_rules::READ_OUTPUT_TOOL;
use baton_types::{CallId, Json};

/// How results say that they are in short; models are offered the rest only where one does.
const MARK: &str = " bytes left out here";

/// The text, or its beginning and its end where it is longer than the limit.
pub(super) fn in_short(text: &str, limit: usize, remark: &str) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let head = &text[..text.floor_char_boundary(limit / 3 * 2)];
    let tail = &text[text.ceil_char_boundary(text.len() - limit / 3)..];
    let missing = text.len() - head.len() - tail.len();
    Some(format!("{head}\n[{missing}{MARK}{remark}]\n{tail}"))
}

/// A result of a tool in short, if it is longer than the limit.
pub(super) fn output_in_short(output: &Json, call: &CallId, limit: usize) -> Option<Json> {
    // The JSON of a text is never shorter than the text.
    if output.as_str().len() <= limit {
        return None;
    }
    let remark = format!(" of the result; {READ_OUTPUT_TOOL} with the call '{call}' reads them");
    in_short(&output.to_plain_text(), limit, &remark).map(|text| Json::string(&text))
}

/// Whether a result of a tool is given in short.
pub(super) fn is_in_short(message: &ChatMessage) -> bool {
    matches!(message, ChatMessage::Tool { output, .. } if output.as_str().contains(MARK))
}
