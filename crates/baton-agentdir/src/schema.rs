//! The JSON Schema of `agent.yaml` for editors, generated from the limits and keywords that the reader enforces.
//!
//! It is more lenient than the reader for constraints between values and for server keys of other programs.

mod models;
mod parts;
mod servers;
mod tools;

use crate::{
    MAX_REFERENCES,
    permission::{APPROVAL_MODE_KEYWORDS, INCLUSION_MODE_KEYWORDS},
    raw::{
        ANSWER_PLACEMENT_KEYWORDS, EFFORTS, MAX_ENTRIES, MAX_FALLBACKS, MAX_PARALLEL_TOOLS, MAX_SPILL, MAX_STOP_BYTES,
        MAX_STOP_SEQUENCES, MAX_TOKENS, MAX_TOOL_ERRORS, MAX_TOP_K, MAX_TOP_N, MAX_TURNS, TEXT_DELIVERY_KEYWORDS,
    },
};
use baton_types::{ContextItem, ControlTools};
pub use models::providers;
use parts::{count, duration, flag, list, object, one_of, text, texts, with};
use serde_json::{Value, json};

/// The content of `docs/agent.schema.json`.
pub fn schema() -> Value {
    let mut schema = with(
        object(
            "Definition of an agent.",
            &json!({
                "name": {"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$",
                    "not": {"enum": baton_types::RESERVED_AGENT_NAMES},
                    "description": "Name of the agent and part of its address: lower-case letters, digits and dashes, at most 64."},
                "title": text("Display name; derived from the name by default."),
                "description": text("Purpose of the agent."),
                "version": text("Version of this definition; default 0.1.0."),
                "model": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$",
                    "description": "Model: playbook, or provider:model; by default the model of baton.yaml, or a detected one."},
                "fallbacks": {"type": "array", "maxItems": MAX_FALLBACKS,
                    "items": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$"},
                    "description": "Fallback models, tried in this order if the model fails."},
                "providers": models::providers(),
                "answer": models::answer(),
                "a2a": object("Presentation of answers over A2A; defaults to the server's settings. Since 0.10.", &a2a_settings()),
                "guardrails": models::guardrails(),
                "provider": with(object("Publisher of the agent.", &json!({
                    "organization": text("Name of the organization."),
                    "url": web("Website of the organization."),
                })), &["organization"]),
                "icon_url": web("URL of an icon."),
                "documentation_url": web("URL of the documentation."),
                "input_modes": {"type": "array", "minItems": 1, "maxItems": 64,
                    "items": {"type": "string", "pattern": "^[^/ ;]+/[^/ ;]+$"},
                    "description": "Accepted MIME types, such as text/plain, image/* or */*."},
                "settings": settings(),
                "skills": list("Skills on the agent card.", MAX_ENTRIES, &skill()),
                "rules": list("Rules; more can be in files in rules/.", MAX_REFERENCES, &item("One rule.")),
                "references": list("References; more can be in files in references/.", MAX_REFERENCES, &item("One reference.")),
                "tools": list("Tools defined by this agent.", MAX_ENTRIES, &tools::tool()),
                "mcpServers": servers::servers(),
                "mcp_servers": servers::servers(),
                "exports": list("Tools exported to MCP clients.", MAX_ENTRIES, &tools::export()),
                "permissions": tools::permissions(),
                "enable_handoff": flag("Whether handoffs are enabled.", true),
                "handoffs": list("Allowed handoff targets.", MAX_ENTRIES, &handoff()),
                "autonomous": flag("Whether it runs without a user to ask.", false),
            }),
        ),
        &["name"],
    );
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "agent.yaml".into();
    schema
}

fn web(about: &str) -> Value {
    json!({"type": "string", "pattern": "^https?://[^\\s]+$", "description": about})
}

/// Properties of `a2a` that agents and servers share.
pub fn a2a_settings() -> Value {
    let choices = |values: &[&str], about: &str| json!({"enum": values, "description": about});
    json!({
        "answer": choices(&ANSWER_PLACEMENT_KEYWORDS.map(|(name, _)| name),
            "Location of the answer: in an artifact (the default), in the completed status (the default where callers \
             run the tools), or in both."),
        "stream_text": choices(&TEXT_DELIVERY_KEYWORDS.map(|(name, _)| name),
            "Whether streams deliver text incrementally, as artifact chunks; by default they deliver it at once, unless \
             the caller requests the extension stream-text."),
    })
}

fn settings() -> Value {
    let control = ControlTools::NAMES;
    let share = |about: &str, max: u32| json!({"type": "number", "minimum": 0, "maximum": max, "description": about});
    let orchestration =
        object("Enabled, with a custom prompt.", &json!({"prompt": text("Text appended to the prompt.")}));
    object(
        "Default settings of sessions.",
        &json!({
            "max_turns": count("Maximum number of model calls per run.", 1, MAX_TURNS),
            "parallel_tools": count("Maximum number of parallel tool calls per turn.", 1, MAX_PARALLEL_TOOLS),
            "deadline": duration("Timeout of a run, 1s to 7d."),
            "tools": one_of("Whether the agent or the caller runs tools.", &["agent", "caller"]),
            "tool_permission": one_of("When tool calls require approval.", &APPROVAL_MODE_KEYWORDS.map(|(name, _)| name)),
            "control_tools": {"type": "array", "items": {"enum": control}, "description": "Enabled control tools, which act on the task."},
            "orchestration": {"oneOf": [{"type": "boolean"}, orchestration],
                "description": "Whether the model may find and call every agent."},
            "max_output_tokens": count("Maximum number of output tokens per model call.", 1, MAX_TOKENS),
            "temperature": share("Sampling temperature.", 2),
            "top_p": share("Nucleus sampling threshold.", 1),
            "stop_sequences": {"type": "array", "maxItems": MAX_STOP_SEQUENCES,
                "items": {"type": "string", "minLength": 1, "maxLength": MAX_STOP_BYTES},
                "description": "Stop sequences."},
            "effort": {"oneOf": [{"enum": EFFORTS}, {"type": "integer", "minimum": 1, "maximum": MAX_TOKENS}],
                "description": "Reasoning effort: a level, or a number of tokens."},
            "tool_errors": count("Maximum number of tool errors per run; default 8.", 0, MAX_TOOL_ERRORS),
            "spill_bytes": {"oneOf": [{"type": "integer", "minimum": 1024, "maximum": MAX_SPILL},
                {"type": "string", "pattern": "^\\s*[0-9]+\\s*(B|[kK]B|KiB|M(i)?B|G(i)?B)?\\s*$"}],
                "description": "Larger tool results are stored separately; default 64KB."},
            "compact_at": share("Fraction of the context window at which the conversation is compacted; default 0.8.", 1),
            "budgets": models::budgets(),
            "context": object("Selection of rules and references by relevance.", &json!({
                "top_k": count("Number of text matches considered; default 20.", 1, MAX_TOP_K),
                "top_n": count("Number of items to select; default 5.", 1, MAX_TOP_N),
                "include_score": share("Score from which items are always selected; default 0.7.", 1),
            })),
        }),
    )
}

fn skill() -> Value {
    let skill = object(
        "One skill.",
        &json!({
            "id": text("A stable id."),
            "name": text("Display name."),
            "description": text("Description of its function."),
            "tags": texts("Tags for search."),
            "examples": texts("Example requests."),
        }),
    );
    with(skill, &["id"])
}

fn item(about: &str) -> Value {
    let max = u64::from(ContextItem::MAX_PRIORITY);
    let item = object(
        about,
        &json!({
            "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$", "description": "Unique name."},
            "description": text("Short description."),
            "priority": count("Items with a higher priority come later in the prompt, closer to the request; default 500.", 0, max),
            "priorityLevel": count("Alias of priority.", 0, max),
            "include": one_of("When it is included in the prompt; default manual.", &INCLUSION_MODE_KEYWORDS.map(|(name, _)| name)),
            "text": {"type": "string", "pattern": "\\S", "description": "Text of the item."},
        }),
    );
    with(item, &["name", "text"])
}

fn handoff() -> Value {
    let long = object(
        "One agent.",
        &json!({
            "agent": text("Local name of the agent."),
            "url": text("URL of the agent, if it may be remote."),
            "description": text("When to hand off to it."),
        }),
    );
    let mut long = long;
    long["anyOf"] = json!([{"required": ["agent"]}, {"required": ["url"]}]);
    json!({"oneOf": [{"type": "string"}, long]})
}
