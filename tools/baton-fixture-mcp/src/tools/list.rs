//! Names, descriptions and schemas of the tools.

use crate::shared_state::FixtureState;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// Tools without arguments, by name.
const TOOLS_WITHOUT_ARGUMENTS: &[(&str, &str)] = &[
    ("test_audio_content", "Returns audio"),
    ("test_elicitation_sep1034_defaults", "Asks with a form that has defaults"),
    ("test_elicitation_sep1330_enums", "Asks with a form of every kind of choice"),
    ("test_embedded_resource", "Returns a resource"),
    ("test_error_handling", "Fails"),
    ("test_image_content", "Returns an image"),
    ("test_input_required_result_capabilities", "Asks what the client can answer"),
    ("test_input_required_result_elicitation", "Asks for a name"),
    ("test_input_required_result_list_roots", "Asks for directories"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_multiple_inputs", "Asks for several things at once"),
    ("test_input_required_result_request_state", "Asks with a request state"),
    ("test_input_required_result_sampling", "Asks the client's model"),
    ("test_input_required_result_tampered_state", "Asks, and verifies the returned request state"),
    ("test_logging_tool", "Logs if the client enabled it"),
    ("test_missing_capability", "Needs the client's model"),
    ("test_multiple_content_types", "Returns text, an image and a resource"),
    ("test_simple_text", "Returns text"),
    ("test_streaming_elicitation", "Reports progress, then asks"),
    ("test_tool_with_logging", "Logs three times"),
    ("test_tool_with_progress", "Reports progress three times"),
    ("test_trigger_prompt_change", "Adds or removes a prompt"),
    ("test_trigger_tool_change", "Adds or removes a tool"),
    ("touch_watched_resource", "Changes the watched resource"),
    ("wait_until_canceled", "Waits until the call is cancelled"),
];

/// A tool that is added and removed at run time.
pub(super) const DYNAMIC_TOOL: &str = "test_dynamic_tool";

/// All current tools, by name.
pub(crate) fn list(world: &FixtureState) -> Vec<Tool> {
    let mut tools: Vec<Tool> =
        TOOLS_WITHOUT_ARGUMENTS.iter().map(|(name, description)| tool(name, description, &json!({}))).collect();
    let text = |description: &str| json!({ "type": "string", "description": description });
    tools.push(tool("test_sampling", "Asks the client's model", &fields(&json!({ "prompt": text("What to ask") }))));
    tools.push(tool("test_elicitation", "Asks the user", &fields(&json!({ "message": text("What to ask") }))));
    let minimum = json!({ "type": "integer", "description": "Minimum number to wait for, up to ten seconds" });
    let counts = "Number of cancelled calls of wait_until_canceled";
    tools.push(tool("count_canceled", counts, &fields(&json!({ "at_least": minimum }))));
    let region = json!({ "type": "string", "description": "Mirrored in a header", "x-mcp-header": "Region" });
    tools.push(tool(
        "test_custom_header",
        "Returns an argument that is mirrored in a header",
        &fields(&json!({ "region": region })),
    ));
    tools.push(tool("json_schema_2020_12_tool", "Has a schema with many keywords", &rich_schema()));
    let output = fields(&json!({ "sum": { "type": "number" }, "words": { "type": "string" } }));
    let number = json!({ "type": "number" });
    let structured = tool("test_structured_content", "Adds", &fields(&json!({ "a": number, "b": number })));
    let structured = structured.with_raw_output_schema(object(&output));
    tools.push(structured.with_annotations(ToolAnnotations::new().read_only(true)));
    if world.has_extra_tool() {
        tools.push(tool(DYNAMIC_TOOL, "Is added and removed at run time", &json!({})));
    }
    tools.sort_by(|left, right| left.name.cmp(&right.name));
    tools
}

/// One tool.
pub(crate) fn find(world: &FixtureState, name: &str) -> Option<Tool> {
    list(world).into_iter().find(|tool| tool.name == name)
}

fn tool(name: &str, description: &str, schema: &Value) -> Tool {
    let schema = if schema == &json!({}) { json!({ "type": "object", "properties": {} }) } else { schema.clone() };
    Tool::new(name.to_owned(), description.to_owned(), object(&schema))
}

/// An object schema with all fields required.
fn fields(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// A schema with keywords that a gateway must preserve.
fn rich_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": { "$anchor": "addressDef", "type": "object", "properties": { "street": text, "city": text } },
        },
        "properties": {
            "name": text,
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text,
            "email": text,
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
