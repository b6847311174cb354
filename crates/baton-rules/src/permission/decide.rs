//! Permission decision for a call.

use super::{arguments::RuleArguments, precedence::resolve_rules};
use baton_types::{
    AgentSpec, ApprovalMode, Effects, InclusionMode, Json, Permission, RuleOutcome, RuleSubject, ToolPolicy, ToolSpec,
};

const DENIED_REASON: &str = "the agent's permissions deny it; continue without it, or use another tool";
const ARGUMENTS_DENIED_REASON: &str =
    "the agent's permissions deny calls with such arguments; other arguments may be allowed";
const NO_APPROVER_REASON: &str = "it needs approval, and in this session no one can be asked; continue without it, \
                             or use another tool";
const SELF_CHANGE_REASON: &str = "an autonomous agent cannot change itself or its session; continue without it, or use another \
                         tool, and say in the answer what should be changed";
const NOT_INCLUDED_REASON: &str =
    "it is available only in sessions that include it; continue without it, or use another tool";

/// Session settings that affect permissions.
#[derive(Clone, Copy, Debug)]
pub struct PermissionContext<'a> {
    /// Whether no person can be asked.
    pub autonomous: bool,
    /// When approval is requested.
    pub ask: ApprovalMode,
    /// Explicitly included tools, by their name for models or on their server.
    pub included: &'a [String],
}

impl<'a> PermissionContext<'a> {
    /// Context of a call by a client, outside of a task. It is not autonomous, because the client can ask its user or
    /// declares that it cannot.
    pub fn for_direct_call(agent: &AgentSpec, included: &'a [String]) -> Self {
        Self { autonomous: false, ask: agent.policy.ask, included }
    }
}

/// Permission of a call before any answer of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PermissionDecision {
    /// The call runs.
    Run,
    /// Approval is requested first.
    Ask,
    /// The call does not run; the reason is for the model and completes "because".
    Deny(&'static str),
}

/// Decides about a call; `None` as arguments means that they are unknown.
pub(super) fn decide_permission(
    policy: &ToolPolicy,
    session: &PermissionContext<'_>,
    tool: &ToolSpec,
    arguments: Option<&Json>,
) -> PermissionDecision {
    let permission = match resolve_rules(policy, tool, &RuleArguments::new(arguments)) {
        RuleOutcome::Ranked((_, permission)) => permission,
        RuleOutcome::Denied => return PermissionDecision::Deny(DENIED_REASON),
        RuleOutcome::ArgumentsDenied => return PermissionDecision::Deny(ARGUMENTS_DENIED_REASON),
    };
    if changes_autonomous_agent(session, tool) {
        return PermissionDecision::Deny(SELF_CHANGE_REASON);
    }
    if !is_included(session, tool) {
        return PermissionDecision::Deny(NOT_INCLUDED_REASON);
    }
    apply_session(session, permission)
}

/// Applies the session settings to a permission.
pub(super) fn apply_session(session: &PermissionContext<'_>, permission: Permission) -> PermissionDecision {
    let needs_approval = match (permission, session.ask) {
        (Permission::Deny, _) => return PermissionDecision::Deny(DENIED_REASON),
        (_, ApprovalMode::Always) => true,
        (_, ApprovalMode::Never) => false,
        (permission, ApprovalMode::Tool) => permission == Permission::Ask,
    };
    match (needs_approval, session.autonomous) {
        (false, _) => PermissionDecision::Run,
        (true, false) => PermissionDecision::Ask,
        (true, true) => PermissionDecision::Deny(NO_APPROVER_REASON),
    }
}

/// Whether the tool would change an autonomous agent. This is never allowed, whatever the definition permits.
pub(super) fn changes_autonomous_agent(session: &PermissionContext<'_>, tool: &ToolSpec) -> bool {
    session.autonomous && tool.effects == Effects::OwnAgent
}

/// Whether the tool is part of the session. Tools included by relevance count as part of it.
pub(super) fn is_included(session: &PermissionContext<'_>, tool: &ToolSpec) -> bool {
    let name_on_server = RuleSubject::from_tool(tool).tool;
    match tool.include {
        InclusionMode::Always | InclusionMode::Agent => true,
        InclusionMode::Manual => session.included.iter().any(|name| *name == tool.name || name == name_on_server),
    }
}
