//! What an agent has at one moment, as lists and calls need it.

use crate::exported;
use baton_toolhost::OfferedTool;
use baton_types::{AgentKit, AgentSpec, Effects, Json, Permission, ToolRunner, ToolSpec};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

/// The tools of an agent, listed and found by one table: what is not listed cannot be called.
pub(super) struct View {
    pub(super) spec: Arc<AgentSpec>,
    pub(super) kit: Arc<AgentKit>,
    /// Sorted by name.
    pub(super) tools: Vec<Tool>,
    found: HashMap<String, Found>,
}

/// Where a tool is.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// In the definition, at this place.
    Own(usize, Rule),
    /// Among the exported ones.
    Exported,
    /// At a server.
    Server(Arc<ServerTool>),
}

/// A tool of a server.
#[derive(Debug)]
pub(super) struct ServerTool {
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) rule: Rule,
}

/// What the definition says about calls of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) permission: Permission,
    pub(super) effects: Effects,
}

impl Rule {
    fn of(spec: &ToolSpec) -> Self {
        Self { permission: spec.permission, effects: spec.effects }
    }
}

impl View {
    pub(super) fn new(spec: Arc<AgentSpec>, kit: Arc<AgentKit>, offered: Vec<OfferedTool>) -> Self {
        let mut view = Self { spec, kit, tools: Vec::new(), found: HashMap::new() };
        let own: Vec<(Tool, Found)> = view.spec.tools.iter().enumerate().filter_map(own_tool).collect();
        let exported = exported::tools(&view.kit).into_iter().map(|tool| (tool, Found::Exported));
        // The agent's own words count before those of servers.
        let all: Vec<(Tool, Found)> = own.into_iter().chain(exported).collect();
        for (tool, found) in all.into_iter().chain(offered.into_iter().filter_map(server_tool)) {
            view.add(tool, found);
        }
        view.tools.sort_by(|one, other| one.name.cmp(&other.name));
        view
    }

    fn add(&mut self, tool: Tool, found: Found) {
        match self.found.entry(tool.name.to_string()) {
            Entry::Vacant(free) => {
                free.insert(found);
                self.tools.push(tool);
            }
            Entry::Occupied(taken) => {
                tracing::debug!(tool = taken.key(), "a tool is hidden by another of the same name");
            }
        }
    }

    /// The tool of that name.
    pub(super) fn find(&self, name: &str) -> Option<&Found> {
        self.found.get(name)
    }

    /// As it is listed.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        let at = self.tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)).ok()?;
        self.tools.get(at)
    }
}

fn own_tool((at, spec): (usize, &ToolSpec)) -> Option<(Tool, Found)> {
    if spec.permission == Permission::Deny || matches!(spec.runner, ToolRunner::BuiltIn) {
        return None;
    }
    let mut tool = Tool::new(spec.name.clone(), spec.description.clone(), object_schema(&spec.parameters));
    tool.output_schema = spec.output.as_ref().filter(|schema| schema.is_object()).map(object_schema);
    tool.annotations = annotations(spec.effects);
    Some((tool, Found::Own(at, Rule::of(spec))))
}

fn server_tool(offered: OfferedTool) -> Option<(Tool, Found)> {
    let OfferedTool { spec, server, definition } = offered;
    if spec.permission == Permission::Deny {
        return None;
    }
    let (tool, rule) = (definition.name.to_string(), Rule::of(&spec));
    let mut shown = definition;
    shown.name = spec.name.into();
    shown.description = Some(spec.description.into());
    Some((shown, Found::Server(Arc::new(ServerTool { server, tool, rule }))))
}

/// MCP wants an object schema that says so.
fn object_schema(schema: &Json) -> Arc<JsonObject> {
    let mut members = match schema.to_value() {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    members.entry("type").or_insert_with(|| "object".into());
    Arc::new(members)
}

fn annotations(effects: Effects) -> Option<ToolAnnotations> {
    match effects {
        Effects::ReadOnly => Some(ToolAnnotations::new().read_only(true)),
        Effects::Idempotent => Some(ToolAnnotations::new().read_only(false).idempotent(true)),
        Effects::Unknown => None,
    }
}
