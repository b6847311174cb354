//! Effective tool settings of a task: from the agent definition and from the caller.

use crate::{CallAuthorization, PermissionContext, SessionRecord, TaskRecord, authorize_call};
use baton_types::{
    AgentSpec, ApprovalMode, InclusionMode, ItemKind, ItemName, Json, RequestContext, Role, ToolPolicy, ToolSpec,
};
use serde::Deserialize;

/// Member of message metadata with the session settings of a caller.
pub const SESSION_MEMBER: &str = "dev.baton/session";

/// Effective tool settings of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionToolSettings {
    /// Whether no person can be asked.
    pub autonomous: bool,
    /// When approval is requested.
    pub ask: ApprovalMode,
    /// Explicitly included tools.
    pub included: Vec<String>,
    /// Excluded tools, regardless of the definition.
    pub excluded: Vec<String>,
    /// Tools selected by relevance; none before the selection, when all candidates are available.
    pub chosen: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct SessionMetadata {
    #[serde(rename = "dev.baton/session")]
    session: Option<SessionRequest>,
}

#[derive(Deserialize)]
struct SessionRequest {
    tool_permission: Option<ApprovalMode>,
    #[serde(default)]
    include: Vec<String>,
}

impl SessionToolSettings {
    /// Collects the current settings; later messages override earlier ones.
    pub fn from_task(task: &TaskRecord, agent: &AgentSpec) -> Self {
        let autonomous = task.autonomous || agent.autonomous;
        let ask = agent.policy.ask;
        let chosen = task.request.as_ref().map(|(_, request)| chosen_tools(request));
        let mut settings = Self { autonomous, ask, included: Vec::new(), excluded: Vec::new(), chosen };
        let messages = task.history.iter().chain(&task.waiting).filter(|message| message.role == Role::User);
        for metadata in messages.filter_map(|message| message.metadata.as_ref()) {
            if !metadata.as_str().contains(SESSION_MEMBER) {
                continue;
            }
            let Some(overrides) = metadata.read::<SessionMetadata>().ok().and_then(|metadata| metadata.session) else {
                continue;
            };
            settings.ask = overrides.tool_permission.unwrap_or(settings.ask);
            settings.included.extend(overrides.include);
        }
        settings
    }

    /// Adds the items of the session record.
    #[must_use]
    pub fn with_record(mut self, record: &SessionRecord) -> Self {
        let tools = |items: &[ItemName]| {
            let tools = items.iter().filter(|item| item.kind == ItemKind::Tool);
            tools.map(|item| item.name.clone()).collect::<Vec<_>>()
        };
        self.included.extend(tools(&record.included));
        self.excluded.extend(tools(&record.excluded));
        self
    }

    /// Reason why a tool is not part of the session or the request, regardless of permissions; completes "because".
    pub fn exclusion_reason(&self, tool: &ToolSpec) -> Option<&'static str> {
        let name_on_server = tool.mcp_server_and_tool().map_or(tool.name.as_str(), |(_, tool)| tool);
        let names = |list: &[String]| list.iter().any(|name| *name == tool.name || name == name_on_server);
        let is_chosen = || self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&tool.name));
        match tool.include {
            _ if names(&self.excluded) => {
                Some("it was removed from this session; continue without it, or use another tool")
            }
            InclusionMode::Agent if !names(&self.included) && !is_chosen() => {
                Some("it was not selected for this request; continue without it, or use another tool")
            }
            _ => None,
        }
    }

    /// Authorizes a call in the task; a tool that is not part of the session or the request never runs.
    pub fn authorize_call(
        &self,
        policy: &ToolPolicy,
        tool: &ToolSpec,
        arguments: &Json,
        approval: Option<bool>,
    ) -> CallAuthorization {
        match self.exclusion_reason(tool) {
            Some(reason) => CallAuthorization::Denied(reason),
            None => authorize_call(policy, &self.permission_context(), tool, Some(arguments), approval),
        }
    }

    /// Settings for the permission decision.
    pub fn permission_context(&self) -> PermissionContext<'_> {
        PermissionContext { autonomous: self.autonomous, ask: self.ask, included: &self.included }
    }
}

fn chosen_tools(request: &RequestContext) -> Vec<String> {
    let tools = request.items.iter().filter(|item| item.kind == ItemKind::Tool && item.include == InclusionMode::Agent);
    tools.map(|item| item.name.clone()).collect()
}
