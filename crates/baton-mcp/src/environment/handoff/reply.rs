//! Parsing of a client's answer to a handoff request, and check of its origin.

use serde_json::Value;

/// Prefix of the model name in answers from agents.
const AGENT_MODEL_PREFIX: &str = "a2a-agent";
/// Stop reason that marks a failed handoff.
const ERROR_STOP_REASON: &str = "error";
/// Members of the reply's `_meta` that identify the remote task.
const TASK_ID_META: &str = "dev.baton/taskId";
const CONTEXT_ID_META: &str = "dev.baton/contextId";
/// Maximum length of client text in records and one-line messages.
const MAX_DISPLAYED_CHARS: usize = 200;
/// Maximum length of accepted ids.
const MAX_ID_LEN: usize = 256;

/// Outcome of the work.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClientHandoffReply {
    /// The agent's answer.
    Answer { response: String, task: Option<String>, context: Option<String> },
    /// Failed, with the reason.
    Failed(String),
}

/// A client's answer to a handoff.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClientAnswer {
    /// An answer from the agent, or a failure reported by the client.
    Reply(ClientHandoffReply),
    /// An answer from the model with this name; its text is discarded.
    OtherModel(String),
}

/// Parses a `CreateMessageResult`; unknown block kinds are ignored. An answer without a model counts as the agent's:
/// only clients that support handoffs or run the agent's tools are asked. `names` are the accepted names of the agent.
pub(super) fn parse_answer(result: &Value, names: &[String]) -> ClientAnswer {
    if !result.is_object() {
        return ClientAnswer::Reply(ClientHandoffReply::Failed("the client's answer cannot be read".to_owned()));
    }
    let model = result.get("model").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if !(model.is_empty() || model.starts_with(AGENT_MODEL_PREFIX) || names.iter().any(|name| name == model)) {
        return ClientAnswer::OtherModel(display_line(model));
    }
    ClientAnswer::Reply(reply(result))
}

fn reply(result: &Value) -> ClientHandoffReply {
    let text = text(result.get("content"));
    let id = |member: &str| {
        let id = result.get("_meta")?.get(member)?.as_str()?;
        (!id.is_empty() && id.len() <= MAX_ID_LEN).then(|| id.to_owned())
    };
    match (result.get("stopReason").and_then(Value::as_str), text) {
        (Some(ERROR_STOP_REASON), Some(reason)) => ClientHandoffReply::Failed(reason),
        (Some(ERROR_STOP_REASON), None) => ClientHandoffReply::Failed("the agent gave no reason".to_owned()),
        (_, Some(response)) => {
            ClientHandoffReply::Answer { response, task: id(TASK_ID_META), context: id(CONTEXT_ID_META) }
        }
        (_, None) => ClientHandoffReply::Failed("the agent's answer has no text".to_owned()),
    }
}

/// The text blocks, joined by line breaks.
fn text(content: Option<&Value>) -> Option<String> {
    let blocks = match content? {
        Value::Array(blocks) => blocks.as_slice(),
        one => std::slice::from_ref(one),
    };
    let is_text = |block: &&Value| block.get("type").and_then(Value::as_str) == Some("text");
    let texts = blocks.iter().filter(is_text).filter_map(|block| block.get("text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    (!text.trim().is_empty()).then_some(text)
}

/// Client text as one short line.
pub(super) fn display_line(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.chars().take(MAX_DISPLAYED_CHARS).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answer_is_attributed_by_model_name() {
        let block = |text: &str| json!({"type": "text", "text": text});
        let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
        let said = |model: &str, content: Value| json!({"role": "assistant", "model": model, "content": content});
        let answer = |text: &str| {
            ClientAnswer::Reply(ClientHandoffReply::Answer { response: text.to_owned(), task: None, context: None })
        };
        let failed = |reason: &str| ClientAnswer::Reply(ClientHandoffReply::Failed(reason.to_owned()));
        let other = |model: &str| ClientAnswer::OtherModel(model.to_owned());
        let names = ["weather".to_owned(), "http://localhost:10000".to_owned()];
        let mut error = said("a2a-agent", block("it is away"));
        error["stopReason"] = "error".into();
        let mut model_error = said("gpt", block("it is away"));
        model_error["stopReason"] = "error".into();
        for (reply, expect) in [
            (said("a2a-agent", block("72°F")), answer("72°F")),
            (said("a2a-agent/weather", json!([block("one"), image, block("two")])), answer("one\ntwo")),
            (said("a2a-agent", json!([{"type": "hologram"}, block("x")])), answer("x")),
            (said("a2a-agent", image.clone()), failed("the agent's answer has no text")),
            (said("a2a-agent", json!([])), failed("the agent's answer has no text")),
            (said("a2a-agent", block(" \n")), failed("the agent's answer has no text")),
            (error, failed("it is away")),
            (said("weather", block("72°F")), answer("72°F")),
            (said("http://localhost:10000", block("72°F")), answer("72°F")),
            (said("gpt-5", block("It is 72°F")), other("gpt-5")),
            (said("claude-sonnet-4-5", block("It is 72°F")), other("claude-sonnet-4-5")),
            (said("weather-model", block("It is 72°F")), other("weather-model")),
            (said("A2A-agent", block("It is 72°F")), other("A2A-agent")),
            (said("x\ny", block("It is 72°F")), other("x y")),
            (model_error, other("gpt")),
            // Timestep's client may omit the model.
            (json!({"role": "assistant", "content": block("It is 72°F")}), answer("It is 72°F")),
            (json!({"role": "assistant", "content": block("72°F"), "model": null}), answer("72°F")),
            (said(" ", block("72°F")), answer("72°F")),
            (json!({}), failed("the agent's answer has no text")),
            (json!("72°F"), failed("the client's answer cannot be read")),
        ] {
            assert_eq!(parse_answer(&reply, &names), expect, "{reply}");
        }
        let mut told = said("a2a-agent", block("ok"));
        told["_meta"] = json!({"dev.baton/taskId": "t-1", "dev.baton/contextId": "c".repeat(257)});
        let answered =
            ClientHandoffReply::Answer { response: "ok".to_owned(), task: Some("t-1".to_owned()), context: None };
        assert_eq!(parse_answer(&told, &names), ClientAnswer::Reply(answered));
    }
}
