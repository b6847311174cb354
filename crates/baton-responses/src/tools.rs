//! Tools that a request brings, and which of them it wants to be called.

use crate::{
    Refusal,
    fields::Fields,
    parts::{missing, needed},
};
use baton_types::{BUILT_IN_TOOLS, CallerTool, Json, WishedCalls};
use serde_json::{Map, Value, json};
use std::fmt;

/// An MCP server that a request brings; whether it is used is for the surface to say.
#[derive(Clone, PartialEq, Eq)]
pub struct McpToolRequest {
    /// What the caller calls it.
    pub server_label: String,
    /// Where it is.
    pub server_url: Option<String>,
    /// What it is, for the model.
    pub server_description: Option<String>,
    /// Headers of requests to it; secrets.
    pub headers: Vec<(String, String)>,
    /// The bearer of requests to it; a secret.
    pub authorization: Option<String>,
    /// The tools of it that may be used; all when not given.
    pub allowed_tools: Option<Vec<String>>,
    /// Whether somebody is asked before one runs.
    pub require_approval: Approvals,
}

/// When somebody is asked before a tool of an MCP server runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Approvals {
    /// Before every call.
    #[default]
    Always,
    /// Never.
    Never,
    /// Before calls of some; of the others, before every call unless they are named too.
    Some {
        /// Tools about which somebody is asked.
        always: Vec<String>,
        /// Tools about which nobody is asked.
        never: Vec<String>,
    },
}

impl fmt::Debug for McpToolRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpToolRequest")
            .field("server_label", &self.server_label)
            .field("server_url", &self.server_url)
            .finish_non_exhaustive()
    }
}

/// The tools of a request.
#[derive(Default)]
pub(crate) struct Tools {
    pub(crate) callers: Vec<CallerTool>,
    pub(crate) custom: Vec<String>,
    pub(crate) mcp: Vec<McpToolRequest>,
    /// As they are shown again, secrets taken out.
    pub(crate) echo: Vec<Json>,
}

impl Tools {
    pub(crate) fn read(list: &[Value]) -> Result<Self, Refusal> {
        let mut tools = Self::default();
        for (index, tool) in list.iter().enumerate() {
            let param = format!("tools[{index}]");
            let Value::Object(members) = tool else {
                return Err(Refusal::invalid("invalid_type", &param, format!("'{param}' must be an object.")));
            };
            match needed(members, "type", &param)? {
                "function" => tools.function(members, &param)?,
                "custom" => tools.custom(members, &param)?,
                "mcp" => tools.mcp(members, &param)?,
                other => return Err(unsupported(other, &format!("{param}.type"))),
            }
        }
        Ok(tools)
    }

    fn function(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), Refusal> {
        let place = format!("{param}.");
        let fields = Fields::new(members, &place);
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

    /// A tool that takes text is a function of one string.
    fn custom(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), Refusal> {
        let place = format!("{param}.");
        let fields = Fields::new(members, &place);
        let (name, description) = (self.name(members, param)?, fields.text("description")?);
        let format = fields.object("format")?;
        let grammar = format.and_then(|format| format.get("definition")).and_then(Value::as_str);
        let mut words = description.unwrap_or_default().to_owned();
        if let Some(grammar) = grammar {
            words.push_str("\nThe input has to follow this grammar:\n");
            words.push_str(grammar);
        }
        let format = format.map_or_else(|| json!({"type": "text"}), |format| Value::Object(format.clone()));
        self.echo.push(json!({"type": "custom", "name": name, "description": description, "format": format}).into());
        self.custom.push(name.clone());
        let parameters =
            json!({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}).into();
        self.callers.push(CallerTool { name, description: words, parameters });
        Ok(())
    }

    fn name(&self, members: &Map<String, Value>, param: &str) -> Result<String, Refusal> {
        let name = needed(members, "name", param)?;
        let param = format!("{param}.name");
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let problem = if name.is_empty() || name.len() > 64 || !name.bytes().all(is_word) {
            "must be 1 to 64 letters, digits, _ or -"
        } else if BUILT_IN_TOOLS.contains(&name) {
            "is the name of a tool that the agent has itself; choose another"
        } else if self.callers.iter().any(|tool| tool.name == name) {
            "is there twice; give every tool a name of its own"
        } else {
            return Ok(name.to_owned());
        };
        Err(Refusal::invalid("invalid_value", &param, format!("'{param}' {problem}.")))
    }

    fn mcp(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), Refusal> {
        let place = format!("{param}.");
        let fields = Fields::new(members, &place);
        let label = needed(members, "server_label", param)?.to_owned();
        if fields.get("connector_id").is_some() {
            let param = format!("{param}.connector_id");
            let detail = "There are no connectors here; give the address of an MCP server as server_url.";
            return Err(Refusal::invalid("unsupported_tool", &param, detail));
        }
        let url = fields.text("server_url")?.ok_or_else(|| missing(&format!("{param}.server_url")))?.to_owned();
        let headers = fields.object("headers")?.into_iter().flatten();
        let headers = headers.map(|(name, value)| {
            let param = format!("{param}.headers.{name}");
            let value = value.as_str().map(str::to_owned);
            let value =
                value.ok_or_else(|| Refusal::invalid("invalid_type", &param, format!("'{param}' must be a string.")));
            value.map(|value| (name.clone(), value))
        });
        let allowed = match fields.get("allowed_tools") {
            None => None,
            Some(Value::Object(filter)) => {
                let place = format!("{param}.allowed_tools.");
                Some(Fields::new(filter, &place).words("tool_names")?)
            }
            Some(_) => Some(fields.words("allowed_tools")?),
        };
        let request = McpToolRequest {
            server_description: fields.text("server_description")?.map(str::to_owned),
            headers: headers.collect::<Result<_, _>>()?,
            authorization: fields.text("authorization")?.map(str::to_owned),
            require_approval: approvals(fields, param)?,
            allowed_tools: allowed,
            server_label: label,
            server_url: Some(url),
        };
        self.echo.push(
            json!({
                "type": "mcp",
                "server_label": request.server_label,
                "server_url": request.server_url,
                "server_description": request.server_description,
                "headers": null,
                "allowed_tools": fields.get("allowed_tools"),
                "require_approval": fields.get("require_approval").cloned().unwrap_or_else(|| "always".into()),
            })
            .into(),
        );
        self.mcp.push(request);
        Ok(())
    }
}

fn approvals(fields: Fields<'_>, param: &str) -> Result<Approvals, Refusal> {
    match fields.get("require_approval") {
        None => Ok(Approvals::Always),
        Some(Value::Object(filter)) => {
            let names = |which: &str| -> Result<Vec<String>, Refusal> {
                let place = format!("{param}.require_approval.");
                let Some(filter) = Fields::new(filter, &place).object(which)? else { return Ok(Vec::new()) };
                Fields::new(filter, &format!("{place}{which}.")).words("tool_names")
            };
            Ok(Approvals::Some { always: names("always")?, never: names("never")? })
        }
        Some(_) => Ok(match fields.one_of("require_approval", &["always", "never"])? {
            Some("never") => Approvals::Never,
            _ => Approvals::Always,
        }),
    }
}

fn unsupported(kind: &str, param: &str) -> Refusal {
    Refusal::invalid(
        "unsupported_tool",
        param,
        format!(
            "Tools of type '{kind}' are not run here; send function, custom or mcp tools, or give the agent a tool of its own."
        ),
    )
}

/// Which tools a request wants to be called.
pub(crate) fn tool_choice(choice: &Value) -> Result<WishedCalls, Refusal> {
    let param = "tool_choice";
    let members = match choice {
        Value::String(word) => {
            return match word.as_str() {
                "auto" => Ok(WishedCalls::Auto),
                "none" => Ok(WishedCalls::None),
                "required" => Ok(WishedCalls::Required),
                _ => Err(Refusal::invalid(
                    "invalid_value",
                    param,
                    "'tool_choice' must be auto, none, required or an object that names a tool.",
                )),
            };
        }
        Value::Object(members) => members,
        _ => {
            return Err(Refusal::invalid("invalid_type", param, "'tool_choice' must be a string or an object."));
        }
    };
    match needed(members, "type", param)? {
        "function" | "custom" => Ok(WishedCalls::Named(needed(members, "name", param)?.to_owned())),
        "mcp" => Ok(match members.get("name").and_then(Value::as_str) {
            Some(name) => WishedCalls::Named(name.to_owned()),
            None => WishedCalls::Required,
        }),
        "allowed_tools" => allowed(members),
        other => Err(unsupported(other, "tool_choice.type")),
    }
}

fn allowed(members: &Map<String, Value>) -> Result<WishedCalls, Refusal> {
    let fields = Fields::new(members, "tool_choice.");
    let required = fields.one_of("mode", &["auto", "required"])? == Some("required");
    let names: Result<Vec<String>, Refusal> = fields
        .list("tools")?
        .iter()
        .enumerate()
        .map(|(index, tool)| {
            let param = format!("tool_choice.tools[{index}]");
            match tool.as_object() {
                Some(tool) => needed(tool, "name", &param).map(str::to_owned),
                None => Err(Refusal::invalid("invalid_type", &param, format!("'{param}' must be an object."))),
            }
        })
        .collect();
    match names? {
        names if (1..=128).contains(&names.len()) => Ok(WishedCalls::Only { names, required }),
        _ => {
            let param = "tool_choice.tools";
            Err(Refusal::invalid("invalid_value", param, format!("'{param}' must name 1 to 128 tools.")))
        }
    }
}
