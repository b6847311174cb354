//! Schemas of tools, exports and permission rules.

use super::parts::{duration, flag, list, object, text, with, words};
use crate::{
    permission::{INCLUDES, MAX_RULES, PERMISSIONS},
    raw::METHODS,
};
use serde_json::{Value, json};

const NAME: &str = "^[A-Za-z0-9_-]{1,64}$";

pub(super) fn tool() -> Value {
    let body = ["none", "json", "form"];
    let methods: Vec<String> = METHODS.iter().flat_map(|word| [(*word).to_owned(), word.to_lowercase()]).collect();
    let http = object(
        "A request to a service.",
        &json!({
            "url": text("The address; {name} becomes that argument."),
            "method": {"enum": methods, "description": "GET when left out."},
            "body": words("Where the other arguments go.", &body),
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Sent along; env://NAME is replaced by that environment variable."},
        }),
    );
    let mut tool = object(
        "One tool.",
        &json!({
            "name": {"type": "string", "pattern": NAME, "not": {"enum": baton_types::BUILT_IN_TOOLS},
                "description": "What models call it by."},
            "description": text("What it does; models choose tools by it."),
            "command": {"type": "array", "minItems": 1, "items": {"type": "string"},
                "description": "The program and its arguments; ${name} becomes that argument."},
            "http": with(http, &["url"]),
            "directory": text("Where the program runs, inside the agent's directory."),
            "timeout": duration("30s when left out, at most 1d."),
            "max_output": {"oneOf": [{"type": "integer", "minimum": 1},
                {"type": "string", "pattern": "^\\s*[0-9]+\\s*(B|[kK]B|KiB|M(i)?B|G(i)?B)?\\s*$"}],
                "description": "64KB when left out, at most 16MB."},
            "effects": words("What a call does to the world.", &["read_only", "idempotent", "unknown"]),
            "permission": words("Whether it may run; allow when left out.", &permissions_words()),
            "arguments": list("What holds for some of its calls.", 64, &argument(true)),
            "include": words("When it is part of a session; always when left out.", &INCLUDES.map(|(word, _)| word)),
            "sequential": flag("Whether it never runs beside other calls.", false),
            "parameters": parameters(),
            "output": {"type": "object", "description": "JSON Schema of what it gives."},
        }),
    );
    tool["oneOf"] = json!([{"required": ["command"]}, {"required": ["http"]}]);
    with(tool, &["name"])
}

pub(super) fn export() -> Value {
    let export = object(
        "One piece of work.",
        &json!({
            "name": {"type": "string", "pattern": NAME, "not": {"enum": baton_types::BUILT_IN_TOOLS},
                "description": "What clients call it by."},
            "description": text("What it does."),
            "parameters": parameters(),
            "prompt": {"type": "string", "pattern": "\\S",
                "description": "The words the agent is given; {name} becomes that argument, {{ is a brace."},
        }),
    );
    with(export, &["name", "prompt"])
}

pub(super) fn permissions() -> Value {
    let mut arguments = list("Only calls with all these arguments.", 64, &argument(false));
    arguments["minItems"] = 1.into();
    let rule = object(
        "One rule.",
        &json!({
            "server": text("A glob of MCP servers; tools of every kind when left out."),
            "tool": {"type": "string", "pattern": "\\S", "description": "A tool, or a glob such as read_* or *."},
            "arguments": arguments,
            "permission": words("What holds.", &permissions_words()),
        }),
    );
    list("Rules about tools of every kind.", MAX_RULES, &with(rule, &["tool", "permission"]))
}

/// One argument condition of a rule; with or without its permission.
pub(super) fn argument(decides: bool) -> Value {
    let mut properties = json!({
        "path": {"type": "string", "pattern": "^(/([^~]|~[01])*)?$", "description": "A JSON pointer such as /path."},
        "glob": text("What its text looks like, such as /tmp/*."),
    });
    let mut required = vec!["path", "glob"];
    if decides {
        properties["permission"] = words("What holds then.", &permissions_words());
        required.push("permission");
    }
    with(object("One argument.", &properties), &required)
}

pub(super) fn permissions_words() -> [&'static str; 3] {
    PERMISSIONS.map(|(word, _)| word)
}

fn parameters() -> Value {
    json!({"type": "object", "properties": {"type": {"const": "object"}, "properties": {"type": "object"}},
        "description": "JSON Schema of the arguments."})
}
