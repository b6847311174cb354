//! Tool definitions with their argument schemas.

use super::{
    arguments::{DIGEST, TARGET},
    verbs::{Deed, PartKind, Verb},
};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// All tools, in a stable order.
pub(super) fn tools() -> Vec<Tool> {
    Verb::all().map(tool).collect()
}

pub(super) fn tool(verb: Verb) -> Tool {
    let annotations =
        ToolAnnotations::default().read_only(verb.is_look()).destructive(verb.is_loss()).open_world(false);
    Tool::new(verb.name(), description(verb), Arc::new(schema(verb))).with_annotations(annotations)
}

/// Argument schema of an operation.
pub(super) fn schema(verb: Verb) -> JsonObject {
    let (mut members, mut needed) = (Map::new(), Vec::new());
    let mut put = |name: &str, schema: Value, is_needed: bool| {
        members.insert(name.to_owned(), schema);
        if is_needed {
            needed.push(name.to_owned());
        }
    };
    if !matches!(verb, Verb::List | Verb::Create | Verb::Clone) {
        put(TARGET, text("The agent, as agent_list names it."), true);
    }
    match verb {
        Verb::List | Verb::Info | Verb::Settings | Verb::Prompt | Verb::Metadata => {}
        Verb::Create => {
            put("name", text("The name that people see."), true);
            let path = "What the agent is called in addresses: lower-case letters, digits and dashes, at most 64; made of \
                        name when it is left out.";
            put("agentPath", text(path), false);
            put("description", text("What the agent is for; others choose it by this."), false);
            put("autonomous", flag("Whether it works without anybody to ask."), false);
            put("initialSettings", settings(), false);
            put("initialPrompt", text("The system prompt."), false);
            put("playbook", text("Rules of the built-in model, as in playbook.yaml."), false);
            put("keep", keep(), false);
        }
        Verb::Clone => {
            put("sourceAgent", text("The agent to copy, as agent_list names it."), true);
            put("targetPath", text("What the copy is called in addresses, such as weather-2."), true);
            put("newName", text("The name that people see; that of the original when it is left out."), false);
            put("keep", keep(), false);
        }
        Verb::Delete => {
            let confirm =
                json!({"type": "boolean", "enum": [true], "description": "Must be true: the definition is gone."});
            put("confirm", confirm, true);
        }
        Verb::UpdateSettings => put("settings", settings(), true),
        Verb::SetPrompt => put("prompt", text("The whole system prompt."), true),
        Verb::UpdateMetadata => put("metadata", metadata(), true),
        Verb::Of(kind, deed) => {
            if deed != Deed::List {
                let which = match kind {
                    PartKind::Provider => "The id of the provider, such as openai; agent_list_providers knows them.",
                    _ => &format!("The name of the {}.", kind.words()),
                };
                put(kind.argument(), text(which), true);
            }
            if matches!(deed, Deed::Add | Deed::Update | Deed::Validate) {
                for (name, schema, is_needed) in part(kind) {
                    put(name, schema, is_needed && deed != Deed::Update);
                }
            }
            if deed == Deed::Validate {
                put("ask", flag("Whether it is asked for its models, which takes a key that works."), false);
            }
        }
    }
    if !verb.is_look() && !matches!(verb, Verb::Create | Verb::Clone) {
        put(DIGEST, text("Of an earlier answer: the change is refused when the agent has been changed since."), false);
    }
    match json!({"type": "object", "properties": members, "required": needed, "additionalProperties": false}) {
        Value::Object(schema) => schema,
        _ => JsonObject::default(),
    }
}

fn part(kind: PartKind) -> Vec<(&'static str, Value, bool)> {
    match kind {
        PartKind::Rule | PartKind::Reference => {
            let include = json!({"type": "string", "enum": ["always", "manual", "agent"],
                "description": "When it is part of what the model is given: always, when somebody names it, or when it has \
                                to do with what is asked."});
            let priority = json!({"type": "integer", "minimum": 0, "maximum": 999,
                "description": "Higher ones come later, nearer to what is asked."});
            vec![
                ("text", text("The whole text."), true),
                ("description", text("What it is about; it is found by this."), false),
                ("priority", priority, false),
                ("include", include, false),
            ]
        }
        PartKind::Export => {
            let parameters = json!({"type": "object", "description": "JSON Schema of the arguments."});
            let prompt = "The words that the agent is given; {argument} is replaced by that argument.";
            vec![
                ("description", text("What the tool does, for those who choose tools."), true),
                ("prompt", text(prompt), true),
                ("parameters", parameters, false),
            ]
        }
        PartKind::Server => {
            let config = json!({"type": "object", "description": "The entry as in mcp.json: command, args and env, or url \
                and headers. Secrets are shown as ***; given back so, they stay what they are."});
            // A server has one entry, which is replaced as a whole.
            vec![("config", config, true)]
        }
        PartKind::Provider => {
            let config = json!({"type": "object", "description": "Its keys, as in the definition: secrets as env://NAME or \
                as they are, base_url, headers; {} when the usual variables say everything. Secrets are shown as ***; \
                given back so, they stay what they are."});
            vec![("config", config, true)]
        }
    }
}

fn description(verb: Verb) -> String {
    let words = match verb {
        Verb::List => "Lists the agents whose definitions are kept here.",
        Verb::Info => {
            "Shows all of an agent's definition, without secrets and without the texts of rules and references."
        }
        Verb::Create => "Makes an agent and begins to serve it. The answer says where its definition is kept.",
        Verb::Delete => "Stops serving an agent and forgets its definition. What it has done stays on record.",
        Verb::Clone => "Makes an agent that is a copy of another.",
        Verb::Settings => "Shows the settings that hold in new sessions of an agent.",
        Verb::UpdateSettings => {
            "Changes settings of an agent; those that are left out stay. They hold in new sessions."
        }
        Verb::Prompt => "Shows the system prompt of an agent.",
        Verb::SetPrompt => "Replaces the system prompt of an agent.",
        Verb::Metadata => "Shows what an agent's card says.",
        Verb::UpdateMetadata => "Changes what an agent's card says; what is left out stays.",
        Verb::Of(kind, deed) => {
            let what = kind.words();
            return match (deed, kind) {
                (Deed::List, PartKind::Rule | PartKind::Reference) => {
                    format!("Lists the {what}s of an agent, without their texts.")
                }
                (Deed::List, PartKind::Provider) => {
                    "Lists the services that an agent's models are reached through, and those that it could have."
                        .to_owned()
                }
                (Deed::List, _) => format!("Lists the {what}s of an agent."),
                (Deed::Get, _) => format!("Shows one {what} of an agent."),
                (Deed::Add, _) => format!("Gives an agent a further {what}."),
                (Deed::Update, PartKind::Server | PartKind::Provider) => {
                    format!("Replaces the entry of one {what} of an agent.")
                }
                (Deed::Update, _) => format!("Changes one {what} of an agent; what is left out stays."),
                (Deed::Validate, _) => {
                    format!("Says whether an agent could have a {what} with this config. Nothing is changed.")
                }
                (Deed::Delete, _) => format!("Takes one {what} away from an agent, and shows what it was."),
            };
        }
    };
    words.to_owned()
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

fn keep() -> Value {
    flag("Whether the definition is kept on disk; where this Baton usually keeps new agents when it is left out.")
}

fn settings() -> Value {
    let whole = json!({"type": "integer", "minimum": 1});
    let share = json!({"type": "number", "minimum": 0});
    json!({
        "type": "object",
        "properties": {
            "model": text("As provider:model."),
            "max_turns": whole,
            "max_output_tokens": whole,
            "temperature": share,
            "top_p": share,
            "tool_permission": {"type": "string", "enum": ["always", "never", "tool"]},
            "autonomous": {"type": "boolean"},
            "context_top_k": whole,
            "context_top_n": whole,
            "context_include_score": share,
        },
        "additionalProperties": false,
    })
}

fn metadata() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": text("The name that people see."),
            "description": text("What the agent is for."),
            "version": text("The definition's own version."),
            "provider": {
                "type": "object",
                "properties": {"organization": {"type": "string"}, "url": {"type": "string"}},
                "required": ["organization"],
                "additionalProperties": false,
            },
            "icon_url": text("Its picture."),
            "documentation_url": text("Where to read about it."),
            "autonomous": flag("Whether it works without anybody to ask."),
        },
        "additionalProperties": false,
        "minProperties": 1,
    })
}
