//! Exported tools as MCP clients see them.

use baton_types::{AgentKit, ExportedTool};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;

/// The tools that an agent exports, in the order written.
pub fn tools(kit: &AgentKit) -> Vec<Tool> {
    kit.exports.iter().map(tool).collect()
}

/// The exported tool of that name.
pub fn find<'a>(kit: &'a AgentKit, name: &str) -> Option<&'a ExportedTool> {
    kit.exports.iter().find(|export| export.name == name)
}

fn tool(export: &ExportedTool) -> Tool {
    // What an agent does is up to its model, so nothing is promised of its effects.
    Tool::new(export.name.clone(), export.description.clone(), schema(export))
        .with_annotations(ToolAnnotations::new().read_only(false))
}

/// MCP wants an object schema that says so.
fn schema(export: &ExportedTool) -> Arc<JsonObject> {
    let mut members = match export.parameters.to_value() {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    members.entry("type").or_insert_with(|| "object".into());
    Arc::new(members)
}
