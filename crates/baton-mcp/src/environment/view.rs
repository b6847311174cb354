//! Snapshot of an agent's tools, for lists and calls.

use super::handoff;
use crate::{exported, tool_schema};
use baton_rules::{PermissionContext, SchemaValidator, is_callable, is_offered};
use baton_toolhost::OfferedTool;
use baton_types::{AgentResources, AgentSpec, Effects, Json, ToolSpec};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, OnceLock},
};

/// The tools of an agent. Listing and lookup use one table, so an unlisted tool cannot be called.
pub(super) struct AgentView {
    pub(super) spec: Arc<AgentSpec>,
    pub(super) resources: Arc<AgentResources>,
    /// Sorted by name.
    pub(super) tools: Vec<Tool>,
    found: HashMap<String, ToolOrigin>,
    handoff: ToolSpec,
    /// Argument validators of the tools of the definition, compiled at the first call.
    validators: Vec<OnceLock<Option<SchemaValidator>>>,
}

/// Source of a tool.
#[derive(Clone, Debug)]
pub(super) enum ToolOrigin {
    /// Tool of the definition, by index.
    Own(usize),
    /// The built-in `handoff` tool.
    Handoff,
    /// An exported tool.
    Exported,
    /// A tool of an MCP server.
    Server(Arc<ServerTool>),
}

/// A tool of an MCP server, with its name there.
#[derive(Debug)]
pub(super) struct ServerTool {
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) spec: ToolSpec,
}

impl AgentView {
    pub(super) fn new(spec: &Arc<AgentSpec>, resources: Arc<AgentResources>, offered: Vec<OfferedTool>) -> Self {
        let handoff = handoff::spec();
        let validators = spec.tools.iter().map(|_| OnceLock::new()).collect();
        let (tools, found) = (Vec::new(), HashMap::new());
        let mut view = Self { spec: Arc::clone(spec), resources, tools, found, handoff, validators };
        let session = PermissionContext::for_direct_call(spec, &[]);
        let is_callable = |tool: &ToolSpec| is_callable(spec, &[], tool);
        if spec.enable_handoff && !spec.is_peer() && is_offered(&spec.policy, &session, &view.handoff) {
            view.add(handoff::tool_definition(), ToolOrigin::Handoff);
        }
        // Tools of the definition take precedence over those of servers.
        for (at, tool) in spec.tools.iter().enumerate() {
            if is_callable(tool) {
                view.add(own_tool(tool), ToolOrigin::Own(at));
            }
        }
        for tool in exported::tools(&view.resources) {
            view.add(tool, ToolOrigin::Exported);
        }
        for (tool, found) in offered.into_iter().filter(|offered| is_callable(&offered.spec)).map(server_tool) {
            view.add(tool, found);
        }
        view.tools.sort_by(|one, other| one.name.cmp(&other.name));
        view
    }

    fn add(&mut self, tool: Tool, found: ToolOrigin) {
        match self.found.entry(tool.name.to_string()) {
            Entry::Vacant(free) => {
                free.insert(found);
                self.tools.push(tool);
            }
            Entry::Occupied(occupied) => {
                tracing::debug!(tool = occupied.key(), "a tool is hidden by another of the same name");
            }
        }
    }

    /// The tool of that name.
    pub(super) fn find(&self, name: &str) -> Option<&ToolOrigin> {
        self.found.get(name)
    }

    /// The spec that permission decisions use; `None` for an exported tool, which runs as a task with its own rules.
    pub(super) fn permission_spec<'a>(&'a self, found: &'a ToolOrigin) -> Option<&'a ToolSpec> {
        match found {
            ToolOrigin::Own(at) => self.spec.tools.get(*at),
            ToolOrigin::Handoff => Some(&self.handoff),
            ToolOrigin::Server(tool) => Some(&tool.spec),
            ToolOrigin::Exported => None,
        }
    }

    /// The tool as listed.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        let at = self.tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)).ok()?;
        self.tools.get(at)
    }

    /// Validator for the arguments of the tool of the definition at this index; `None` if they are not checked.
    pub(super) fn argument_validator(&self, at: usize) -> Option<&SchemaValidator> {
        let (tool, validator) = (self.spec.tools.get(at)?, self.validators.get(at)?);
        let compile = || {
            let schema = Value::Object(object_schema(&tool.parameters));
            tool_schema::argument_validator(&tool.name, schema)
        };
        validator.get_or_init(compile).as_ref()
    }
}

fn own_tool(spec: &ToolSpec) -> Tool {
    let mut tool = Tool::new(spec.name.clone(), spec.description.clone(), Arc::new(object_schema(&spec.parameters)));
    tool.output_schema =
        spec.output.as_ref().filter(|schema| schema.is_object()).map(|schema| Arc::new(object_schema(schema)));
    tool.annotations = annotations(spec.effects);
    tool
}

fn server_tool(offered: OfferedTool) -> (Tool, ToolOrigin) {
    let OfferedTool { spec, server, definition } = offered;
    let tool = definition.name.to_string();
    let mut shown = definition;
    shown.name = spec.name.clone().into();
    shown.description = Some(spec.description.clone().into());
    (shown, ToolOrigin::Server(Arc::new(ServerTool { server, tool, spec })))
}

/// MCP requires a schema with `"type": "object"`.
fn object_schema(schema: &Json) -> JsonObject {
    let mut members = match schema.to_value() {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    members.entry("type").or_insert_with(|| "object".into());
    members
}

fn annotations(effects: Effects) -> Option<ToolAnnotations> {
    match effects {
        Effects::ReadOnly => Some(ToolAnnotations::new().read_only(true)),
        Effects::Idempotent => Some(ToolAnnotations::new().read_only(false).idempotent(true)),
        Effects::OwnAgent => Some(ToolAnnotations::new().read_only(false)),
        Effects::Unknown => None,
    }
}
