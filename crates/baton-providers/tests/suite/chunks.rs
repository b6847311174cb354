//! Stream chunks in the format of each service.

use baton_types::ProviderKind;
use serde_json::{Value, json};

/// Content type of a stream.
pub(crate) fn content_type(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Ollama => "application/x-ndjson",
        ProviderKind::Bedrock => "application/vnd.amazon.eventstream",
        _ => "text/event-stream",
    }
}

/// The first text chunk: `Half`.
pub(crate) fn first(kind: ProviderKind) -> Vec<u8> {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Compatible => {
            data(&json!({"choices": [{"index": 0, "delta": {"content": "Half"}}]}))
        }
        ProviderKind::OpenAiResponses => event(
            &json!({"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "Half"}),
        ),
        ProviderKind::Anthropic => [
            event(&json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})),
            event(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Half"}})),
        ]
        .concat(),
        ProviderKind::Gemini => {
            data(&json!({"candidates": [{"content": {"parts": [{"text": "Half"}], "role": "model"}}]}))
        }
        ProviderKind::Ollama => line(&json!({"message": {"role": "assistant", "content": "Half"}, "done": false})),
        ProviderKind::Bedrock => frame(
            "contentBlockDelta",
            json!({"delta": {"text": "Half"}, "contentBlockIndex": 0}).to_string().as_bytes(),
        ),
    }
}

/// The chunks that complete the response.
pub(crate) fn last(kind: ProviderKind) -> Vec<u8> {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Compatible => {
            let end = data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
            [end, b"data: [DONE]\n\n".to_vec()].concat()
        }
        ProviderKind::OpenAiResponses => event(
            &json!({"type": "response.completed", "response": {"id": "r", "model": "m", "status": "completed", "output": []}}),
        ),
        ProviderKind::Anthropic => [
            event(&json!({"type": "content_block_stop", "index": 0})),
            event(
                &json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
            ),
            event(&json!({"type": "message_stop"})),
        ]
        .concat(),
        ProviderKind::Gemini => {
            data(&json!({"candidates": [{"content": {"parts": [], "role": "model"}, "finishReason": "STOP"}]}))
        }
        ProviderKind::Ollama => {
            line(&json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}))
        }
        ProviderKind::Bedrock => [
            frame("messageStop", json!({"stopReason": "end_turn"}).to_string().as_bytes()),
            frame("metadata", json!({"usage": {"inputTokens": 1, "outputTokens": 1}}).to_string().as_bytes()),
        ]
        .concat(),
    }
}

/// An unreadable chunk.
pub(crate) fn nonsense(kind: ProviderKind) -> Vec<u8> {
    match kind {
        ProviderKind::Ollama => b"{oops\n".to_vec(),
        ProviderKind::Bedrock => frame("contentBlockDelta", b"{oops"),
        _ => b"event: content_block_delta\ndata: {oops\n\n".to_vec(),
    }
}

fn data(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

fn event(value: &Value) -> Vec<u8> {
    let name = value["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {value}\n\n").into_bytes()
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// A message of an AWS event stream: lengths, their checksum, headers, payload, and a checksum of all.
pub(crate) fn frame(event: &str, payload: &[u8]) -> Vec<u8> {
    message(&[(":message-type", "event"), (":event-type", event)], payload)
}

/// An exception in an AWS event stream.
pub(crate) fn exception(kind: &str, text: &str) -> Vec<u8> {
    let headers = [(":message-type", "exception"), (":exception-type", kind), (":content-type", "application/json")];
    message(&headers, json!({"message": text}).to_string().as_bytes())
}

fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let header = |(name, value): &(&str, &str)| {
        let length = u16::try_from(value.len()).expect("short");
        let mut bytes = vec![u8::try_from(name.len()).expect("short")];
        bytes.extend(name.as_bytes());
        bytes.push(7);
        bytes.extend(length.to_be_bytes());
        bytes.extend(value.as_bytes());
        bytes
    };
    let headers = headers.iter().map(header).collect::<Vec<_>>().concat();
    let length = |bytes: usize| u32::try_from(bytes).expect("short").to_be_bytes();
    let mut bytes = [length(16 + headers.len() + payload.len()), length(headers.len())].concat();
    bytes.extend(sum(&bytes).to_be_bytes());
    bytes.extend(&headers);
    bytes.extend(payload);
    bytes.extend(sum(&bytes).to_be_bytes());
    bytes
}

/// CRC-32 as in zip files.
fn sum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 })
    })
}
