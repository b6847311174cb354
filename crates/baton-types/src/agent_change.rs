//! Changes of an agent definition, written to its source in the format found there.

use crate::{AgentPublisher, InclusionMode, ItemKind, Json, PermissionTarget, SessionOverrides};

/// One change. The rest of the definition is unchanged, byte for byte where the format allows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentChange {
    /// Adds a rule or reference.
    Create {
        /// Rule or reference.
        kind: ItemKind,
        /// New item; its text is required.
        item: ItemDraft,
    },
    /// Changes an existing rule or reference.
    Update {
        /// Rule or reference.
        kind: ItemKind,
        /// Changed fields; unset fields keep their value.
        item: ItemDraft,
    },
    /// Removes a rule or reference.
    Remove {
        /// Rule or reference.
        kind: ItemKind,
        /// Item name.
        name: String,
    },
    /// Replaces the system prompt.
    Prompt(String),
    /// Changes the settings of new sessions; unset fields keep their value.
    Settings(SessionOverrides),
    /// Changes the metadata of the agent card.
    Metadata(MetadataChange),
    /// Changes when tools are part of a session.
    Include {
        /// Affected tools.
        scope: PermissionTarget,
        /// New mode.
        include: InclusionMode,
    },
    /// Sets the MCP server of this name, in the format of `mcp.json`; none removes it.
    Server {
        /// Server name.
        name: String,
        /// Server entry.
        entry: Option<Json>,
    },
    /// Sets the exported MCP tool of this name; none removes it.
    Export {
        /// Tool name.
        name: String,
        /// `description`, `parameters` and `prompt`.
        entry: Option<Json>,
    },
    /// Sets a model provider, in the format of the definition; none removes it.
    Provider {
        /// Provider id or alias.
        id: String,
        /// Keys and settings.
        entry: Option<Json>,
    },
}

/// Fields of a rule or reference; unset fields are not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemDraft {
    /// Item name.
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// Priority, from 0 to 999.
    pub priority: Option<u16>,
    /// When it is part of the model context.
    pub include: Option<InclusionMode>,
    /// Full text.
    pub text: Option<String>,
}

/// Metadata of an agent card; unset fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataChange {
    /// Display name.
    pub title: Option<String>,
    /// Purpose of the agent.
    pub description: Option<String>,
    /// Version of the definition.
    pub version: Option<String>,
    /// Publisher.
    pub provider: Option<AgentPublisher>,
    /// URL of the icon.
    pub icon_url: Option<String>,
    /// URL of the documentation.
    pub documentation_url: Option<String>,
    /// Whether the agent runs without a person to ask.
    pub autonomous: Option<bool>,
}
