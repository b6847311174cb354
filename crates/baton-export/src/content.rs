//! Removes content from spans: inputs and outputs of models and tools, and handoff data. Content is exported only if
//! allowed.

use baton_telemetry::names;
use baton_types::{Attributes, Span};

/// Attribute keys with content, of all known conventions.
const CONTENT_KEYS: [&str; 34] = [
    names::GEN_AI_SYSTEM_INSTRUCTIONS,
    names::GEN_AI_INPUT_MESSAGES,
    names::GEN_AI_OUTPUT_MESSAGES,
    names::GEN_AI_TOOL_CALL_ARGUMENTS,
    names::GEN_AI_TOOL_CALL_RESULT,
    names::HANDOFF_TASK,
    names::HANDOFF_INPUTS,
    names::HANDOFF_RESULT,
    "gen_ai.tool.definitions",
    "gen_ai.retrieval.query.text",
    "gen_ai.retrieval.documents",
    "gen_ai.memory.query.text",
    "gen_ai.memory.records",
    "gen_ai.prompt",
    "gen_ai.completion",
    "gen_ai.event.content",
    "input.value",
    "output.value",
    "llm.prompts",
    "llm.function_call",
    "reranker.query",
    "traceloop.entity.input",
    "traceloop.entity.output",
    "ai.prompt",
    "ai.response.text",
    "ai.response.object",
    "ai.response.reasoning",
    "ai.response.toolCalls",
    "ai.response.files",
    "ai.result.text",
    "ai.result.object",
    "ai.result.toolCalls",
    "ai.value",
    "ai.values",
];
/// Key prefixes of conventions with one attribute per message, document or argument.
const CONTENT_KEY_PREFIXES: [&str; 16] = [
    "gen_ai.prompt.",
    "gen_ai.completion.",
    "gen_ai.retrieval.documents.",
    "llm.input_messages.",
    "llm.output_messages.",
    "llm.prompts.",
    "llm.prompt_template.",
    "llm.tools.",
    "retrieval.documents.",
    "reranker.input_documents.",
    "reranker.output_documents.",
    "embedding.embeddings.",
    "ai.prompt.",
    "ai.toolCall.args",
    "ai.toolCall.result",
    "ai.embedding",
];

/// Removes content from a span, its events and its links, and counts it as dropped.
pub(crate) fn remove_content(span: &mut Span) {
    span.dropped.attributes = span.dropped.attributes.saturating_add(remove_content_attributes(&mut span.attributes));
    for event in &mut span.events {
        event.dropped_attributes =
            event.dropped_attributes.saturating_add(remove_content_attributes(&mut event.attributes));
    }
    for link in &mut span.links {
        link.dropped_attributes =
            link.dropped_attributes.saturating_add(remove_content_attributes(&mut link.attributes));
    }
}

fn remove_content_attributes(attributes: &mut Attributes) -> u32 {
    let before = attributes.len();
    attributes.retain(|(key, _)| {
        !CONTENT_KEYS.contains(&key.as_ref()) && !CONTENT_KEY_PREFIXES.iter().any(|family| key.starts_with(family))
    });
    u32::try_from(before - attributes.len()).unwrap_or(u32::MAX)
}
