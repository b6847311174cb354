//! Authorization of a call: the permission decision, and the answer to an approval request.

use super::decide::{PermissionContext, PermissionDecision, decide_permission};
use baton_types::{Json, ToolPolicy, ToolSpec};

/// Completes "because", for a call that was declined.
const DECLINED_REASON: &str = "it was not allowed";

/// Authorization of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallAuthorization {
    /// The call runs without an approval of its own.
    Allowed,
    /// The call was approved and runs.
    Approved,
    /// Approval is requested first.
    ApprovalRequired,
    /// Approval was requested and declined; the call does not run.
    Declined,
    /// The call does not run; the reason is for the model and completes "because".
    Denied(&'static str),
}

/// Authorizes a call; every surface that runs tools uses this function. `approval` is the answer to the approval request
/// of this call, if there is one. A denial takes precedence over any answer, and a declined call never runs.
pub fn authorize_call(
    policy: &ToolPolicy,
    session: &PermissionContext<'_>,
    tool: &ToolSpec,
    arguments: Option<&Json>,
    approval: Option<bool>,
) -> CallAuthorization {
    match (decide_permission(policy, session, tool, arguments), approval) {
        (PermissionDecision::Deny(reason), _) => CallAuthorization::Denied(reason),
        (_, Some(false)) => CallAuthorization::Declined,
        (_, Some(true)) => CallAuthorization::Approved,
        (PermissionDecision::Run, None) => CallAuthorization::Allowed,
        (PermissionDecision::Ask, None) => CallAuthorization::ApprovalRequired,
    }
}

impl CallAuthorization {
    /// Applies an approval of the tool for the rest of the session. It replaces a missing answer, never a denial.
    #[must_use]
    pub fn with_grant(self, is_granted: bool) -> Self {
        match self {
            Self::ApprovalRequired if is_granted => Self::Allowed,
            authorization => authorization,
        }
    }

    /// Stable name, as recorded in spans.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allow",
            Self::Approved => "approved",
            Self::ApprovalRequired => "ask",
            Self::Declined => "declined",
            Self::Denied(_) => "deny",
        }
    }

    /// Why the call never runs; completes "because". `None` if it runs, now or after an approval.
    pub fn refusal_reason(self) -> Option<&'static str> {
        match self {
            Self::Allowed | Self::Approved | Self::ApprovalRequired => None,
            Self::Declined => Some(DECLINED_REASON),
            Self::Denied(reason) => Some(reason),
        }
    }

    /// Clause that reports a call that never runs, without a final period.
    pub fn refusal(self, tool: &str) -> Option<String> {
        self.refusal_reason().map(|reason| format!("'{tool}' did not run, because {reason}"))
    }
}
