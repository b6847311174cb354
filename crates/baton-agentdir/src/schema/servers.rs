//! Schema of `mcpServers` with native keys; the reader also accepts keys of other programs.

use super::{
    parts::{duration, flag, object, text, texts, words},
    tools::{argument, permissions_words},
};
use crate::permission::INCLUDES;
use serde_json::{Value, json};

pub(super) fn servers() -> Value {
    let map = |about: &str| json!({"type": "object", "additionalProperties": {"type": ["string", "null"]}, "description": about});
    let include = |about: &str| words(about, &INCLUDES.map(|(word, _)| word));
    let one = object(
        "What holds for a tool.",
        &json!({
            "permission": words("For all its calls.", &permissions_words()),
            "arguments": {"type": "array", "maxItems": 64, "items": argument(true), "description": "For some of its calls."},
        }),
    );
    let server = json!({
        "type": "object",
        "description": "One server; keys of other programs' files are understood, too.",
        "properties": {
            "type": words("How it is reached; by what else is written when left out.", &crate::mcp::KIND_WORDS),
            "command": text("A program that speaks MCP on its standard streams."),
            "args": texts("Its arguments."),
            "env": map("Variables it gets; ${NAME} is replaced by one of Baton's own environment."),
            "envFile": text("A file of more variables."),
            "cwd": text("Where it runs; the agent's directory when left out."),
            "url": text("The address of a server elsewhere."),
            "headers": map("Sent with every request."),
            "tool": words("A part of Baton.", &crate::mcp::INTERNAL),
            "disabled": flag("Whether it is not used.", false),
            "required": flag("Whether a run waits for it.", false),
            "trust": flag("Whether its words about its own tools are believed.", false),
            "era": words("Which openings of the protocol are tried.", &["auto", "legacy", "modern"]),
            "prefix": {"type": "string", "pattern": "^[A-Za-z0-9_-]{0,32}$",
                "description": "What its tools' names begin with; its name when left out."},
            "timeouts": object("How long to wait.", &json!({
                "startup": duration("Until it is ready; 1m when left out."),
                "call": duration("A call without any sign of life; 2m when left out."),
                "total": duration("A call altogether; 60m when left out."),
            })),
            "permissions": object("Which of its tools may run.", &json!({
                "default": words("Tools of which nothing else is said; ask when left out.", &permissions_words()),
                "tools": {"type": "object", "additionalProperties": {"oneOf": [{"enum": permissions_words()}, one]},
                    "description": "Tools by their names or globs."},
            })),
            "expose": object("Which of its tools are offered.", &json!({
                "include": texts("Only these names or globs."),
                "exclude": texts("Not these names or globs."),
            })),
            "serverToolDefaults": {"type": "object", "description": "What holds for tools of which nothing is said.",
                "properties": {"include": include("When they are part of a session.")}},
            "tools": {"oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object", "additionalProperties": {
                "type": "object", "properties": {"include": include("When it is part of a session.")}}}],
                "description": "What holds for tools by name."},
        },
    });
    json!({"type": ["object", "null"], "maxProperties": 64, "additionalProperties": server,
        "description": "MCP servers whose tools it uses, each under its own name."})
}
