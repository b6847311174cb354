//! Tool definitions with their argument schemas.

use super::{
    arguments::{DIGEST, TARGET},
    verbs::{ManageOperation, PartAction, PartKind},
};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// All tools, in a stable order.
pub(super) fn tools() -> Vec<Tool> {
    ManageOperation::all().map(tool).collect()
}

pub(super) fn tool(verb: ManageOperation) -> Tool {
    let annotations =
        ToolAnnotations::default().read_only(verb.is_read_only()).destructive(verb.is_destructive()).open_world(false);
    Tool::new(verb.name(), description(verb), Arc::new(schema(verb))).with_annotations(annotations)
}

/// Argument schema of an operation.
pub(super) fn schema(verb: ManageOperation) -> JsonObject {
    let (mut members, mut needed) = (Map::new(), Vec::new());
    let mut put = |name: &str, schema: Value, is_needed: bool| {
        members.insert(name.to_owned(), schema);
        if is_needed {
            needed.push(name.to_owned());
        }
    };
    if !matches!(verb, ManageOperation::List | ManageOperation::Create | ManageOperation::Clone) {
        put(TARGET, text("The agent, as agent_list names it."), true);
    }
    match verb {
        ManageOperation::List
        | ManageOperation::Info
        | ManageOperation::Settings
        | ManageOperation::Prompt
        | ManageOperation::Metadata => {}
        ManageOperation::Create => {
            put("name", text("Display name."), true);
            let path = "Name of the agent in addresses: lower-case letters, digits and dashes, at most 64; derived from \
                        name if omitted.";
            put("agentPath", text(path), false);
            put("description", text("Purpose of the agent; callers select it by this."), false);
            put("autonomous", flag("Whether it runs without a user to ask."), false);
            put("initialSettings", settings(), false);
            put("initialPrompt", text("The system prompt."), false);
            put("playbook", text("Rules of the built-in model, as in playbook.yaml."), false);
            put("keep", keep(), false);
        }
        ManageOperation::Clone => {
            put("sourceAgent", text("The agent to copy, as agent_list names it."), true);
            put("targetPath", text("Name of the copy in addresses, such as weather-2."), true);
            put("newName", text("Display name; that of the original if omitted."), false);
            put("keep", keep(), false);
        }
        ManageOperation::Delete => {
            let confirm =
                json!({"type": "boolean", "enum": [true], "description": "Must be true: the definition is deleted."});
            put("confirm", confirm, true);
        }
        ManageOperation::UpdateSettings => put("settings", settings(), true),
        ManageOperation::SetPrompt => put("prompt", text("The whole system prompt."), true),
        ManageOperation::UpdateMetadata => put("metadata", metadata(), true),
        ManageOperation::Part(kind, action) => {
            if action != PartAction::List {
                let name_description = match kind {
                    PartKind::Provider => "The id of the provider, such as openai; agent_list_providers lists them.",
                    _ => &format!("The name of the {}.", kind.label()),
                };
                put(kind.argument(), text(name_description), true);
            }
            if matches!(action, PartAction::Add | PartAction::Update | PartAction::Validate) {
                for (name, schema, is_needed) in part(kind) {
                    put(name, schema, is_needed && action != PartAction::Update);
                }
            }
            if action == PartAction::Validate {
                put("ask", flag("Whether the provider is queried for its models, which needs a valid key."), false);
            }
        }
    }
    if !verb.is_read_only() && !matches!(verb, ManageOperation::Create | ManageOperation::Clone) {
        put(DIGEST, text("Digest of an earlier answer: the change is refused if the agent was changed since."), false);
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
                "description": "When it is included in the model's context: always, when it is named, or when it is \
                                relevant to the request."});
            let priority = json!({"type": "integer", "minimum": 0, "maximum": 999,
                "description": "Higher ones come later, closer to the request."});
            vec![
                ("text", text("The whole text."), true),
                ("description", text("Its topic, used for relevance search."), false),
                ("priority", priority, false),
                ("include", include, false),
            ]
        }
        PartKind::Export => {
            let parameters = json!({"type": "object", "description": "JSON Schema of the arguments."});
            let prompt = "The prompt for the agent; {argument} is replaced by that argument.";
            vec![
                ("description", text("What the tool does, for models that choose tools."), true),
                ("prompt", text(prompt), true),
                ("parameters", parameters, false),
            ]
        }
        PartKind::Server => {
            let config = json!({"type": "object", "description": "The entry as in mcp.json: command, args and env, or url \
                and headers. Secrets are shown as ***; send *** to keep a secret."});
            // A server has one entry, which is replaced as a whole.
            vec![("config", config, true)]
        }
        PartKind::Provider => {
            let config = json!({"type": "object", "description": "Its keys, as in the definition: secrets as env://NAME or \
                as plain text, base_url, headers; {} if the default environment variables suffice. Secrets are shown as ***; \
                send *** to keep a secret."});
            vec![("config", config, true)]
        }
    }
}

fn description(verb: ManageOperation) -> String {
    let description = match verb {
        ManageOperation::List => "Lists the agents whose definitions are stored here.",
        ManageOperation::Info => {
            "Shows all of an agent's definition, without secrets and without the texts of rules and references."
        }
        ManageOperation::Create => {
            "Creates an agent and starts to serve it. The answer says where its definition is stored."
        }
        ManageOperation::Delete => {
            "Stops serving an agent and deletes its definition. Its history stays in the journal."
        }
        ManageOperation::Clone => "Creates a copy of an agent.",
        ManageOperation::Settings => "Shows the settings for new sessions of an agent.",
        ManageOperation::UpdateSettings => {
            "Changes settings of an agent; omitted settings are unchanged. They apply to new sessions."
        }
        ManageOperation::Prompt => "Shows the system prompt of an agent.",
        ManageOperation::SetPrompt => "Replaces the system prompt of an agent.",
        ManageOperation::Metadata => "Shows the metadata of an agent's card.",
        ManageOperation::UpdateMetadata => "Changes the metadata of an agent's card; omitted fields are unchanged.",
        ManageOperation::Part(kind, action) => {
            let label = kind.label();
            return match (action, kind) {
                (PartAction::List, PartKind::Rule | PartKind::Reference) => {
                    format!("Lists the {label}s of an agent, without their texts.")
                }
                (PartAction::List, PartKind::Provider) => {
                    "Lists the model providers of an agent, and those that can be installed.".to_owned()
                }
                (PartAction::List, _) => format!("Lists the {label}s of an agent."),
                (PartAction::Get, _) => format!("Shows one {label} of an agent."),
                (PartAction::Add, _) => format!("Adds one {label} to an agent."),
                (PartAction::Update, PartKind::Server | PartKind::Provider) => {
                    format!("Replaces the entry of one {label} of an agent.")
                }
                (PartAction::Update, _) => format!("Changes one {label} of an agent; omitted fields are unchanged."),
                (PartAction::Validate, _) => {
                    format!("Checks whether a {label} config is valid for an agent. Nothing is changed.")
                }
                (PartAction::Delete, _) => format!("Deletes one {label} of an agent, and returns it."),
            };
        }
    };
    description.to_owned()
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

fn keep() -> Value {
    flag("Whether the definition is stored on disk; if omitted, the default for new agents of this Baton applies.")
}

fn settings() -> Value {
    let positive = json!({"type": "integer", "minimum": 1});
    let share = json!({"type": "number", "minimum": 0});
    json!({
        "type": "object",
        "properties": {
            "model": text("As provider:model."),
            "max_turns": positive,
            "max_output_tokens": positive,
            "temperature": share,
            "top_p": share,
            "tool_permission": {"type": "string", "enum": ["always", "never", "tool"]},
            "autonomous": {"type": "boolean"},
            "context_top_k": positive,
            "context_top_n": positive,
            "context_include_score": share,
        },
        "additionalProperties": false,
    })
}

fn metadata() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": text("Display name."),
            "description": text("Purpose of the agent."),
            "version": text("The definition's own version."),
            "provider": {
                "type": "object",
                "properties": {"organization": {"type": "string"}, "url": {"type": "string"}},
                "required": ["organization"],
                "additionalProperties": false,
            },
            "icon_url": text("URL of its icon."),
            "documentation_url": text("URL of its documentation."),
            "autonomous": flag("Whether it runs without a user to ask."),
        },
        "additionalProperties": false,
        "minProperties": 1,
    })
}
