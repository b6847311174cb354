//! The prompt of an exported tool, rendered from a template and the arguments of a call.

use super::arguments::declared_parameters;
use baton_types::ExportedTool;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Renders the prompt of a call: `{argument}` inserts that argument, `{{` and `}}` are braces.
///
/// Strings are inserted unchanged, other values as JSON, omitted arguments as an empty string. Braces around any other
/// name are kept. Inserted values are not expanded again.
pub fn prompt(tool: &ExportedTool, arguments: &JsonObject) -> String {
    let declared = declared_parameters(&tool.parameters.to_value());
    let mut prompt = String::with_capacity(tool.prompt.len() + 256);
    let mut rest = tool.prompt.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        prompt.push_str(&rest[..at]);
        rest = &rest[at..];
        let brace = &rest[..1];
        if rest[1..].starts_with(brace) {
            prompt.push_str(brace);
            rest = &rest[2..];
            continue;
        }
        match placeholder(rest).and_then(|name| Some((name, value(tool, &declared, arguments, name)?))) {
            Some((name, value)) => {
                prompt.push_str(&value);
                rest = &rest[name.len() + 2..];
            }
            None => {
                prompt.push_str(brace);
                rest = &rest[1..];
            }
        }
    }
    prompt.push_str(rest);
    prompt
}

/// The name in braces at the start of a text.
fn placeholder(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?;
    let end = inner.find(['{', '}'])?;
    inner[end..].starts_with('}').then(|| &inner[..end])
}

/// Replacement for a name; `None` if it is no parameter.
fn value(tool: &ExportedTool, declared: &JsonObject, arguments: &JsonObject, name: &str) -> Option<String> {
    match arguments.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Null) => Some(String::new()),
        Some(value) => Some(value.to_string()),
        None if declared.contains_key(name) => Some(String::new()),
        // TeamSpark templates use `{name}` for the tool name.
        None if name == "name" => Some(tool.name.clone()),
        None => None,
    }
}
