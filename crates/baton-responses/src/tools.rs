//! Tools and tool choice of a request.

use crate::{McpToolRequest, OpenAiError, fields::RequestFields, parts::required_text};
use baton_types::{BUILT_IN_TOOLS, CallerServerSpec, CallerTool, CallerToolChoice, Json};
use serde_json::{Map, Value, json};

/// The tools of a request.
#[derive(Default)]
pub(crate) struct RequestTools {
    pub(crate) callers: Vec<CallerTool>,
    pub(crate) custom: Vec<String>,
    pub(crate) mcp: Vec<McpToolRequest>,
    /// The echo of the tools, without secrets.
    pub(crate) echo: Vec<Json>,
}

impl RequestTools {
    pub(crate) fn read(list: &[Value]) -> Result<Self, OpenAiError> {
        let mut tools = Self::default();
        for (index, tool) in list.iter().enumerate() {
            let param = format!("tools[{index}]");
            let Value::Object(members) = tool else {
                return Err(OpenAiError::invalid("invalid_type", &param, format!("'{param}' must be an object.")));
            };
            match required_text(members, "type", &param)? {
                "function" => tools.function(members, &param)?,
                "custom" => tools.custom(members, &param)?,
                "mcp" => {
                    let server = McpToolRequest::read(members, &param, &tools.mcp)?;
                    tools.echo.push(server.echo());
                    tools.mcp.push(server);
                }
                other => return Err(unsupported(other, &format!("{param}.type"))),
            }
        }
        Ok(tools)
    }

    fn function(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), OpenAiError> {
        let prefix = format!("{param}.");
        let fields = RequestFields::new(members, &prefix);
        let (name, description) = (self.name(members, param)?, fields.text("description")?);
        let parameters = fields.object("parameters")?;
        let strict = fields.flag("strict")?;
        self.echo.push(
            json!({"type": "function", "name": name, "description": description, "parameters": parameters, "strict": strict})
                .into(),
        );
        let nothing = || json!({"type": "object", "properties": {}});
        self.callers.push(CallerTool {
            name,
            description: description.unwrap_or_default().to_owned(),
            parameters: parameters.map_or_else(nothing, |parameters| Value::Object(parameters.clone())).into(),
        });
        Ok(())
    }

    /// Adds a custom tool as a function with one string parameter.
    fn custom(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), OpenAiError> {
        let prefix = format!("{param}.");
        let fields = RequestFields::new(members, &prefix);
        let (name, description) = (self.name(members, param)?, fields.text("description")?);
        let format = fields.object("format")?;
        let grammar = format.and_then(|format| format.get("definition")).and_then(Value::as_str);
        let mut full_description = description.unwrap_or_default().to_owned();
        if let Some(grammar) = grammar {
            full_description.push_str("\nThe input has to follow this grammar:\n");
            full_description.push_str(grammar);
        }
        let format = format.map_or_else(|| json!({"type": "text"}), |format| Value::Object(format.clone()));
        self.echo.push(json!({"type": "custom", "name": name, "description": description, "format": format}).into());
        self.custom.push(name.clone());
        let parameters =
            json!({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}).into();
        self.callers.push(CallerTool { name, description: full_description, parameters });
        Ok(())
    }

    fn name(&self, members: &Map<String, Value>, param: &str) -> Result<String, OpenAiError> {
        let name = required_text(members, "name", param)?;
        let param = format!("{param}.name");
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let problem = if name.is_empty() || name.len() > 64 || !name.bytes().all(is_word) {
            "must be 1 to 64 letters, digits, _ or -"
        } else if BUILT_IN_TOOLS.contains(&name) {
            "is the name of a built-in tool; choose another"
        } else if self.callers.iter().any(|tool| tool.name == name) {
            "is used twice; give every tool a unique name"
        } else {
            return Ok(name.to_owned());
        };
        Err(OpenAiError::invalid("invalid_value", &param, format!("'{param}' {problem}.")))
    }
}

fn unsupported(kind: &str, param: &str) -> OpenAiError {
    OpenAiError::invalid(
        "unsupported_tool",
        param,
        format!(
            "Tools of type '{kind}' are not supported; send function, custom or mcp tools, or add a tool to the agent."
        ),
    )
}

/// Parses the tool choice; tools of the request's servers are referred to by the names that models use.
pub(crate) fn tool_choice(choice: &Value, servers: &[CallerServerSpec]) -> Result<CallerToolChoice, OpenAiError> {
    let param = "tool_choice";
    let members = match choice {
        Value::String(mode) => {
            return match mode.as_str() {
                "auto" => Ok(CallerToolChoice::Auto),
                "none" => Ok(CallerToolChoice::None),
                "required" => Ok(CallerToolChoice::Required),
                _ => Err(OpenAiError::invalid(
                    "invalid_value",
                    param,
                    "'tool_choice' must be auto, none, required or an object that names a tool.",
                )),
            };
        }
        Value::Object(members) => members,
        _ => {
            return Err(OpenAiError::invalid("invalid_type", param, "'tool_choice' must be a string or an object."));
        }
    };
    match required_text(members, "type", param)? {
        "function" | "custom" => Ok(CallerToolChoice::Named(required_text(members, "name", param)?.to_owned())),
        "mcp" => Ok(match (members.get("name").and_then(Value::as_str), server_tools(members, servers)) {
            (Some(name), named) => CallerToolChoice::Named(named.into_iter().next().unwrap_or_else(|| name.to_owned())),
            (None, names) if names.is_empty() => CallerToolChoice::Required,
            (None, names) => CallerToolChoice::Only { names, required: true },
        }),
        "allowed_tools" => allowed_tools(members, servers),
        other => Err(unsupported(other, "tool_choice.type")),
    }
}

/// The tools of a server that a choice selects, by the names that models use.
fn server_tools(choice: &Map<String, Value>, servers: &[CallerServerSpec]) -> Vec<String> {
    let text = |name: &str| choice.get(name).and_then(Value::as_str);
    let (label, tool) = (text("server_label"), text("name"));
    let server = servers.iter().find(|server| label == Some(server.label.as_str()));
    let is_match = |own: &str| tool.is_none_or(|tool| tool == own);
    let candidates = server.into_iter().flat_map(|server| &server.tools);
    candidates
        .filter(|tool| tool.mcp_server_and_tool().is_some_and(|(_, own)| is_match(own)))
        .map(|tool| tool.name.clone())
        .collect()
}

fn allowed_tools(members: &Map<String, Value>, servers: &[CallerServerSpec]) -> Result<CallerToolChoice, OpenAiError> {
    let fields = RequestFields::new(members, "tool_choice.");
    let required = fields.one_of("mode", &["auto", "required"])? == Some("required");
    let listed = fields.list("tools")?;
    if !(1..=128).contains(&listed.len()) {
        let param = "tool_choice.tools";
        return Err(OpenAiError::invalid("invalid_value", param, format!("'{param}' must name 1 to 128 tools.")));
    }
    let mut names = Vec::new();
    for (index, tool) in listed.iter().enumerate() {
        let param = format!("tool_choice.tools[{index}]");
        let Some(tool) = tool.as_object() else {
            return Err(OpenAiError::invalid("invalid_type", &param, format!("'{param}' must be an object.")));
        };
        let of_server = server_tools(tool, servers);
        match tool.get("server_label") {
            Some(_) if !of_server.is_empty() || !tool.contains_key("name") => names.extend(of_server),
            _ => names.push(required_text(tool, "name", &param)?.to_owned()),
        }
    }
    Ok(CallerToolChoice::Only { names, required })
}
