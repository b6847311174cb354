//! Definitions of agents: as they are shown, made and changed. Keys are those of `agent.yaml`.

use super::SessionSettings;
use baton_types::{Include, Json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent to be made here, from its files or from what they would say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateAgent {
    /// The path segment; made of the title when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is kept on disk; where this Baton usually keeps new agents when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<bool>,
    /// Its files, by their paths inside its directory; what else is given is written into them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeMap<String, String>>,
    /// The rules of the built-in model, as in `playbook.yaml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook: Option<String>,
    /// How it should behave in certain cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<AgentItem>,
    /// What it can rely on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<AgentItem>,
    /// MCP servers that it uses, by name, as in `mcp.json`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub servers: BTreeMap<String, Json>,
    /// Work that it offers as MCP tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<AgentExport>,
    /// Services that its models are reached through, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub providers: BTreeMap<String, Json>,
    /// The name that people see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The definition's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Settings that hold in new sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<SessionSettings>,
    /// Whether it works without anybody to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autonomous: Option<bool>,
}

/// What is to be different in a definition; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangeAgent {
    /// The name that people see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The definition's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentMaker>,
    /// Its picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// Where to read about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// Whether it works without anybody to ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autonomous: Option<bool>,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Settings that hold in new sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<SessionSettings>,
}

/// An agent to be made as a copy of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloneAgent {
    /// The path segment of the copy.
    pub name: String,
    /// The name that people see; that of the original when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it is kept on disk; where this Baton usually keeps new agents when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<bool>,
}

/// Who makes an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentMaker {
    /// The name.
    pub organization: String,
    /// Where it is found.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// A rule or a reference, as far as it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentItem {
    /// Unique among its kind within the agent; over HTTP the path says it.
    pub name: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// From 0 to 999; higher ones come later, nearer to what is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
    /// When it is part of what the model is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Include>,
    /// The whole text; lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Rules or references of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentItemList {
    /// Without their texts, by priority and name.
    pub items: Vec<AgentItem>,
    /// Of the whole definition; the ETag.
    pub digest: String,
}

/// Work that an agent offers as an MCP tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentExport {
    /// The tool's name; over HTTP the path says it.
    pub name: String,
    /// What it does, for those who choose tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Json>,
    /// The words the agent is given; `{argument}` is replaced by that argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// Work that an agent offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentExportList {
    /// In the order written.
    pub exports: Vec<AgentExport>,
    /// Of the whole definition; the ETag.
    pub digest: String,
}

/// MCP servers of an agent, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentServerList {
    /// By name, as in `mcp.json`.
    pub servers: BTreeMap<String, Json>,
    /// Of the whole definition; the ETag.
    pub digest: String,
}

/// Services that the models of an agent are reached through, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentProviderList {
    /// By id, with the keys that the definition says.
    pub providers: BTreeMap<String, Json>,
    /// Those that there could be; any other id needs `base_url`.
    pub available: Vec<AvailableProvider>,
    /// Of the whole definition; the ETag.
    pub digest: String,
}

/// A service that is known by its id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvailableProvider {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// Its model unless somebody says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Keys of its own.
    pub keys: Vec<ProviderKeyInfo>,
}

/// A key of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderKeyInfo {
    /// As it is written; a variable of this name says the same.
    pub name: String,
    /// Whether its value is never shown.
    pub secret: bool,
}

/// Where a definition is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentKept {
    /// `memory`, `disk` or `storage`.
    #[serde(rename = "in")]
    pub place: String,
    /// The directory or file, of one that is kept on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What that means, for people.
    pub note: String,
}

/// The definition of an agent that lives here; values of variables, headers and keys are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentDefinition {
    /// Where it is kept.
    pub kept: AgentKept,
    /// Of all its files; the ETag.
    pub digest: String,
    /// The form in which it is written.
    pub form: String,
    /// The system prompt.
    pub prompt: String,
    /// Whether it works without anybody to ask.
    pub autonomous: bool,
    /// Settings that hold in new sessions.
    pub settings: SessionSettings,
    /// Who makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentMaker>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// Where to read about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// Its rules, without their texts.
    pub rules: Vec<AgentItem>,
    /// Its references, without their texts.
    pub references: Vec<AgentItem>,
    /// Its MCP servers, without secrets.
    pub servers: BTreeMap<String, Json>,
    /// Work that it offers.
    pub exports: Vec<AgentExport>,
    /// Services that its models are reached through, without secrets.
    #[serde(default)]
    pub providers: BTreeMap<String, Json>,
}
