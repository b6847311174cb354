//! Converts the response of a service to a tool output.

use super::{failed, headers::RequestSecrets};
use baton_encoding::depth_within;
use baton_outbound::OutboundReply;
use baton_ports::ToolOutput;
use baton_types::{Json, MAX_JSON_DEPTH};
use http::header;

/// Maximum displayed bytes of an error body.
const MAX_ERROR_BODY_BYTES: usize = 2 * 1024;

/// Display form of a body.
enum ReplyBodyKind {
    Json,
    Text,
    /// Described, not shown.
    Other,
}

/// Output of a call that got a response.
pub(super) fn output(name: &str, reply: &OutboundReply, limit: usize, secrets: &RequestSecrets) -> ToolOutput {
    let status = reply.status;
    if !status.is_success() {
        let shown = text(reply, limit.min(MAX_ERROR_BODY_BYTES));
        let mut message = format!("{name} failed: the service answered {status}");
        if !shown.is_empty() {
            message.push('\n');
            message.push_str(&secrets.redact(shown));
        }
        message.push_str("\nWhat to do: ");
        message.push_str(match status.as_u16() {
            401 | 403 => "tell the user that the tool is not allowed to do this; its author has to check its headers.",
            429 | 500.. => "try again later, or tell the user that the service has a problem.",
            _ => "check the arguments and call it again, or tell the user what went wrong.",
        });
        return failed(message);
    }
    if reply.body.is_empty() && reply.complete {
        return ToolOutput { output: Json::string(&status.to_string()), is_error: false };
    }
    if reply.complete
        && matches!(kind(reply), ReplyBodyKind::Json)
        && let Ok(text) = std::str::from_utf8(&reply.body)
        && depth_within(text.as_bytes(), MAX_JSON_DEPTH)
        && let Ok(output) = Json::parse(&secrets.redact(text.to_owned()))
    {
        return ToolOutput { output, is_error: false };
    }
    ToolOutput { output: Json::string(&secrets.redact(text(reply, limit))), is_error: false }
}

/// The body as text, truncated with a notice; a body that is not text is only described.
fn text(reply: &OutboundReply, limit: usize) -> String {
    if let ReplyBodyKind::Other = kind(reply) {
        return describe_body(reply);
    }
    let shown = &reply.body[..reply.body.len().min(limit)];
    let lossy = String::from_utf8_lossy(shown);
    if reply.complete && shown.len() == reply.body.len() {
        return lossy.into_owned();
    }
    let complete = lossy.trim_end_matches(char::REPLACEMENT_CHARACTER);
    match (declared_length(reply), shown.len() < limit) {
        (_, true) => format!("{complete}\n[the reply broke off after {} bytes]", shown.len()),
        (Some(total), false) => format!("{complete}\n[output cut: the first {limit} of {total} bytes are shown]"),
        (None, false) => format!("{complete}\n[output cut: the first {limit} bytes are shown]"),
    }
}

fn describe_body(reply: &OutboundReply) -> String {
    let encoding = reply.headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let packed = encoding.map(|encoding| format!(", {encoding}")).unwrap_or_default();
    let kind = media_type(reply).unwrap_or_else(|| "data without a media type".to_owned());
    let size = match (reply.complete, declared_length(reply)) {
        (true, _) => format!("{} bytes", reply.body.len()),
        (false, Some(total)) => format!("{total} bytes"),
        (false, None) => format!("more than {} bytes", reply.body.len()),
    };
    format!("[{kind}{packed}, {size}: not shown, because it is not text]")
}

fn kind(reply: &OutboundReply) -> ReplyBodyKind {
    let packed = reply.headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
    if packed {
        return ReplyBodyKind::Other;
    }
    let Some(media_type) = media_type(reply) else {
        return if looks_like_text(&reply.body) { ReplyBodyKind::Json } else { ReplyBodyKind::Other };
    };
    let (group, name) = media_type.split_once('/').unwrap_or((&media_type, ""));
    match (group, name) {
        (_, "json") => ReplyBodyKind::Json,
        (_, name) if name.ends_with("+json") => ReplyBodyKind::Json,
        ("text", _) => ReplyBodyKind::Text,
        ("application", "xml" | "javascript" | "yaml" | "toml" | "x-ndjson" | "jsonl" | "x-www-form-urlencoded") => {
            ReplyBodyKind::Text
        }
        (_, name) if name.ends_with("+xml") || name.ends_with("+yaml") => ReplyBodyKind::Text,
        _ => ReplyBodyKind::Other,
    }
}

/// Truncation may split the last character.
fn looks_like_text(body: &[u8]) -> bool {
    let readable = match std::str::from_utf8(body) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    readable && !body.contains(&0)
}

fn media_type(reply: &OutboundReply) -> Option<String> {
    let value = reply.headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let media_type = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (!media_type.is_empty()).then_some(media_type)
}

/// Content length declared by the service.
fn declared_length(reply: &OutboundReply) -> Option<u64> {
    reply.headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
