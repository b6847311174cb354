//! Management operations and their tool names.

/// Kind of a named part of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Rule,
    Reference,
    Export,
    Server,
    Provider,
}

impl PartKind {
    pub(super) const ALL: [Self; 5] = [Self::Rule, Self::Reference, Self::Export, Self::Server, Self::Provider];

    /// Singular noun in tool names.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Reference => "reference",
            Self::Export => "exported_tool",
            Self::Server => "mcp_server",
            Self::Provider => "provider",
        }
    }

    /// Argument that selects the part.
    pub(super) fn argument(self) -> &'static str {
        match self {
            Self::Provider => "providerType",
            _ => "name",
        }
    }

    /// Singular noun for people.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Reference => "reference",
            Self::Export => "exported tool",
            Self::Server => "MCP server",
            Self::Provider => "provider",
        }
    }
}

/// Action on a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartAction {
    List,
    Get,
    Add,
    Update,
    Delete,
    /// Checks whether the part could be added or updated.
    Validate,
}

impl PartAction {
    const ALL: [Self; 5] = [Self::List, Self::Get, Self::Add, Self::Update, Self::Delete];

    /// Tool name of the action on a kind; providers are "installed" and their keys are a "config".
    fn tool(self, kind: PartKind) -> String {
        let noun = kind.noun();
        match (self, kind) {
            (Self::Get, PartKind::Provider) => "agent_get_provider_config".to_owned(),
            (Self::Add, PartKind::Provider) => "agent_install_provider".to_owned(),
            (Self::Delete, PartKind::Provider) => "agent_uninstall_provider".to_owned(),
            (Self::Validate, _) => format!("agent_validate_{noun}_config"),
            (Self::List, _) => format!("agent_list_{noun}s"),
            (Self::Get, _) => format!("agent_get_{noun}"),
            (Self::Add, _) => format!("agent_add_{noun}"),
            (Self::Update, _) => format!("agent_update_{noun}"),
            (Self::Delete, _) => format!("agent_delete_{noun}"),
        }
    }
}

/// Operation of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ManageOperation {
    List,
    Info,
    Create,
    Delete,
    Clone,
    Settings,
    UpdateSettings,
    Prompt,
    SetPrompt,
    Metadata,
    UpdateMetadata,
    Part(PartKind, PartAction),
}

impl ManageOperation {
    /// All operations, in list order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let agent_operations = [
            Self::List,
            Self::Info,
            Self::Create,
            Self::Delete,
            Self::Clone,
            Self::Settings,
            Self::UpdateSettings,
            Self::Prompt,
            Self::SetPrompt,
            Self::Metadata,
            Self::UpdateMetadata,
        ];
        let parts = PartKind::ALL.into_iter().flat_map(|kind| PartAction::ALL.map(|action| Self::Part(kind, action)));
        agent_operations.into_iter().chain(parts).chain([Self::Part(PartKind::Provider, PartAction::Validate)])
    }

    /// The operation of the tool with this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|verb| verb.name() == name)
    }

    /// Name of the tool.
    pub(super) fn name(self) -> String {
        let name = match self {
            Self::List => "list",
            Self::Info => "get_info",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Clone => "clone",
            Self::Settings => "get_settings",
            Self::UpdateSettings => "update_settings",
            Self::Prompt => "get_system_prompt",
            Self::SetPrompt => "set_system_prompt",
            Self::Metadata => "get_metadata",
            Self::UpdateMetadata => "update_metadata",
            Self::Part(kind, action) => return action.tool(kind),
        };
        format!("agent_{name}")
    }

    /// Whether the operation only reads.
    pub(super) fn is_read_only(self) -> bool {
        matches!(
            self,
            Self::List
                | Self::Info
                | Self::Settings
                | Self::Prompt
                | Self::Metadata
                | Self::Part(_, PartAction::List | PartAction::Get | PartAction::Validate)
        )
    }

    /// Whether the operation deletes data irrecoverably.
    pub(super) fn is_destructive(self) -> bool {
        matches!(self, Self::Delete | Self::Part(_, PartAction::Delete))
    }
}
