//! The JSON Schema of `agent.yaml` for editors, generated from the limits and keywords that the reader enforces.
//!
//! It is more lenient than the reader for constraints between values and for server keys of other programs.

mod models;
mod parts;
mod servers;
mod tools;

use crate::{
    MAX_REFERENCES,
    permission::{ASK_WHEN, INCLUDES},
    raw::{
        EFFORTS, MAX_ENTRIES, MAX_FALLBACKS, MAX_PARALLEL_TOOLS, MAX_SPILL, MAX_STOP_BYTES, MAX_STOP_SEQUENCES,
        MAX_TOKENS, MAX_TOOL_ERRORS, MAX_TOP_K, MAX_TOP_N, MAX_TURNS, PLACEMENTS, STREAMING,
    },
};
use baton_types::{ContextItem, ControlTools};
pub use models::providers;
use parts::{count, duration, flag, list, object, text, texts, with, words};
use serde_json::{Value, json};

/// The content of `docs/agent.schema.json`.
pub fn schema() -> Value {
    let mut schema = with(
        object(
            "An agent: what it is, what it knows and what it may do.",
            &json!({
                "name": {"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$",
                    "not": {"enum": crate::RESERVED_AGENT_NAMES},
                    "description": "Its address: lower-case letters, digits and dashes, at most 64."},
                "title": text("The name people see; made from the name when left out."),
                "description": text("What it is for."),
                "version": text("Of this definition; 0.1.0 when left out."),
                "model": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$",
                    "description": "Who answers: playbook, or a model as provider:model; as baton.yaml says, or what is found, when left out."},
                "fallbacks": {"type": "array", "maxItems": MAX_FALLBACKS,
                    "items": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$"},
                    "description": "Who is asked when that one does not answer, in this order."},
                "providers": models::providers(),
                "answer": models::answer(),
                "a2a": object("How its answers appear over A2A; what is left out is as the server says. Since 0.10.", &a2a_settings()),
                "guardrails": models::guardrails(),
                "provider": with(object("Who makes it.", &json!({
                    "organization": text("The name."),
                    "url": web("Where it is found."),
                })), &["organization"]),
                "icon_url": web("Its picture."),
                "documentation_url": web("Where to read about it."),
                "input_modes": {"type": "array", "minItems": 1, "maxItems": 64,
                    "items": {"type": "string", "pattern": "^[^/ ;]+/[^/ ;]+$"},
                    "description": "MIME types that it reads, such as text/plain, image/* or */*."},
                "settings": settings(),
                "skills": list("What the agent card shows.", MAX_ENTRIES, &skill()),
                "rules": list("How to behave; more in files of rules/.", MAX_REFERENCES, &item("One rule.")),
                "references": list("What is true; more in files of references/.", MAX_REFERENCES, &item("One reference.")),
                "tools": list("Tools of its own.", MAX_ENTRIES, &tools::tool()),
                "mcpServers": servers::servers(),
                "mcp_servers": servers::servers(),
                "exports": list("Work that it offers to MCP clients as tools.", MAX_ENTRIES, &tools::export()),
                "permissions": tools::permissions(),
                "enable_handoff": flag("Whether it may hand work to others at all.", true),
                "handoffs": list("Agents that it may hand work to.", MAX_ENTRIES, &handoff()),
                "autonomous": flag("Whether it works without anybody to ask.", false),
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
    let words = |values: &[&str], about: &str| json!({"enum": values, "description": about});
    json!({
        "answer": words(&PLACEMENTS.map(|(word, _)| word),
            "Where the answer stands: in an artifact (the default), in the completed status (the default where callers \
             run the tools), or in both."),
        "stream_text": words(&STREAMING.map(|(word, _)| word),
            "Whether streams show text while it is written, as artifact chunks; by default they show it whole, unless \
             the caller names the extension stream-text."),
    })
}

fn settings() -> Value {
    let control = ControlTools::NAMES;
    let share = |about: &str, most: u32| json!({"type": "number", "minimum": 0, "maximum": most, "description": about});
    let orchestration =
        object("The same with words of your own.", &json!({"prompt": text("Words behind the prompt.")}));
    object(
        "How it works, unless a session says otherwise.",
        &json!({
            "max_turns": count("Model calls in one run.", 1, MAX_TURNS),
            "parallel_tools": count("Tool calls of one turn that run at the same time.", 1, MAX_PARALLEL_TOOLS),
            "deadline": duration("A run that takes longer fails, 1s to 7d."),
            "tools": words("Who runs tools.", &["agent", "caller"]),
            "tool_permission": words("When somebody is asked.", &ASK_WHEN.map(|(word, _)| word)),
            "control_tools": {"type": "array", "items": {"enum": control}, "description": "Tools that act on the task."},
            "orchestration": {"oneOf": [{"type": "boolean"}, orchestration],
                "description": "Whether the model may find and call every agent."},
            "max_output_tokens": count("Tokens that one model call may write.", 1, MAX_TOKENS),
            "temperature": share("How freely the model chooses its words.", 2),
            "top_p": share("From how much of what is likely it chooses.", 1),
            "stop_sequences": {"type": "array", "maxItems": MAX_STOP_SEQUENCES,
                "items": {"type": "string", "minLength": 1, "maxLength": MAX_STOP_BYTES},
                "description": "Texts before which answers end."},
            "effort": {"oneOf": [{"enum": EFFORTS}, {"type": "integer", "minimum": 1, "maximum": MAX_TOKENS}],
                "description": "How much the model thinks: a word for it, or a number of tokens."},
            "tool_errors": count("How often tools may fail in a run; 8 when left out.", 0, MAX_TOOL_ERRORS),
            "spill_bytes": {"oneOf": [{"type": "integer", "minimum": 1024, "maximum": MAX_SPILL},
                {"type": "string", "pattern": "^\\s*[0-9]+\\s*(B|[kK]B|KiB|M(i)?B|G(i)?B)?\\s*$"}],
                "description": "Results of tools beyond this are kept aside; 64KB when left out."},
            "compact_at": share("Of the model's window, what may be filled before it is compacted; 0.8 when left out.", 1),
            "budgets": models::budgets(),
            "context": object("How many rules and references are chosen by what is asked.", &json!({
                "top_k": count("Matches of pieces of text that are looked at; 20 when left out.", 1, MAX_TOP_K),
                "top_n": count("Items that are wanted; 5 when left out.", 1, MAX_TOP_N),
                "include_score": share("Items that score as much are all taken; 0.7 when left out.", 1),
            })),
        }),
    )
}

fn skill() -> Value {
    let skill = object(
        "One skill.",
        &json!({
            "id": text("A stable id."),
            "name": text("The name to show."),
            "description": text("What it does."),
            "tags": texts("Words to find it by."),
            "examples": texts("Things to ask."),
        }),
    );
    with(skill, &["id"])
}

fn item(about: &str) -> Value {
    let most = u64::from(ContextItem::MAX_PRIORITY);
    let item = object(
        about,
        &json!({
            "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$", "description": "What it is called by."},
            "description": text("What it is about."),
            "priority": count("Higher ones come later, nearer to what is asked; 500 when left out.", 0, most),
            "priorityLevel": count("The same as priority.", 0, most),
            "include": words("When the model is given it; manual when left out.", &INCLUDES.map(|(word, _)| word)),
            "text": {"type": "string", "pattern": "\\S", "description": "What it says."},
        }),
    );
    with(item, &["name", "text"])
}

fn handoff() -> Value {
    let long = object(
        "One agent.",
        &json!({
            "agent": text("Its name here."),
            "url": text("Where it lives, when it may not be served here."),
            "description": text("When to hand work to it."),
        }),
    );
    let mut long = long;
    long["anyOf"] = json!([{"required": ["agent"]}, {"required": ["url"]}]);
    json!({"oneOf": [{"type": "string"}, long]})
}
