//! The tools of Baton's own server, under both of their names.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool of Baton's own server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnTool {
    /// Lists the agents.
    List,
    /// Sends a message to an agent and waits.
    Call,
}

/// Names under which the tools are listed; both sets can always be called.
///
/// Listing all four names would cost every model the descriptions twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolNameSet {
    /// `list_agents` and `call_agent`.
    #[default]
    Baton,
    /// `a2a_list_agents` and `a2a_send_message`, for hosts configured with these names.
    A2a,
}

impl ToolNameSet {
    /// The names selected by the query string: `?names=a2a`.
    pub fn from_query(query: Option<&str>) -> Self {
        let asks = query.is_some_and(|query| query.split('&').any(|pair| pair == "names=a2a"));
        if asks { Self::A2a } else { Self::Baton }
    }
}

impl OwnTool {
    const ALL: [Self; 2] = [Self::List, Self::Call];

    fn name(self, names: ToolNameSet) -> &'static str {
        match (self, names) {
            (Self::List, ToolNameSet::Baton) => "list_agents",
            (Self::List, ToolNameSet::A2a) => "a2a_list_agents",
            (Self::Call, ToolNameSet::Baton) => "call_agent",
            (Self::Call, ToolNameSet::A2a) => "a2a_send_message",
        }
    }

    /// The tool with this name, in either set.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let goes_by =
            |verb: &Self| [ToolNameSet::Baton, ToolNameSet::A2a].iter().any(|names| verb.name(*names) == name);
        Self::ALL.into_iter().find(goes_by)
    }

    fn tool(self, names: ToolNameSet) -> Tool {
        let name = self.name(names);
        match self {
            Self::List => {
                let description = format!(
                    "Lists the agents that can be called, with what each is good at. Use it to choose the agentId for {}.",
                    Self::Call.name(names)
                );
                Tool::new(name, description, object(json!({"type": "object", "properties": {}})))
                    .with_raw_output_schema(object(listed()))
                    .with_annotations(ToolAnnotations::with_title("List agents").read_only(true).open_world(false))
            }
            Self::Call => {
                let description = "Sends a message to an agent and waits for its answer. The agent does not see this \
                                   conversation: include everything that it needs. Pass contextId to continue an earlier \
                                   conversation. When status is input-required the response is a question: answer it by \
                                   calling again with the taskId.";
                Tool::new(name, description, object(call_arguments(names)))
                    .with_raw_output_schema(object(called()))
                    .with_annotations(ToolAnnotations::with_title("Call an agent").read_only(false))
            }
        }
    }
}

/// The tools as listed.
pub(super) fn all(names: ToolNameSet) -> Vec<Tool> {
    OwnTool::ALL.into_iter().map(|verb| verb.tool(names)).collect()
}

/// The tool with this name, listed or not.
pub(super) fn one(name: &str) -> Option<Tool> {
    [ToolNameSet::Baton, ToolNameSet::A2a].into_iter().flat_map(all).find(|tool| tool.name == name)
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(members) => Arc::new(members),
        _ => Arc::default(),
    }
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn call_arguments(names: ToolNameSet) -> Value {
    json!({
        "type": "object",
        "properties": {
            "agentId": text(&format!("The agent to call, as returned by {}.", OwnTool::List.name(names))),
            "message": text("What the agent should do or know."),
            "contextId": text("The conversation to continue, from an earlier result; without it a new one starts."),
            "taskId": text("The task whose question the message answers, from a result with status input-required."),
        },
        "required": ["agentId", "message"],
    })
}

fn called() -> Value {
    json!({
        "type": "object",
        "properties": {
            "response": text("The agent's answer, its question, or why it failed."),
            "taskId": text("The task that did the work."),
            "contextId": text("The conversation, to continue it."),
            "status": {
                "type": "string",
                "description": "State of the task.",
                "enum": ["submitted", "working", "input-required", "auth-required", "completed", "failed", "canceled", "rejected"],
            },
            "next": text("What to do next, if the agent waits for input."),
        },
        "required": ["response", "taskId", "contextId", "status"],
    })
}

fn listed() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let skill = json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "name": {"type": "string"},
            "description": {"type": "string"},
            "tags": texts,
            "examples": texts,
            "inputModes": texts,
            "outputModes": texts,
        },
        "required": ["id", "name", "description"],
    });
    let agent = json!({
        "type": "object",
        "properties": {
            "agentId": {"type": "string"},
            "name": {"type": "string"},
            "description": {"type": "string"},
            "version": {"type": "string"},
            "url": {"type": "string"},
            "provider": {
                "type": "object",
                "properties": {"organization": {"type": "string"}, "url": {"type": "string"}},
            },
            "iconUrl": {"type": "string"},
            "documentationUrl": {"type": "string"},
            "skills": {"type": "array", "items": skill},
            "capabilities": {
                "type": "object",
                "properties": {
                    "streaming": {"type": "boolean"},
                    "pushNotifications": {"type": "boolean"},
                    "stateTransitionHistory": {"type": "boolean"},
                },
            },
        },
        "required": ["agentId", "name", "description", "version", "skills", "capabilities"],
    });
    json!({
        "type": "object",
        "properties": {
            "agents": {"type": "array", "items": agent},
            "skipped": {
                "type": "array",
                "description": "Entries that could not be loaded as agents, with the reason.",
                "items": {
                    "type": "object",
                    "properties": {"entry": {"type": "string"}, "reason": {"type": "string"}},
                    "required": ["entry", "reason"],
                },
            },
        },
        "required": ["agents"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_has_two_names_and_is_listed_once() {
        for (name, expect) in [
            ("list_agents", Some(OwnTool::List)),
            ("a2a_list_agents", Some(OwnTool::List)),
            ("call_agent", Some(OwnTool::Call)),
            ("a2a_send_message", Some(OwnTool::Call)),
            ("send_message", None),
            ("", None),
        ] {
            assert_eq!(OwnTool::from_name(name), expect, "{name}");
            assert_eq!(one(name).map(|tool| tool.name.into_owned()), expect.map(|_| name.to_owned()));
        }
        let listed = |names| all(names).iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(ToolNameSet::Baton), ["list_agents", "call_agent"]);
        assert_eq!(listed(ToolNameSet::A2a), ["a2a_list_agents", "a2a_send_message"]);
    }

    #[test]
    fn query_selects_tool_names() {
        for (query, expect) in [
            (None, ToolNameSet::Baton),
            (Some(""), ToolNameSet::Baton),
            (Some("names=a2a"), ToolNameSet::A2a),
            (Some("x=1&names=a2a&y"), ToolNameSet::A2a),
            (Some("names=a2"), ToolNameSet::Baton),
            (Some("othernames=a2a"), ToolNameSet::Baton),
        ] {
            assert_eq!(ToolNameSet::from_query(query), expect, "{query:?}");
        }
    }
}
