//! Output of a tool result.

use crate::{
    failure::{CliError, Exit},
    screen::{Screen, escape_for_terminal, one_line},
};
use baton_api::ToolReply;
use baton_types::Json;
use serde_json::{Value, json};

/// Prints the result; a failed tool gives exit code 1.
pub(super) fn print_result(reply: &ToolReply, screen: Screen) -> Result<Exit, CliError> {
    let failed = reply.is_error == Some(true);
    if screen.is_json() {
        screen.print(&json!(reply).to_string());
        return Ok(if failed { Exit::TaskFailed } else { Exit::Ok });
    }
    let text = reply.output.as_ref().map(plain).unwrap_or_default();
    if failed {
        return Err(CliError::without_code(
            Exit::TaskFailed,
            format!("the tool failed: {}", escape_for_terminal(&text)),
        ));
    }
    screen.print(&escape_for_terminal(&text));
    Ok(Exit::Ok)
}

/// Plain text as it is, the content of an MCP result block by block, everything else as JSON.
fn plain(output: &Json) -> String {
    let value = output.to_value();
    let Some(blocks) = value.get("content").and_then(Value::as_array) else { return output.to_plain_text() };
    let shown: Vec<String> = blocks.iter().map(block).collect();
    match (shown.is_empty(), value.get("structuredContent")) {
        (true, Some(structured)) => structured.to_string(),
        _ => shown.join("\n"),
    }
}

fn block(block: &Value) -> String {
    let text = |pointer: &str| block.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match text("/type") {
        "text" => text("/text").to_owned(),
        kind @ ("image" | "audio") => {
            // Base64 encodes three bytes in four characters.
            let bytes = text("/data").len() / 4 * 3;
            format!("[{kind} {}, about {bytes} bytes; use --json for the data]", one_line(text("/mimeType"), 80))
        }
        "resource" if block.pointer("/resource/text").is_some() => text("/resource/text").to_owned(),
        "resource" => format!("[resource {}]", one_line(text("/resource/uri"), 200)),
        "resource_link" => format!("[link {}]", one_line(text("/uri"), 200)),
        _ => block.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_content_type_is_rendered() {
        for (output, expect) in [
            (r#""hello""#, "hello"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}"#, "one\ntwo"),
            (
                r#"{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}"#,
                "[image image/png, about 3 bytes; use --json for the data]",
            ),
            (r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"inside"}}]}"#, "inside"),
            (r#"{"content":[{"type":"resource_link","uri":"a:b","name":"b"}]}"#, "[link a:b]"),
            (r#"{"content":[],"structuredContent":{"n":1}}"#, r#"{"n":1}"#),
        ] {
            assert_eq!(plain(&Json::parse(output).expect("JSON")), expect);
        }
    }
}
