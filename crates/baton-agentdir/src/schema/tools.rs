//! Schemas of tools, exports and permission rules.

use super::parts::{duration, flag, list, object, one_of, text, with};
use crate::{
    permission::{INCLUSION_MODE_KEYWORDS, MAX_RULES, PERMISSION_KEYWORDS},
    raw::METHODS,
};
use serde_json::{Value, json};

const NAME: &str = "^[A-Za-z0-9_-]{1,64}$";

pub(super) fn tool() -> Value {
    let body = ["none", "json", "form"];
    let methods: Vec<String> = METHODS.iter().flat_map(|name| [(*name).to_owned(), name.to_lowercase()]).collect();
    let http = object(
        "An HTTP request.",
        &json!({
            "url": text("URL; {name} is replaced by that argument."),
            "method": {"enum": methods, "description": "HTTP method; default GET."},
            "body": one_of("Encoding of the remaining arguments.", &body),
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Request headers; env://NAME is replaced by that environment variable."},
        }),
    );
    let mut tool = object(
        "One tool.",
        &json!({
            "name": {"type": "string", "pattern": NAME, "not": {"enum": baton_types::BUILT_IN_TOOLS},
                "description": "Name of the tool for models."},
            "description": text("Description of the tool; models select tools by it."),
            "command": {"type": "array", "minItems": 1, "items": {"type": "string"},
                "description": "The program and its arguments; ${name} is replaced by that argument."},
            "http": with(http, &["url"]),
            "directory": text("Working directory, inside the agent's directory."),
            "timeout": duration("Timeout; default 30s, at most 1d."),
            "max_output": {"oneOf": [{"type": "integer", "minimum": 1},
                {"type": "string", "pattern": "^\\s*[0-9]+\\s*(B|[kK]B|KiB|M(i)?B|G(i)?B)?\\s*$"}],
                "description": "Maximum size of the output; default 64KB, at most 16MB."},
            "effects": one_of("Side effects of a call.", &["read_only", "idempotent", "unknown"]),
            "permission": one_of("Permission; default allow.", &permission_keywords()),
            "arguments": list("Permissions of calls with matching arguments.", 64, &argument(true)),
            "include": one_of("When it is included in a session; default always.", &INCLUSION_MODE_KEYWORDS.map(|(name, _)| name)),
            "sequential": flag("Whether it never runs in parallel with other calls.", false),
            "parameters": parameters(),
            "output": {"type": "object", "description": "JSON Schema of its output."},
        }),
    );
    tool["oneOf"] = json!([{"required": ["command"]}, {"required": ["http"]}]);
    with(tool, &["name"])
}

pub(super) fn export() -> Value {
    let export = object(
        "One exported tool.",
        &json!({
            "name": {"type": "string", "pattern": NAME, "not": {"enum": baton_types::BUILT_IN_TOOLS},
                "description": "Name of the tool for clients."},
            "description": text("Description of its function."),
            "parameters": parameters(),
            "prompt": {"type": "string", "pattern": "\\S",
                "description": "Prompt for the agent; {name} is replaced by that argument, {{ is a literal brace."},
        }),
    );
    with(export, &["name", "prompt"])
}

pub(super) fn permissions() -> Value {
    let mut arguments = list("Restricts the rule to calls that match all these arguments.", 64, &argument(false));
    arguments["minItems"] = 1.into();
    let rule = object(
        "One rule.",
        &json!({
            "server": text("Glob of MCP servers; by default the rule applies to tools of every kind."),
            "tool": {"type": "string", "pattern": "\\S", "description": "A tool, or a glob such as read_* or *."},
            "arguments": arguments,
            "permission": one_of("Permission of matching calls.", &permission_keywords()),
        }),
    );
    list("Permission rules for tools of every kind.", MAX_RULES, &with(rule, &["tool", "permission"]))
}

/// One argument condition of a rule; with or without its permission.
pub(super) fn argument(decides: bool) -> Value {
    let mut properties = json!({
        "path": {"type": "string", "pattern": "^(/([^~]|~[01])*)?$", "description": "A JSON pointer such as /path."},
        "glob": text("Pattern for the value, such as /tmp/*."),
    });
    let mut required = vec!["path", "glob"];
    if decides {
        properties["permission"] = one_of("Permission of matching calls.", &permission_keywords());
        required.push("permission");
    }
    with(object("One argument.", &properties), &required)
}

pub(super) fn permission_keywords() -> [&'static str; 3] {
    PERMISSION_KEYWORDS.map(|(name, _)| name)
}

fn parameters() -> Value {
    json!({"type": "object", "properties": {"type": {"const": "object"}, "properties": {"type": "object"}},
        "description": "JSON Schema of the arguments."})
}
