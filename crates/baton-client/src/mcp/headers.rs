//! Headers that requests of the newest protocol version repeat from their bodies, so that intermediaries need not parse
//! those.

use super::message::{McpKind, McpMessage};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// Maximum tools with recorded headers; arguments of further tools are only in the body.
const MAX_TOOLS: usize = 10_000;
const BASE64_PREFIX: &str = "=?base64?";
const BASE64_SUFFIX: &str = "?=";

/// Tool arguments that are repeated in headers, recorded from tool lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolHeaders {
    tools: HashMap<String, Vec<HeaderArgument>>,
}

/// One argument, by its path in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HeaderArgument {
    path: Vec<String>,
    header: String,
}

#[derive(Deserialize)]
struct ToolListReply {
    result: ToolListResult,
}

#[derive(Deserialize)]
struct ToolListResult {
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    #[serde(rename = "inputSchema")]
    schema: Value,
}

#[derive(Deserialize)]
struct ToolCallRequest {
    params: CallParams,
}

#[derive(Deserialize)]
struct CallParams {
    #[serde(default)]
    arguments: Value,
}

impl ToolHeaders {
    /// Records a tool list; other replies are ignored.
    pub fn learn(&mut self, reply: &str) {
        let Ok(listed) = serde_json::from_str::<ToolListReply>(reply) else { return };
        for tool in listed.result.tools {
            let mut repeated = Vec::new();
            collect(&tool.schema, &mut Vec::new(), &mut repeated);
            match repeated.is_empty() {
                true => drop(self.tools.remove(&tool.name)),
                false if self.tools.len() < MAX_TOOLS || self.tools.contains_key(&tool.name) => {
                    self.tools.insert(tool.name, repeated);
                }
                false => {}
            }
        }
    }

    /// The headers of a message that names its protocol version; empty for others.
    pub fn for_message(&self, message: &McpMessage) -> Vec<(String, String)> {
        let (Some(version), Some(method)) = (&message.version, &message.method) else { return Vec::new() };
        let mut headers = vec![
            ("MCP-Protocol-Version".to_owned(), encode_value(version)),
            ("Mcp-Method".to_owned(), encode_value(method)),
        ];
        if message.kind != McpKind::Request {
            return headers;
        }
        headers.extend(message.about.as_deref().map(|about| ("Mcp-Name".to_owned(), encode_value(about))));
        let repeated = match (method.as_str(), &message.about) {
            ("tools/call", Some(tool)) => self.tools.get(tool),
            _ => None,
        };
        let Some(repeated) = repeated else { return headers };
        let Ok(called) = serde_json::from_str::<ToolCallRequest>(&message.text) else { return headers };
        for HeaderArgument { path, header } in repeated {
            let argument = path.iter().try_fold(&called.params.arguments, |value, step| value.get(step));
            let argument = argument.and_then(|argument| match argument {
                Value::String(text) => Some(text.clone()),
                Value::Bool(_) | Value::Number(_) => Some(argument.to_string()),
                _ => None,
            });
            headers.extend(argument.map(|argument| (format!("Mcp-Param-{header}"), encode_value(&argument))));
        }
        headers
    }
}

/// Annotations are valid on properties only, at any depth.
fn collect(schema: &Value, path: &mut Vec<String>, repeated: &mut Vec<HeaderArgument>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str)
            && is_token(header)
        {
            repeated.push(HeaderArgument { path: path.clone(), header: header.to_owned() });
        }
        collect(property, path, repeated);
        path.pop();
    }
}

fn is_token(text: &str) -> bool {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(sign)
}

/// Encodes a header value; base64 if it is not plain ASCII.
fn encode_value(value: &str) -> String {
    let at_an_end = |c: char| value.starts_with(c) || value.ends_with(c);
    let plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) && !at_an_end(' ');
    let looks_wrapped = value.starts_with(BASE64_PREFIX) && value.ends_with(BASE64_SUFFIX);
    match plain && !looks_wrapped {
        true => value.to_owned(),
        false => format!("{BASE64_PREFIX}{}{BASE64_SUFFIX}", BASE64_STANDARD.encode(value)),
    }
}
