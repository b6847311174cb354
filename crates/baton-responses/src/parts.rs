//! Conversion of item content to message parts, and data parts for calls, results and approvals.
//!
//! `baton-rules` reads these data parts; a test of this crate keeps both formats in sync.

use crate::{McpApprovalAnswer, OpenAiError};
use baton_types::{CallId, Json, Message, Part, PartContent, ToolCall, ToolResult};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The text of a message, or its data and links if it has no text.
pub(crate) fn message_text(message: &Message) -> String {
    let text = message.text();
    if !text.is_empty() {
        return text;
    }
    let non_text = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) => (!is_protocol(data)).then(|| data.as_str().to_owned()),
        PartContent::Url(url) => Some(url.clone()),
        PartContent::Text(_) | PartContent::Raw(_) => None,
    });
    non_text.collect::<Vec<_>>().join("\n")
}

/// Whether a data part carries tool calls, results or input requests instead of content.
fn is_protocol(data: &Json) -> bool {
    let members = ["tool_calls", "tool_results", "input_requests", "input_responses", "passed_down"];
    data.is_object()
        && data.to_value().as_object().is_some_and(|all| members.iter().any(|name| all.contains_key(*name)))
}

#[derive(Serialize)]
struct InputToolCallsData<'a> {
    tool_calls: Vec<CallEntry<'a>>,
}

#[derive(Serialize)]
struct CallEntry<'a> {
    call_id: &'a CallId,
    name: &'a str,
    arguments: &'a Json,
}

#[derive(Serialize)]
struct ToolResultsData<'a> {
    tool_results: Vec<ResultEntry<'a>>,
}

#[derive(Serialize)]
struct ResultEntry<'a> {
    call_id: &'a CallId,
    name: &'a str,
    output: &'a Json,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

fn data(value: &impl Serialize) -> Part {
    Part::data(Json::from_serializable(value).unwrap_or_else(|_| Json::string("")))
}

/// The data part with calls.
pub(crate) fn calls_part(calls: &[ToolCall]) -> Part {
    let tool_calls = calls
        .iter()
        .map(|call| CallEntry { call_id: &call.id, name: &call.name, arguments: &call.arguments })
        .collect();
    data(&InputToolCallsData { tool_calls })
}

/// The data part with results.
pub(crate) fn results_part(results: &[ToolResult]) -> Part {
    let tool_results = results
        .iter()
        .map(|result| ResultEntry {
            call_id: &result.call,
            name: &result.name,
            output: &result.output,
            is_error: result.is_error,
        })
        .collect();
    data(&ToolResultsData { tool_results })
}

/// The data part with approval decisions.
pub(crate) fn approvals_part(approvals: &[McpApprovalAnswer]) -> Part {
    let responses: Vec<Value> = approvals
        .iter()
        .map(|approval| {
            json!({"call_id": approval.call, "decision": if approval.approve { "allow_once" } else { "deny" }})
        })
        .collect();
    Part::data(json!({ "input_responses": responses }).into())
}

/// The content of a message item: a string, or a list of parts.
pub(crate) fn content_parts(content: &Value, param: &str) -> Result<Vec<Part>, OpenAiError> {
    match content {
        Value::String(text) => Ok(vec![Part::text(text)]),
        Value::Array(parts) => {
            parts.iter().enumerate().map(|(index, part)| content_part(part, &format!("{param}[{index}]"))).collect()
        }
        _ => {
            Err(OpenAiError::invalid("invalid_type", param, format!("'{param}' must be a string or a list of parts.")))
        }
    }
}

fn content_part(part: &Value, param: &str) -> Result<Part, OpenAiError> {
    if let Value::String(text) = part {
        return Ok(Part::text(text));
    }
    let Value::Object(members) = part else {
        return Err(OpenAiError::invalid("invalid_type", param, format!("'{param}' must be an object with a `type`.")));
    };
    match text_of(members, "type") {
        Some("input_text" | "output_text" | "text" | "summary_text" | "reasoning_text") => {
            required_text(members, "text", param).map(Part::text)
        }
        Some("refusal") => required_text(members, "refusal", param).map(Part::text),
        Some("input_image") => image(members.get("image_url"), members, param),
        Some("image_url") => image(members.get("image_url").and_then(|image| image.get("url")), members, param),
        Some("input_file") => file(members, param),
        Some("file") => match members.get("file").and_then(Value::as_object) {
            Some(inner) => file(inner, &format!("{param}.file")),
            None => Err(missing_param(&format!("{param}.file"))),
        },
        Some("input_video") => link(required_text(members, "video_url", param)?, Some("video/mp4"), param),
        Some(other) => Err(OpenAiError::invalid(
            "unsupported_content",
            &format!("{param}.type"),
            format!("Content of type '{other}' is not supported; send input_text, input_image or input_file."),
        )),
        None => Err(missing_param(&format!("{param}.type"))),
    }
}

fn image(url: Option<&Value>, members: &Map<String, Value>, param: &str) -> Result<Part, OpenAiError> {
    reject_file_id(members, param)?;
    match url.and_then(Value::as_str) {
        Some(url) => link(url, Some("image/*"), &format!("{param}.image_url")),
        None => Err(missing_param(&format!("{param}.image_url"))),
    }
}

fn file(members: &Map<String, Value>, param: &str) -> Result<Part, OpenAiError> {
    reject_file_id(members, param)?;
    let part = match (text_of(members, "file_data"), text_of(members, "file_url")) {
        (Some(data), _) if data.starts_with("data:") => link(data, None, &format!("{param}.file_data"))?,
        (Some(data), _) => raw(data, None, &format!("{param}.file_data"))?,
        (None, Some(url)) => link(url, None, &format!("{param}.file_url"))?,
        (None, None) => return Err(missing_param(&format!("{param}.file_data"))),
    };
    Ok(Part { filename: text_of(members, "filename").map(str::to_owned), ..part })
}

fn reject_file_id(members: &Map<String, Value>, param: &str) -> Result<(), OpenAiError> {
    match text_of(members, "file_id") {
        None => Ok(()),
        Some(_) => Err(OpenAiError::invalid(
            "unsupported_parameter",
            &format!("{param}.file_id"),
            "File ids are not supported; send the content as a data: URL, or a link to it.",
        )),
    }
}

/// A link, or the inline content of a data: URL.
fn link(url: &str, media_type: Option<&str>, param: &str) -> Result<Part, OpenAiError> {
    let Some(data) = url.strip_prefix("data:") else {
        let is_link = url.starts_with("https://") || url.starts_with("http://");
        return match is_link {
            true => Ok(Part {
                content: PartContent::Url(url.to_owned()),
                media_type: media_type.map(str::to_owned),
                ..Part::text("")
            }),
            false => {
                Err(OpenAiError::invalid("invalid_value", param, format!("'{param}' must be an http(s) or data: URL.")))
            }
        };
    };
    let Some((kind, content)) = data.split_once(',') else {
        return Err(OpenAiError::invalid("invalid_value", param, format!("'{param}' is a data: URL without content.")));
    };
    let Some(kind) = kind.strip_suffix(";base64") else {
        let detail = format!("'{param}' must have its content as base64: data:image/png;base64,...");
        return Err(OpenAiError::invalid("invalid_value", param, detail));
    };
    let kind = kind.split(';').next().filter(|kind| !kind.is_empty());
    raw(content, kind.or(media_type), param)
}

fn raw(content: &str, media_type: Option<&str>, param: &str) -> Result<Part, OpenAiError> {
    use base64::Engine as _;
    if base64::engine::general_purpose::STANDARD.decode(content).is_err() {
        return Err(OpenAiError::invalid("invalid_value", param, format!("'{param}' is not base64.")));
    }
    Ok(Part {
        content: PartContent::Raw(content.to_owned()),
        media_type: media_type.map(str::to_owned),
        ..Part::text("")
    })
}

pub(crate) fn text_of<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str)
}

/// A required member, as text.
pub(crate) fn required_text<'a>(
    members: &'a Map<String, Value>,
    name: &str,
    param: &str,
) -> Result<&'a str, OpenAiError> {
    let param = format!("{param}.{name}");
    match members.get(name) {
        Some(Value::String(text)) => Ok(text),
        None | Some(Value::Null) => Err(missing_param(&param)),
        Some(_) => Err(OpenAiError::invalid("invalid_type", &param, format!("'{param}' must be a string."))),
    }
}

pub(crate) fn missing_param(param: &str) -> OpenAiError {
    OpenAiError::invalid("missing_required_parameter", param, format!("'{param}' is missing; add it."))
}
