//! Converse answers, streamed or complete.

use super::event_stream::EventFrame;
use crate::{answer::FinalAnswer, exchange::AnswerPiece};
use baton_types::Usage;
use genai::chat::{ContentPart, StopReason, ToolCall};
use serde_json::{Map, Value};

/// A streamed answer, as far as it was received.
#[derive(Default)]
pub(super) struct StreamedAnswer {
    answer: FinalAnswer,
    open: Option<OpenBlock>,
}

/// Effect of a frame.
pub(super) enum FrameEffect {
    None,
    Piece(AnswerPiece),
    /// The answer is complete.
    End,
}

/// A content block that arrives in several frames.
enum OpenBlock {
    Call { id: String, name: String, input: String },
    Thought(ThoughtBlock),
}

/// Reasoning text with its signature, or encrypted reasoning.
#[derive(Default)]
struct ThoughtBlock {
    text: String,
    signature: String,
    encrypted: String,
}

impl StreamedAnswer {
    /// Applies an event; fails if its payload is not JSON.
    pub(super) fn apply(&mut self, frame: &EventFrame) -> Result<FrameEffect, serde_json::Error> {
        let payload = match frame.payload.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&frame.payload)?,
        };
        Ok(match frame.kind.as_str() {
            "contentBlockStart" => self.start(&payload),
            "contentBlockDelta" => self.extend(&payload),
            "contentBlockStop" => {
                self.close();
                FrameEffect::None
            }
            "messageStop" => {
                self.answer.stop = text(&payload, "/stopReason").map(|reason| stop_reason(&reason));
                FrameEffect::None
            }
            // The last event of a stream.
            "metadata" => {
                self.answer.usage = payload.get("usage").map(usage);
                FrameEffect::End
            }
            _ => FrameEffect::None,
        })
    }

    /// The answer as far as it was received.
    pub(super) fn finish(mut self) -> FinalAnswer {
        self.close();
        self.answer
    }

    fn start(&mut self, payload: &Value) -> FrameEffect {
        self.close();
        let Some(call) = payload.pointer("/start/toolUse") else { return FrameEffect::None };
        let part = |pointer| text(call, pointer).unwrap_or_default();
        self.open = Some(OpenBlock::Call { id: part("/toolUseId"), name: part("/name"), input: String::new() });
        FrameEffect::Piece(AnswerPiece::Partial)
    }

    fn extend(&mut self, payload: &Value) -> FrameEffect {
        let Some(delta) = payload.get("delta") else { return FrameEffect::None };
        if let Some(text) = text(delta, "/text") {
            return FrameEffect::Piece(AnswerPiece::Text(text));
        }
        if let Some(more) = text(delta, "/toolUse/input") {
            if let Some(OpenBlock::Call { input, .. }) = &mut self.open {
                input.push_str(&more);
            }
            return FrameEffect::Piece(AnswerPiece::Partial);
        }
        let Some(reasoning) = delta.get("reasoningContent") else { return FrameEffect::None };
        if !matches!(self.open, Some(OpenBlock::Thought(_))) {
            self.close();
        }
        let block = self.open.get_or_insert_with(|| OpenBlock::Thought(ThoughtBlock::default()));
        let OpenBlock::Thought(thought) = block else { return FrameEffect::None };
        if let Some(text) = text(reasoning, "/text") {
            thought.text.push_str(&text);
            self.answer.reasoning.get_or_insert_default().push_str(&text);
            return FrameEffect::Piece(AnswerPiece::Reasoning(text));
        }
        thought.signature.push_str(&text(reasoning, "/signature").unwrap_or_default());
        thought.encrypted.push_str(&text(reasoning, "/redactedContent").unwrap_or_default());
        FrameEffect::Piece(AnswerPiece::Partial)
    }

    fn close(&mut self) {
        match self.open.take() {
            Some(OpenBlock::Call { id, name, input }) => {
                let arguments = if input.is_empty() { Value::Object(Map::new()) } else { Value::String(input) };
                self.answer.parts.push(tool_call(id, name, arguments));
            }
            Some(OpenBlock::Thought(thought)) => thought.push_parts(&mut self.answer.parts),
            None => {}
        }
    }
}

impl ThoughtBlock {
    /// The parts to send back; unsigned reasoning cannot be sent back.
    fn push_parts(self, parts: &mut Vec<ContentPart>) {
        if !self.encrypted.is_empty() {
            parts.push(ContentPart::ThoughtSignature(self.encrypted));
        } else if !self.signature.is_empty() {
            parts.extend([ContentPart::ThoughtSignature(self.signature), ContentPart::ReasoningContent(self.text)]);
        }
    }
}

/// Converts a complete answer.
pub(super) fn complete_answer(body: &Value) -> FinalAnswer {
    let mut answer = FinalAnswer {
        stop: text(body, "/stopReason").map(|reason| stop_reason(&reason)),
        usage: body.get("usage").map(usage),
        ..FinalAnswer::default()
    };
    let blocks = body.pointer("/output/message/content").and_then(Value::as_array);
    for block in blocks.into_iter().flatten() {
        if let Some(text) = text(block, "/text") {
            answer.parts.push(ContentPart::from_text(text));
        } else if let Some(call) = block.get("toolUse") {
            let part = |pointer| text(call, pointer).unwrap_or_default();
            let input = call.get("input").cloned().unwrap_or_default();
            answer.parts.push(tool_call(part("/toolUseId"), part("/name"), input));
        } else if let Some(reasoning) = block.get("reasoningContent") {
            let part = |pointer| text(reasoning, pointer).unwrap_or_default();
            let thought = ThoughtBlock {
                text: part("/reasoningText/text"),
                signature: part("/reasoningText/signature"),
                encrypted: part("/redactedContent"),
            };
            if !thought.text.is_empty() {
                let all = answer.reasoning.get_or_insert_default();
                let separator = if all.is_empty() { "" } else { "\n" };
                all.push_str(separator);
                all.push_str(&thought.text);
            }
            thought.push_parts(&mut answer.parts);
        }
    }
    answer
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}

fn tool_call(id: String, name: String, arguments: Value) -> ContentPart {
    ContentPart::ToolCall(ToolCall { call_id: id, fn_name: name, fn_arguments: arguments, thought_signatures: None })
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "guardrail_intervened" | "content_filtered" => StopReason::ContentFilter(reason.to_owned()),
        other => StopReason::from(other.to_owned()),
    }
}

/// Token counts; the service counts cached tokens separately from input tokens.
fn usage(reported: &Value) -> Usage {
    let count = |name: &str| reported.get(name).and_then(Value::as_u64).unwrap_or_default();
    let (cached, written) = (count("cacheReadInputTokens"), count("cacheWriteInputTokens"));
    Usage {
        input_tokens: count("inputTokens").saturating_add(cached).saturating_add(written),
        output_tokens: count("outputTokens"),
        cached_tokens: cached,
        cache_write_tokens: written,
        reasoning_tokens: 0,
        micro_dollars: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use serde_json::json;

    fn streamed(events: &[(&str, Value)]) -> FinalAnswer {
        let mut answer = StreamedAnswer::default();
        for (kind, payload) in events {
            let payload = Bytes::from(payload.to_string());
            let frame = EventFrame { kind: (*kind).to_owned(), is_failure: false, payload };
            answer.apply(&frame).expect("JSON");
        }
        answer.finish()
    }

    fn shown(answer: &FinalAnswer) -> Vec<String> {
        let show = |part: &ContentPart| match part {
            ContentPart::ThoughtSignature(signature) => format!("signature {signature}"),
            ContentPart::ReasoningContent(text) => format!("thought {text}"),
            ContentPart::ToolCall(call) => format!("call {} {} {}", call.call_id, call.fn_name, call.fn_arguments),
            _ => "other".to_owned(),
        };
        answer.parts.iter().map(show).collect()
    }

    #[test]
    fn streamed_blocks_are_assembled_in_order() {
        let delta = |value: Value| ("contentBlockDelta", json!({"delta": value}));
        let stop = || ("contentBlockStop", json!({}));
        let answer = streamed(&[
            ("messageStart", json!({"role": "assistant"})),
            delta(json!({"reasoningContent": {"text": "Six times "}})),
            delta(json!({"reasoningContent": {"text": "seven."}})),
            delta(json!({"reasoningContent": {"signature": "sig"}})),
            stop(),
            delta(json!({"reasoningContent": {"redactedContent": "blob"}})),
            // Without a stop, the next block closes this one.
            ("contentBlockStart", json!({"start": {"toolUse": {"toolUseId": "a", "name": "one"}}})),
            delta(json!({"toolUse": {"input": "{\"n\""}})),
            delta(json!({"toolUse": {"input": ":1}"}})),
            stop(),
            ("contentBlockStart", json!({"start": {"toolUse": {"toolUseId": "b", "name": "two"}}})),
            stop(),
            ("contentBlockStart", json!({"start": {"toolUse": {"toolUseId": "c", "name": "cut"}}})),
            delta(json!({"toolUse": {"input": "{\"n"}})),
            ("messageStop", json!({"stopReason": "max_tokens"})),
            (
                "metadata",
                json!({"usage": {"inputTokens": 3, "outputTokens": 5, "cacheReadInputTokens": 7, "cacheWriteInputTokens": 11}}),
            ),
        ]);
        assert_eq!(
            shown(&answer),
            [
                "signature sig",
                "thought Six times seven.",
                "signature blob",
                r#"call a one "{\"n\":1}""#,
                "call b two {}",
                r#"call c cut "{\"n""#
            ]
        );
        assert_eq!(answer.reasoning.as_deref(), Some("Six times seven."));
        assert!(matches!(answer.stop, Some(StopReason::MaxTokens(_))));
        let usage = Usage { cached_tokens: 7, cache_write_tokens: 11, ..Usage::new(21, 5) };
        assert_eq!(answer.usage, Some(usage));
    }

    #[test]
    fn complete_answers_keep_reasoning_for_replay() {
        let answer = complete_answer(&json!({
            "output": {"message": {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "thinking", "signature": "sig"}}},
                {"reasoningContent": {"redactedContent": "blob"}},
                {"reasoningContent": {"reasoningText": {"text": "unsigned"}}},
                {"toolUse": {"toolUseId": "a", "name": "one", "input": {"n": 1}}}
            ]}},
            "stopReason": "guardrail_intervened"
        }));
        assert_eq!(shown(&answer), ["signature sig", "thought thinking", "signature blob", r#"call a one {"n":1}"#]);
        assert_eq!(answer.reasoning.as_deref(), Some("thinking\nunsigned"));
        assert!(matches!(answer.stop, Some(StopReason::ContentFilter(_))));
    }
}
