//! A change of an agent's definition, to be written where it comes from, in the form that is found there.

use crate::{Include, ItemKind, Json, Provider, SessionOverrides, ToolScope};

/// One change; everything else in the definition stays as it is, byte for byte where the form allows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentChange {
    /// A rule or reference that is new.
    Create {
        /// Which of both.
        kind: ItemKind,
        /// The item; its text is needed.
        item: ItemDraft,
    },
    /// A rule or reference that is there already.
    Update {
        /// Which of both.
        kind: ItemKind,
        /// What is to be different; what is not given stays.
        item: ItemDraft,
    },
    /// A rule or reference goes.
    Remove {
        /// Which of both.
        kind: ItemKind,
        /// Its name.
        name: String,
    },
    /// The system prompt.
    Prompt(String),
    /// Settings that hold in new sessions; what is not given stays.
    Settings(SessionOverrides),
    /// What the card says.
    Metadata(MetadataChange),
    /// When tools are part of a session.
    Include {
        /// Which tools.
        scope: ToolScope,
        /// When.
        include: Include,
    },
    /// An MCP server under this name, as `mcp.json` would say it; none takes it away.
    Server {
        /// The name.
        name: String,
        /// How to reach it.
        entry: Option<Json>,
    },
    /// Work that the agent offers as an MCP tool under this name; none takes it away.
    Export {
        /// The name.
        name: String,
        /// `description`, `parameters` and `prompt`.
        entry: Option<Json>,
    },
    /// A service that its models are reached through, as the definition would say it; none takes it away.
    Provider {
        /// Its id, or another name of it.
        id: String,
        /// Keys and settings.
        entry: Option<Json>,
    },
}

/// A rule or reference, as far as it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemDraft {
    /// Which.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// From 0 to 999.
    pub priority: Option<u16>,
    /// When it is part of what the model is given.
    pub include: Option<Include>,
    /// The whole text.
    pub text: Option<String>,
}

/// What a card is to say; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataChange {
    /// The name that people see.
    pub title: Option<String>,
    /// What the agent is for.
    pub description: Option<String>,
    /// The definition's own version.
    pub version: Option<String>,
    /// Who makes it.
    pub provider: Option<Provider>,
    /// Its picture.
    pub icon_url: Option<String>,
    /// Where to read about it.
    pub documentation_url: Option<String>,
    /// Whether it works without anybody to ask.
    pub autonomous: Option<bool>,
}
