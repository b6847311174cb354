//! MCP servers supplied by a request.

use crate::{
    OpenAiError,
    fields::RequestFields,
    parts::{missing_param, required_text},
};
use baton_types::{CallerServerSpec, Json, Permission, ToolSpec};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt};

/// Maximum number of servers per request.
const MAX_SERVERS: usize = 16;
/// Maximum number of tools of all servers, and maximum size of their descriptions.
const MAX_TOOLS: usize = 128;
const MAX_DESCRIPTION_BYTES: usize = 512 << 10;

/// An MCP server supplied by a request.
#[derive(Clone, PartialEq, Eq)]
pub struct McpToolRequest {
    /// Label chosen by the caller.
    pub server_label: String,
    /// Address of the server.
    pub server_url: String,
    /// Description for the model.
    pub server_description: Option<String>,
    /// Headers for requests to the server, including the bearer token; secrets.
    pub headers: BTreeMap<String, String>,
    /// Tools that may be used; all if absent.
    pub allowed_tools: Option<Vec<String>>,
    /// Approval policy for its tools.
    pub require_approval: McpApprovalPolicy,
}

/// Determines which tools of an MCP server require approval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum McpApprovalPolicy {
    /// Every call requires approval.
    #[default]
    Always,
    /// No call requires approval.
    Never,
    /// Every call requires approval, except calls of these tools.
    Except {
        /// Tools that need no approval.
        never: Vec<String>,
    },
}

impl fmt::Debug for McpToolRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpToolRequest").field("server_label", &self.server_label).finish_non_exhaustive()
    }
}

impl McpToolRequest {
    pub(crate) fn read(members: &Map<String, Value>, param: &str, before: &[Self]) -> Result<Self, OpenAiError> {
        let prefix = format!("{param}.");
        let fields = RequestFields::new(members, &prefix);
        let server_label = label(members, param, before)?;
        if fields.get("connector_id").is_some() {
            let param = format!("{param}.connector_id");
            let detail = "Connectors are not supported; send the address of an MCP server as server_url.";
            return Err(OpenAiError::invalid("unsupported_tool", &param, detail));
        }
        let server_url =
            fields.text("server_url")?.ok_or_else(|| missing_param(&format!("{param}.server_url")))?.to_owned();
        let mut headers = headers(fields, param)?;
        if let Some(token) = fields.text("authorization")? {
            headers.retain(|name, _| !name.eq_ignore_ascii_case("authorization"));
            let token = token.strip_prefix("Bearer ").unwrap_or(token);
            headers.insert("Authorization".to_owned(), format!("Bearer {token}"));
        }
        let allowed_tools = match fields.get("allowed_tools") {
            None => None,
            Some(Value::Object(filter)) => {
                let prefix = format!("{param}.allowed_tools.");
                Some(RequestFields::new(filter, &prefix).strings("tool_names")?)
            }
            Some(_) => Some(fields.strings("allowed_tools")?),
        };
        Ok(Self {
            server_description: fields.text("server_description")?.map(str::to_owned),
            require_approval: approvals(fields, param)?,
            headers,
            allowed_tools,
            server_label,
            server_url,
        })
    }

    /// The echo of the server, without secrets.
    pub(crate) fn echo(&self) -> Json {
        let approval = match &self.require_approval {
            McpApprovalPolicy::Always => json!("always"),
            McpApprovalPolicy::Never => json!("never"),
            McpApprovalPolicy::Except { never } => json!({ "never": { "tool_names": never } }),
        };
        json!({
            "type": "mcp",
            "server_label": self.server_label,
            "server_url": redacted_origin(&self.server_url),
            "server_description": self.server_description,
            "headers": null,
            "allowed_tools": self.allowed_tools,
            "require_approval": approval,
        })
        .into()
    }

    /// The server with its allowed tools and their permissions as requested.
    pub fn with_tools(&self, tools: Vec<ToolSpec>) -> CallerServerSpec {
        let own =
            |tool: &ToolSpec| tool.mcp_server_and_tool().map_or_else(|| tool.name.clone(), |(_, own)| own.to_owned());
        let is_allowed = |name: &String| self.allowed_tools.as_ref().is_none_or(|allowed| allowed.contains(name));
        let tools = tools.into_iter().filter(|tool| is_allowed(&own(tool))).map(|tool| {
            let permission = if self.requires_approval(&own(&tool)) { Permission::Ask } else { Permission::Allow };
            // The server description helps a model to choose among servers with short tool descriptions.
            let description = match &self.server_description {
                Some(about) => format!("{}\n\n({}: {about})", tool.description, self.server_label),
                None => tool.description.clone(),
            };
            ToolSpec { permission, description, ..tool }
        });
        CallerServerSpec { label: self.server_label.clone(), tools: tools.collect() }
    }

    fn requires_approval(&self, tool: &str) -> bool {
        match &self.require_approval {
            McpApprovalPolicy::Always => true,
            McpApprovalPolicy::Never => false,
            McpApprovalPolicy::Except { never } => !never.iter().any(|name| name == tool),
        }
    }
}

/// The echo of an address, without the part after the host, which often contains secrets.
fn redacted_origin(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "<redacted>".to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}/<redacted>")
}

fn label(members: &Map<String, Value>, param: &str, before: &[McpToolRequest]) -> Result<String, OpenAiError> {
    let label = required_text(members, "server_label", param)?;
    let param = format!("{param}.server_label");
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let problem = if before.len() >= MAX_SERVERS {
        format!("is one server too many; send at most {MAX_SERVERS}")
    } else if label.is_empty() || label.len() > 64 || !label.bytes().all(is_word) {
        "must be 1 to 64 letters, digits, _ or -".to_owned()
    } else if before.iter().any(|server| server.server_label == label) {
        "is used twice; give every server a unique label".to_owned()
    } else {
        return Ok(label.to_owned());
    };
    Err(OpenAiError::invalid("invalid_value", &param, format!("'{param}' {problem}.")))
}

fn headers(fields: RequestFields<'_>, param: &str) -> Result<BTreeMap<String, String>, OpenAiError> {
    let members = fields.object("headers")?.into_iter().flatten();
    let read = members.map(|(name, value)| match value.as_str() {
        Some(value) => Ok((name.clone(), value.to_owned())),
        None => {
            let param = format!("{param}.headers.{name}");
            Err(OpenAiError::invalid("invalid_type", &param, format!("'{param}' must be a string.")))
        }
    });
    read.collect()
}

fn approvals(fields: RequestFields<'_>, param: &str) -> Result<McpApprovalPolicy, OpenAiError> {
    match fields.get("require_approval") {
        None => Ok(McpApprovalPolicy::Always),
        Some(Value::Object(filter)) => {
            let names = |key: &str| -> Result<Vec<String>, OpenAiError> {
                let prefix = format!("{param}.require_approval.");
                let Some(filter) = RequestFields::new(filter, &prefix).object(key)? else { return Ok(Vec::new()) };
                RequestFields::new(filter, &format!("{prefix}{key}.")).strings("tool_names")
            };
            let (always, mut never) = (names("always")?, names("never")?);
            never.retain(|name| !always.contains(name));
            Ok(McpApprovalPolicy::Except { never })
        }
        Some(_) => Ok(match fields.one_of("require_approval", &["always", "never"])? {
            Some("never") => McpApprovalPolicy::Never,
            _ => McpApprovalPolicy::Always,
        }),
    }
}

/// Checks the size limits of a request: the tool descriptions of its servers are stored with the turn.
pub(crate) fn check_size(servers: &[CallerServerSpec]) -> Result<(), OpenAiError> {
    let tools = servers.iter().flat_map(|server| &server.tools);
    let count = tools.clone().count();
    let bytes: usize = tools.map(|tool| tool.description.len() + tool.parameters.as_str().len()).sum();
    let problem = if count > MAX_TOOLS {
        format!("have {count} tools; the limit is {MAX_TOOLS}")
    } else if bytes > MAX_DESCRIPTION_BYTES {
        format!("describe their tools in {} KB; the limit is {} KB", bytes >> 10, MAX_DESCRIPTION_BYTES >> 10)
    } else {
        return Ok(());
    };
    let detail = format!("The MCP servers of the request {problem}. List the tools that it needs in allowed_tools.");
    Err(OpenAiError::invalid("too_many_tools", "tools", detail))
}
