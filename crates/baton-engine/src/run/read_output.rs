//! `read_output`: reads more of a shortened result.

use super::{Driver, Halt, prompt::built_in};
use baton_rules::{READ_OUTPUT_TOOL, parse_tool_results};
use baton_types::{CallId, Json, Message, ToolCall, ToolSpec};
use serde::Deserialize;
use serde_json::json;

/// Default bytes per read.
const DEFAULT_READ_BYTES: usize = 4 * 1_024;

/// Maximum bytes per read.
const MAX_READ_BYTES: usize = 16 * 1_024;

/// Maximum matching lines per read.
const MAX_MATCHED_LINES: usize = 50;

/// Bytes shown around a match within a line.
const MATCH_CONTEXT_BYTES: usize = 200;

/// Tool arguments.
#[derive(Deserialize)]
struct ReadOutputArguments {
    call: CallId,
    #[serde(default)]
    offset: usize,
    length: Option<usize>,
    pattern: Option<String>,
}

pub(super) fn read_output_tool() -> ToolSpec {
    built_in(
        READ_OUTPUT_TOOL,
        "Read more of the result of an earlier tool call that was given in short: a range of its bytes, or the places \
         where a text occurs.",
        json!({"type": "object", "properties": {
            "call": {"type": "string", "description": "The call whose result is read, as the short form names it"},
            "offset": {"type": "integer", "minimum": 0, "description": "The first byte, from 0"},
            "length": {"type": "integer", "minimum": 1, "maximum": MAX_READ_BYTES, "description": "How many bytes"},
            "pattern": {"type": "string", "description": "A text to look for instead, whatever its case"}},
            "required": ["call"]}),
    )
}

impl Driver {
    /// Reads the full result from the history.
    pub(super) async fn read_output(&self, call: &ToolCall) -> Result<(), Halt> {
        let arguments: ReadOutputArguments = match call.arguments.read() {
            Ok(arguments) => arguments,
            Err(error) => {
                let detail = format!("{READ_OUTPUT_TOOL} takes call, and offset, length or pattern: {error}");
                return self.finish(call, Json::string(&detail), true);
            }
        };
        let earlier = self.earlier().await?;
        let found = {
            let cell = self.live.lock();
            output_of(&arguments.call, earlier.messages.iter().chain(cell.task.model_history()))
        };
        match found.map(|output| read(&output, &arguments)) {
            Some(Ok(text)) => self.finish(call, Json::string(&text), false),
            Some(Err(detail)) => self.finish(call, Json::string(&detail), true),
            None => {
                let detail = format!("There is no result of a call '{}' to read from.", arguments.call);
                self.finish(call, Json::string(&detail), true)
            }
        }
    }
}

/// The newest result of a call.
fn output_of<'a>(call: &CallId, history: impl DoubleEndedIterator<Item = &'a Message>) -> Option<String> {
    let mut results = history.rev().filter_map(|message| parse_tool_results(message).ok()).flatten();
    results.find(|result| result.call == *call).map(|result| result.output.to_plain_text())
}

fn read(output: &str, arguments: &ReadOutputArguments) -> Result<String, String> {
    match arguments.pattern.as_deref() {
        Some("") => Err("The pattern is empty; give a text to look for.".to_owned()),
        Some(pattern) => Ok(find_lines(output, pattern, arguments.offset)),
        None if arguments.offset >= output.len() => {
            Err(format!("The result has {} bytes; offset {} is behind its end.", output.len(), arguments.offset))
        }
        None => {
            let length = arguments.length.unwrap_or(DEFAULT_READ_BYTES).clamp(1, MAX_READ_BYTES);
            let from = output.floor_char_boundary(arguments.offset);
            let to = output.ceil_char_boundary(from.saturating_add(length).min(output.len()));
            let more = if to < output.len() { format!("; go on with offset {to}") } else { String::new() };
            Ok(format!("[bytes {from} to {to} of {}{more}]\n{}", output.len(), &output[from..to]))
        }
    }
}

/// Lines from `offset` on that contain the pattern, each with its offset.
fn find_lines(output: &str, pattern: &str, offset: usize) -> String {
    let pattern = pattern.to_lowercase();
    let (mut at, mut lines, mut more) = (0, Vec::new(), None);
    for line in output.split_inclusive('\n') {
        let (begins, lower) = (at, line.to_lowercase());
        at += line.len();
        let Some(position) = lower.find(&pattern).filter(|_| at > offset) else { continue };
        if lines.len() == MAX_MATCHED_LINES {
            more = Some(begins);
            break;
        }
        // Case conversion may change byte lengths, so the position is approximate.
        let from = line.floor_char_boundary(position.saturating_sub(MATCH_CONTEXT_BYTES));
        let to = line.ceil_char_boundary((position + pattern.len() + MATCH_CONTEXT_BYTES).min(line.len()));
        lines.push(format!("{}: {}", begins + from, line[from..to.max(from)].trim_end()));
    }
    match (lines.is_empty(), more) {
        (true, _) => format!("'{pattern}' does not occur from byte {offset} on, of {}.", output.len()),
        (false, None) => lines.join("\n"),
        (false, Some(next)) => format!("{}\n[there are more; go on with offset {next}]", lines.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_arguments(offset: usize, length: Option<usize>, pattern: Option<&str>) -> ReadOutputArguments {
        ReadOutputArguments { call: "c".into(), offset, length, pattern: pattern.map(str::to_owned) }
    }

    #[test]
    fn ranges_and_matches_are_returned_with_offsets() {
        let output = "äöü one\nTwo two\nthree\n";
        for (offset, length, pattern, expected) in [
            (0, Some(1), None, Ok("[bytes 0 to 2 of 25; go on with offset 2]\nä")),
            (1, Some(3), None, Ok("[bytes 0 to 4 of 25; go on with offset 4]\näö")),
            (19, None, None, Ok("[bytes 19 to 25 of 25]\nthree\n")),
            (25, None, None, Err("The result has 25 bytes; offset 25 is behind its end.")),
            (0, None, Some("TWO"), Ok("11: Two two")),
            (19, None, Some("two"), Ok("'two' does not occur from byte 19 on, of 25.")),
            (0, None, Some(""), Err("The pattern is empty; give a text to look for.")),
        ] {
            let read = read(output, &sample_arguments(offset, length, pattern));
            assert_eq!(read.as_deref().map_err(String::as_str), expected, "{offset} {length:?} {pattern:?}");
        }
        let many = "x\n".repeat(60);
        let first = read(&many, &sample_arguments(0, None, Some("x"))).unwrap_or_default();
        assert!(first.ends_with("[there are more; go on with offset 100]"), "{first}");
        let rest = read(&many, &sample_arguments(100, None, Some("x"))).unwrap_or_default();
        assert_eq!(rest.lines().count(), 10);
    }
}
