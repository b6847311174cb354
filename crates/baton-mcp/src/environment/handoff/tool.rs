//! Definition and arguments of the `handoff` tool.

use crate::tool_schema::argument_validator;
use baton_ports::AgentSource;
use baton_rules::{HANDOFF_TOOL, SchemaValidator};
use baton_types::{AgentName, AgentSpec, Effects, HandoffTarget, Json, ToolRunner, ToolSpec};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

/// Maximum number of agents in the description.
const MAX_LISTED_AGENTS: usize = 50;
/// Maximum length of each agent's description.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// Maximum length of an agent's address.
const MAX_URI_LEN: usize = 2048;
/// Maximum length of a conversation id.
const MAX_CONTEXT_ID_LEN: usize = 256;

const PURPOSE: &str = "Hand work to another agent and get its answer.";

static PARAMETERS: LazyLock<Arc<JsonObject>> = LazyLock::new(|| {
    object(json!({
        "type": "object",
        "properties": {
            "agent_uri": {"type": "string", "minLength": 1, "maxLength": MAX_URI_LEN, "description": "The agent: its name, or its address"},
            "message": {"type": "string", "minLength": 1, "description": "The complete request: the agent sees nothing else"},
            "context_id": {"type": "string", "maxLength": MAX_CONTEXT_ID_LEN, "description": "A conversation with that agent to continue"},
        },
        "required": ["agent_uri", "message"],
    }))
});

static ARGUMENTS: LazyLock<Option<SchemaValidator>> =
    LazyLock::new(|| argument_validator(HANDOFF_TOOL, Value::Object((**PARAMETERS).clone())));

static OUTPUT: LazyLock<Arc<JsonObject>> = LazyLock::new(|| {
    object(json!({
        "type": "object",
        "properties": {
            "response": {"type": "string", "description": "The agent's answer"},
            "agent_uri": {"type": "string", "description": "The agent, as given in the call"},
            "context_id": {"type": "string", "description": "The conversation, to continue it"},
            "task_id": {"type": "string", "description": "The agent's task"},
            "via": {"type": "string", "enum": ["client", "server"], "description": "The side that performed the handoff"},
        },
        "required": ["response", "agent_uri", "via"],
    }))
});

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    })
}

/// The tool as permission decisions see it.
pub(in crate::environment) fn spec() -> ToolSpec {
    ToolSpec {
        name: HANDOFF_TOOL.to_owned(),
        description: PURPOSE.to_owned(),
        parameters: Json::from(Value::Object(JsonObject::clone(&PARAMETERS))),
        effects: Effects::Unknown,
        runner: ToolRunner::BuiltIn,
        output: None,
        permission: Default::default(),
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

/// The tool as clients see it; the description with the available agents is added when it is listed.
pub(in crate::environment) fn tool_definition() -> Tool {
    let mut tool = Tool::new(HANDOFF_TOOL, PURPOSE, Arc::clone(&PARAMETERS));
    tool.output_schema = Some(Arc::clone(&OUTPUT));
    tool
}

/// Description of the tool with the agents that the caller may see according to `is_shown`. Agents named in the
/// definition are always included.
pub(in crate::environment) fn description(
    spec: &AgentSpec,
    agents: &dyn AgentSource,
    is_shown: impl Fn(&AgentName) -> bool,
) -> String {
    let description_of =
        |name: &AgentName| agents.agent(name).map(|agent| agent.description.clone()).unwrap_or_default();
    let of_target = |target: &HandoffTarget| match target.description.as_str() {
        "" => line(&target.agent, &description_of(&target.agent)),
        about => line(&target.agent, about),
    };
    let lines: Vec<String> = if spec.handoffs.is_empty() {
        let others = agents.listings().into_iter().filter(|agent| agent.name != spec.name && is_shown(&agent.name));
        others.take(MAX_LISTED_AGENTS).map(|agent| line(&agent.name, &agent.description)).collect()
    } else {
        spec.handoffs.iter().take(MAX_LISTED_AGENTS).map(of_target).collect()
    };
    match lines.as_slice() {
        [] => format!("{PURPOSE} No other agent can be reached now."),
        lines => format!("{PURPOSE} Agents:\n{}", lines.join("\n")),
    }
}

/// One line per agent; control characters are replaced, so a description cannot forge lines for other agents.
fn line(name: &AgentName, about: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let about: String = about.trim().chars().take(MAX_DESCRIPTION_CHARS).map(plain).collect();
    if about.is_empty() { format!("- {name}") } else { format!("- {name}: {about}") }
}

/// Arguments of a call.
pub(super) struct HandoffToolArguments {
    pub(super) agent_uri: String,
    pub(super) message: String,
    pub(super) context_id: Option<String>,
}

/// Parses the arguments; the error is a message for the caller. `agent` is an alias of `agent_uri`, and a null or empty
/// `context_id` counts as absent.
pub(super) fn parse_arguments(arguments: &Value) -> Result<HandoffToolArguments, String> {
    let mut arguments = arguments.as_object().cloned().unwrap_or_default();
    if let Some(agent) = arguments.remove("agent") {
        arguments.entry("agent_uri").or_insert(agent);
    }
    if arguments.get("context_id").is_some_and(|context| context.is_null() || context == "") {
        arguments.remove("context_id");
    }
    let arguments = Value::Object(arguments);
    if let Some(validator) = &*ARGUMENTS {
        validator.check(&arguments)?;
    }
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let (agent_uri, message) = (text("agent_uri").unwrap_or_default(), text("message").unwrap_or_default());
    let texts = [("agent_uri", &agent_uri), ("message", &message)];
    let empty: Vec<String> =
        texts.iter().filter(|text| text.1.trim().is_empty()).map(|text| format!("'{}' is empty", text.0)).collect();
    if !empty.is_empty() {
        return Err(empty.join("; "));
    }
    Ok(HandoffToolArguments { agent_uri: agent_uri.trim().to_owned(), message, context_id: text("context_id") })
}
