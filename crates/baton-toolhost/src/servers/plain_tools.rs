//! Tools whose calls need only standard headers.

use http::HeaderValue;
use parking_lot::Mutex;
use rmcp::model::Tool;
use serde_json::Value;
use std::{collections::HashMap, sync::Arc};

/// Schema keyword of arguments that are also sent in a header.
const PARAM_HEADER: &str = "x-mcp-header";

/// The listed tools without arguments in headers, with their names as header values.
#[derive(Default)]
pub(super) struct PlainTools(Mutex<HashMap<String, HeaderValue>>);

impl PlainTools {
    /// Replaces the tools.
    pub(super) fn set(&self, tools: &[Arc<Tool>]) {
        let plain = tools.iter().filter(|tool| !tool.input_schema.iter().any(mentions_header));
        *self.0.lock() = plain.filter_map(|tool| Some((tool.name.to_string(), name_header(&tool.name)?))).collect();
    }

    /// The name of a plain tool as a header value.
    pub(super) fn header(&self, tool: &str) -> Option<HeaderValue> {
        self.0.lock().get(tool).cloned()
    }
}

/// The name, unless the protocol requires an encoding.
fn name_header(name: &str) -> Option<HeaderValue> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_graphic()) && !name.starts_with("=?");
    is_plain.then(|| HeaderValue::from_str(name).ok()).flatten()
}

/// The catalog limits the depth of schemas.
fn mentions_header((key, value): (&String, &Value)) -> bool {
    key == PARAM_HEADER
        || match value {
            Value::Object(members) => members.iter().any(mentions_header),
            Value::Array(items) => {
                items.iter().any(|item| item.as_object().is_some_and(|o| o.iter().any(mentions_header)))
            }
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_with_arguments_or_names_in_encoded_headers_are_not_plain() {
        let annotated =
            json!({"properties": {"at": {"properties": {"city": {"type": "string", "x-mcp-header": "City"}}}}});
        let listed = [
            ("add", json!({"type": "object"})),
            ("größe", json!({"type": "object"})),
            ("=?base64?YQ==?=", json!({"type": "object"})),
            ("look", annotated),
        ];
        let tool = |(name, schema): &(&'static str, Value)| {
            Arc::new(Tool::new(*name, "", schema.as_object().cloned().expect("an object")))
        };
        let plain = PlainTools::default();
        plain.set(&listed.iter().map(tool).collect::<Vec<_>>());
        let found = listed.iter().filter(|(name, _)| plain.header(name).is_some());
        assert_eq!(found.map(|(name, _)| *name).collect::<Vec<_>>(), ["add"]);
    }
}
