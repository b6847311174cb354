//! Tool arguments that match a schema, and answers to elicitations.

use baton_types::Json;
use rmcp::model::{ElicitRequestParams, InputRequest, InputRequests, InputResponses, JsonObject};
use serde_json::{Value, json};

/// Values for the required properties of a schema only.
pub(crate) fn required_arguments(schema: &JsonObject) -> JsonObject {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("integer") => json!(3),
        Some("number") => json!(2.5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("west"),
    };
    names.map(|name| (name.to_owned(), value(name))).collect()
}

/// Accepts every form unchanged, so that its defaults apply.
pub(crate) fn default_answers(requests: InputRequests) -> anyhow::Result<InputResponses> {
    let answer = |request| -> anyhow::Result<Value> {
        let InputRequest::Elicitation(request) = request else { return Ok(json!({ "roots": [] })) };
        let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = request.params else {
            return Ok(json!({ "action": "decline" }));
        };
        let schema: Json = serde_json::to_value(requested_schema)?.into();
        let content = baton_rules::complete_form(&schema, &json!({}).into()).map_err(anyhow::Error::msg)?;
        Ok(json!({ "action": "accept", "content": content.read::<Value>()? }))
    };
    requests.into_iter().map(|(key, request)| Ok((key, answer(request)?))).collect()
}
