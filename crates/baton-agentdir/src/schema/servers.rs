//! Schema of `mcpServers` with native keys; the reader also accepts keys of other programs.

use super::{
    parts::{duration, flag, object, one_of, text, texts},
    tools::{argument, permission_keywords},
};
use crate::permission::INCLUSION_MODE_KEYWORDS;
use serde_json::{Value, json};

pub(super) fn servers() -> Value {
    let map = |about: &str| json!({"type": "object", "additionalProperties": {"type": ["string", "null"]}, "description": about});
    let include = |about: &str| one_of(about, &INCLUSION_MODE_KEYWORDS.map(|(name, _)| name));
    let one = object(
        "Permissions of a tool.",
        &json!({
            "permission": one_of("Permission of all calls.", &permission_keywords()),
            "arguments": {"type": "array", "maxItems": 64, "items": argument(true), "description": "Permissions of calls with matching arguments."},
        }),
    );
    let server = json!({
        "type": "object",
        "description": "One server; keys of other programs are accepted as well.",
        "properties": {
            "type": one_of("Transport; inferred from the other keys by default.", &crate::mcp::KIND_WORDS),
            "command": text("Program that speaks MCP over stdio."),
            "args": texts("Arguments of the program."),
            "env": map("Environment variables; ${NAME} is replaced by a variable of Baton's environment."),
            "envFile": text("File with additional variables."),
            "cwd": text("Working directory; defaults to the agent's directory."),
            "url": text("URL of a remote server."),
            "headers": map("Headers of every request."),
            "tool": one_of("Built-in server.", &crate::mcp::INTERNAL),
            "disabled": flag("Whether it is disabled.", false),
            "required": flag("Whether a run waits for it.", false),
            "trust": flag("Whether its tool annotations are trusted.", false),
            "era": one_of("Protocol handshake to try.", &["auto", "legacy", "modern"]),
            "prefix": {"type": "string", "pattern": "^[A-Za-z0-9_-]{0,32}$",
                "description": "Prefix of its tool names; defaults to the server's name."},
            "timeouts": object("Timeouts.", &json!({
                "startup": duration("Timeout of the startup; default 1m."),
                "call": duration("Timeout of a call without progress; default 2m."),
                "total": duration("Timeout of a call in total; default 60m."),
            })),
            "permissions": object("Permissions of its tools.", &json!({
                "default": one_of("Permission of all other tools; default ask.", &permission_keywords()),
                "tools": {"type": "object", "additionalProperties": {"oneOf": [{"enum": permission_keywords()}, one]},
                    "description": "Permissions by tool name or glob."},
            })),
            "expose": object("Exposed tools.", &json!({
                "include": texts("Expose only these names or globs."),
                "exclude": texts("Do not expose these names or globs."),
            })),
            "serverToolDefaults": {"type": "object", "description": "Defaults of tools without settings.",
                "properties": {"include": include("When they are included in a session.")}},
            "tools": {"oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object", "additionalProperties": {
                "type": "object", "properties": {"include": include("When it is included in a session.")}}}],
                "description": "Settings by tool name."},
        },
    });
    json!({"type": ["object", "null"], "maxProperties": 64, "additionalProperties": server,
        "description": "MCP servers of the agent, by name."})
}
