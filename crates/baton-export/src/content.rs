//! What models and tools read and wrote, and what agents handed to each other: it leaves only when it may.

use baton_telemetry::names;
use baton_types::{Attributes, Span};

/// Attributes that are content, by whatever convention.
const CONTENT: [&str; 16] = [
    names::GEN_AI_SYSTEM_INSTRUCTIONS,
    names::GEN_AI_INPUT_MESSAGES,
    names::GEN_AI_OUTPUT_MESSAGES,
    names::GEN_AI_TOOL_CALL_ARGUMENTS,
    names::GEN_AI_TOOL_CALL_RESULT,
    names::HANDOFF_TASK,
    names::HANDOFF_INPUTS,
    names::HANDOFF_RESULT,
    "gen_ai.tool.definitions",
    "gen_ai.prompt",
    "gen_ai.completion",
    "gen_ai.event.content",
    "input.value",
    "output.value",
    "traceloop.entity.input",
    "traceloop.entity.output",
];
/// Conventions that give each message attributes of its own.
const FAMILIES: [&str; 4] = ["gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.", "llm.output_messages."];

/// Takes content from a span and its events, and counts it as dropped.
pub(crate) fn hide(span: &mut Span) {
    span.dropped.attributes = span.dropped.attributes.saturating_add(strip(&mut span.attributes));
    for event in &mut span.events {
        event.dropped_attributes = event.dropped_attributes.saturating_add(strip(&mut event.attributes));
    }
}

fn strip(attributes: &mut Attributes) -> u32 {
    let before = attributes.len();
    attributes
        .retain(|(key, _)| !CONTENT.contains(&key.as_ref()) && !FAMILIES.iter().any(|family| key.starts_with(family)));
    u32::try_from(before - attributes.len()).unwrap_or(u32::MAX)
}
