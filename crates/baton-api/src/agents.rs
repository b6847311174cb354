//! Agent definitions: read, create, change. Keys are those of `agent.yaml`.

use super::{AddAgent, SessionSettingsBody};
use baton_types::{InclusionMode, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Configuration objects by name.
type JsonObjects = BTreeMap<String, Map<String, Value>>;

/// Request to create an agent, from files or from equivalent fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateAgent {
    /// Path segment; derived from the title when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is stored on disk; the server's default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<bool>,
    /// Files by their path inside the agent's directory; the other fields are written into them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeMap<String, String>>,
    /// Rules of the built-in model, as in `playbook.yaml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook: Option<String>,
    /// Rules of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<AgentItem>,
    /// References of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<AgentItem>,
    /// MCP servers by name, as in `mcp.json`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "JsonObjects")]
    pub servers: BTreeMap<String, Json>,
    /// Agent functions to offer as MCP tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<AgentExport>,
    /// Model providers by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "JsonObjects")]
    pub providers: BTreeMap<String, Json>,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Purpose of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Version of the definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Default settings of new sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<SessionSettingsBody>,
    /// Whether it runs without a person to answer questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autonomous: Option<bool>,
}

/// Request to add a remote agent by its address, or else to create a local one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NewAgent {
    /// A remote agent.
    Remote(AddAgent),
    /// A local agent.
    Local(Box<CreateAgent>),
}

/// Changes to a definition; absent members stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChangeAgent {
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Purpose of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Version of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Organization that provides the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProviderInfo>,
    /// URL of the icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// URL of the documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// Whether it runs without a person to answer questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autonomous: Option<bool>,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Default settings of new sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<SessionSettingsBody>,
}

/// Request to copy an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloneAgent {
    /// Path segment of the copy.
    pub name: String,
    /// Display name; that of the original when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it is stored on disk; the server's default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<bool>,
}

/// Organization that provides an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentProviderInfo {
    /// Name of the organization.
    pub organization: String,
    /// URL of the organization.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// A rule or a reference; optional members may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentItem {
    /// Unique per kind within the agent; taken from the path over HTTP.
    pub name: String,
    /// Short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// From 0 to 999; items with higher priority are placed later, nearer to the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
    /// Condition for including the item in a model request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<InclusionMode>,
    /// Full text; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Rules or references of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentItemList {
    /// Without texts, sorted by priority and name.
    pub items: Vec<AgentItem>,
    /// Digest of the whole definition; the ETag.
    pub digest: String,
}

/// An agent function offered as an MCP tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentExport {
    /// Tool name; taken from the path over HTTP.
    pub name: String,
    /// Description for the clients that select tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Json>,
    /// Prompt for the agent; `{argument}` is replaced by that argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// MCP tools that an agent offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentExportList {
    /// In the order of the definition.
    pub exports: Vec<AgentExport>,
    /// Digest of the whole definition; the ETag.
    pub digest: String,
}

/// MCP servers of an agent, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentServerList {
    /// By name, as in `mcp.json`.
    #[schemars(with = "JsonObjects")]
    pub servers: BTreeMap<String, Json>,
    /// Digest of the whole definition; the ETag.
    pub digest: String,
}

/// Model providers of an agent, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentProviderList {
    /// By id, with the keys set in the definition.
    #[schemars(with = "JsonObjects")]
    pub providers: BTreeMap<String, Json>,
    /// Known providers; any other id requires `base_url`.
    pub available: Vec<AvailableProvider>,
    /// Digest of the whole definition; the ETag.
    pub digest: String,
}

/// A known model provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AvailableProvider {
    /// Its id.
    pub id: String,
    /// Display name.
    pub title: String,
    /// Default model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Configuration keys specific to the provider.
    pub keys: Vec<ProviderKeyInfo>,
}

/// A configuration key of a model provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderKeyInfo {
    /// Name of the key and of the equivalent environment variable.
    pub name: String,
    /// Whether its value is secret and never shown.
    pub secret: bool,
}

/// Location of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DefinitionLocation {
    /// `memory`, `disk` or `storage`.
    #[serde(rename = "in")]
    pub place: String,
    /// Directory or file, if stored on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Explanation for people.
    pub note: String,
}

/// Definition of a local agent. Values of variables, headers and keys are omitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentDefinition {
    /// Where the definition is stored.
    pub location: DefinitionLocation,
    /// Digest of all files; the ETag.
    pub digest: String,
    /// Format of the definition.
    pub form: String,
    /// The system prompt.
    pub prompt: String,
    /// Whether it runs without a person to answer questions.
    pub autonomous: bool,
    /// Default settings of new sessions.
    pub settings: SessionSettingsBody,
    /// Organization that provides the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProviderInfo>,
    /// URL of the icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// URL of the documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// Rules, without their texts.
    pub rules: Vec<AgentItem>,
    /// References, without their texts.
    pub references: Vec<AgentItem>,
    /// MCP servers, without secrets.
    #[schemars(with = "JsonObjects")]
    pub servers: BTreeMap<String, Json>,
    /// Offered MCP tools.
    pub exports: Vec<AgentExport>,
    /// Model providers, without secrets.
    #[serde(default)]
    #[schemars(with = "JsonObjects")]
    pub providers: BTreeMap<String, Json>,
}
