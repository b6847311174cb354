//! Rewrites attribute names for each emit mode.

use crate::{EmitMode, Schema, names};
use baton_types::{AttributeKey, Attributes, SpanValue, find_attribute};

/// Pairs of legacy and current names. Only these are renamed; `insight.*`, `project.*`, `task.*`, `gate.*` and the
/// other `handoff.*` names never are.
pub const RENAMED_ATTRIBUTES: &[(&str, &str)] = &[
    (names::AGENT_ID, names::GEN_AI_AGENT_ID),
    (names::AGENT_SESSION_ID, names::GEN_AI_CONVERSATION_ID),
    (names::AGENT_TYPE, names::GEN_AI_AGENT_TYPE),
    (names::AGENT_NAME, names::GEN_AI_AGENT_NAME),
    (names::AGENT_MODEL, names::GEN_AI_REQUEST_MODEL),
    (names::AGENT_VERSION, names::GEN_AI_AGENT_VERSION),
    (names::HANDOFF_ID, names::GEN_AI_TOOL_CALL_ID),
    (names::HANDOFF_CAPABILITY_ID, names::GEN_AI_TOOL_NAME),
    (names::HANDOFF_INPUTS, names::GEN_AI_TOOL_CALL_ARGUMENTS),
];

/// Deprecated names of the conventions, emitted in addition to the current ones because ContextCore's documents use
/// them.
const DEPRECATED_ALIASES: &[(&str, &str)] = &[(names::GEN_AI_SYSTEM, names::GEN_AI_PROVIDER_NAME)];

/// The conventions have no names for code generation; the second prefix is Baton's own.
const CODE: (&str, &str) = ("gen_ai.code.", "codegen.");

const GEN_AI: &str = "gen_ai.";

/// Equivalent keys across emit modes, for queries; the current name comes first.
pub const ALIASES: &[&[&str]] = &[
    &[names::GEN_AI_AGENT_ID, names::AGENT_ID],
    &[names::GEN_AI_CONVERSATION_ID, names::AGENT_SESSION_ID, "session.id"],
    &[names::GEN_AI_AGENT_TYPE, names::AGENT_TYPE],
    &[names::GEN_AI_AGENT_NAME, names::AGENT_NAME],
    &[names::GEN_AI_REQUEST_MODEL, names::AGENT_MODEL, "llm.model_name", "llm.request.model"],
    &[names::GEN_AI_AGENT_VERSION, names::AGENT_VERSION],
    &[names::GEN_AI_PROVIDER_NAME, names::GEN_AI_SYSTEM, "llm.provider", "llm.system"],
    &[
        names::GEN_AI_USAGE_INPUT_TOKENS,
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
    ],
    &[
        names::GEN_AI_USAGE_OUTPUT_TOKENS,
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
    ],
    &[
        names::GEN_AI_USAGE_CACHE_READ,
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ],
    &[names::GEN_AI_USAGE_CACHE_WRITE, names::GEN_AI_USAGE_CACHE_CREATION],
    &[names::GEN_AI_USAGE_REASONING, "llm.token_count.completion_details.reasoning", "llm.usage.reasoning_tokens"],
    &[names::GEN_AI_INPUT_MESSAGES, "gen_ai.prompt", "input.value", "traceloop.entity.input"],
    &[names::GEN_AI_OUTPUT_MESSAGES, "gen_ai.completion", "output.value", "traceloop.entity.output"],
    // `link.relationship` in a query is the attribute `relationship` of a link.
    &[names::LINK_RELATIONSHIP, "relationship"],
    &["codegen.action", "gen_ai.code.action"],
    &["codegen.actual_lines", "gen_ai.code.actual_lines"],
    &["codegen.allows_decomposition", "gen_ai.code.allows_decomposition"],
    &["codegen.chunk_index", "gen_ai.code.chunk_index"],
    &["codegen.chunk_total", "gen_ai.code.chunk_total"],
    &["codegen.correlation_id", "gen_ai.code.correlation_id"],
    &["codegen.estimated_lines", "gen_ai.code.estimated_lines"],
    &["codegen.estimated_tokens", "gen_ai.code.estimated_tokens"],
    &["codegen.handoff_id", "gen_ai.code.handoff_id"],
    &["codegen.max_lines", "gen_ai.code.max_lines"],
    &["codegen.max_lines_allowed", "gen_ai.code.max_lines_allowed"],
    &["codegen.missing_exports", "gen_ai.code.missing_exports"],
    &["codegen.parent_handoff", "gen_ai.code.parent_handoff"],
    &["codegen.target_file", "gen_ai.code.target_file"],
    &["codegen.tokens_used", "gen_ai.code.tokens_used"],
    &["codegen.truncated", "gen_ai.code.truncated"],
    &["codegen.verification_issues", "gen_ai.code.verification_issues"],
    &["codegen.verification_result", "gen_ai.code.verification_result"],
];

/// Rewrites attributes for a mode and a schema.
pub fn rewrite_attributes(attributes: &mut Attributes, mode: EmitMode, schema: Schema) {
    if schema == Schema::V1_41 {
        attributes.retain(|(key, _)| !key.starts_with("gen_ai.transfer."));
    } else {
        copy_attribute(attributes, names::GEN_AI_USAGE_CACHE_CREATION, names::GEN_AI_USAGE_CACHE_WRITE);
    }
    if mode == EmitMode::Legacy {
        return legacy(attributes);
    }
    let present = PrefixSet::of(attributes);
    // Other spans refer to a handoff that they belong to; their `handoff.*` attributes are not renamed.
    let is_handoff = present.handoff && find_attribute(attributes, names::HANDOFF_CAPABILITY_ID).is_some();
    for (old, new) in RENAMED_ATTRIBUTES {
        let may_have = if old.starts_with("handoff.") { is_handoff } else { present.agent };
        if may_have {
            copy_attribute(attributes, old, new);
        }
    }
    if present.gen_ai {
        for (old, new) in DEPRECATED_ALIASES {
            copy_attribute(attributes, old, new);
            copy_attribute(attributes, new, old);
        }
    }
    if present.code {
        let code = |(key, value): &(AttributeKey, SpanValue)| {
            let name = key.strip_prefix(CODE.0)?;
            Some((AttributeKey::from(format!("{}{name}", CODE.1)), value.clone()))
        };
        let added: Vec<_> = attributes.iter().filter_map(code).collect();
        attributes.extend(added);
    }
    if mode == EmitMode::Otel && present.agent {
        // Handoffs keep their own names: a query by the current name would also match every tool call.
        attributes
            .retain(|(key, _)| RENAMED_ATTRIBUTES.iter().all(|(old, _)| key != old || !old.starts_with("agent.")));
    }
}

/// Prefixes that occur in attributes: most spans of requests have none of them, and need no rewriting.
#[derive(Default)]
struct PrefixSet {
    agent: bool,
    handoff: bool,
    gen_ai: bool,
    code: bool,
}

impl PrefixSet {
    fn of(attributes: &Attributes) -> Self {
        let mut found = Self::default();
        for (key, _) in attributes {
            match key.as_bytes() {
                [b'a', b'g', b'e', b'n', b't', b'.', ..] => found.agent = true,
                [b'h', b'a', b'n', b'd', b'o', b'f', b'f', b'.', ..] => found.handoff = true,
                [b'g', b'e', b'n', b'_', b'a', b'i', b'.', ..] => {
                    found.gen_ai = true;
                    found.code |= key.starts_with(CODE.0);
                }
                _ => {}
            }
        }
        found
    }
}

/// Legacy mode: adds the legacy names and removes the rest of the `gen_ai.*` attributes.
fn legacy(attributes: &mut Attributes) {
    for (old, new) in RENAMED_ATTRIBUTES.iter().filter(|(old, _)| old.starts_with("agent.")) {
        copy_attribute(attributes, new, old);
    }
    attributes.retain(|(key, _)| !key.starts_with(GEN_AI) || key.starts_with(CODE.0));
}

/// Copies an attribute to a second name, unless that name is already set.
fn copy_attribute(attributes: &mut Attributes, source: &'static str, target: &'static str) {
    if let Some(value) = find_attribute(attributes, source).cloned()
        && find_attribute(attributes, target).is_none()
    {
        attributes.push((target.into(), value));
    }
}
