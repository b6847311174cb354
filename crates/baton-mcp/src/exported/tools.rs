//! Exported tools as MCP tools.

use baton_types::{AgentResources, ExportedTool};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;

/// The tools that an agent exports, in definition order.
pub fn tools(resources: &AgentResources) -> Vec<Tool> {
    resources.exports.iter().map(tool).collect()
}

/// The exported tool with this name.
pub fn find<'a>(resources: &'a AgentResources, name: &str) -> Option<&'a ExportedTool> {
    resources.exports.iter().find(|export| export.name == name)
}

fn tool(export: &ExportedTool) -> Tool {
    // The agent's model decides on its actions, so no guarantee about effects is declared.
    Tool::new(export.name.clone(), export.description.clone(), schema(export))
        .with_annotations(ToolAnnotations::new().read_only(false))
}

/// MCP requires a schema with `"type": "object"`.
fn schema(export: &ExportedTool) -> Arc<JsonObject> {
    let mut members = match export.parameters.to_value() {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    members.entry("type").or_insert_with(|| "object".into());
    Arc::new(members)
}
