//! Authorization of calls: permission, answer to the approval request, and grants of the session.

use super::{
    permission_cases::{CallOutcome, permission_cases},
    permissions::mcp_tool,
};
use baton_rules::{CallAuthorization, PermissionContext, authorize_call, is_offered};
use baton_types::{ApprovalMode, Json, Permission, ToolPolicy, ToolSpec};
use proptest::{option, prelude::*, sample::select};

#[test]
fn permission_cases_have_their_outcome() {
    for case in permission_cases() {
        let tool = case.tool(&mcp_tool("fs", "read"));
        let session = PermissionContext { autonomous: false, ask: case.policy.ask, included: &[] };
        assert_eq!(is_offered(&case.policy, &session, &tool), case.is_offered, "{}", case.name);
        let arguments = Json::parse(&format!("{{\"path\": {:?}}}", case.path)).unwrap();
        let authorize = |approval| authorize_call(&case.policy, &session, &tool, Some(&arguments), approval);
        let first = authorize(None);
        let is_asked = first == CallAuthorization::ApprovalRequired;
        let last = if is_asked { authorize(Some(case.is_approved)) } else { first };
        assert_ne!(last, CallAuthorization::ApprovalRequired, "{}", case.name);
        let CallOutcome { is_asked: expect, refusal } = case.outcome;
        assert_eq!(is_asked, expect, "{}", case.name);
        match (last.refusal("fs_read"), refusal) {
            (None, None) => {}
            (Some(text), Some(reason)) => {
                assert!(text.starts_with(&format!("'fs_read' did not run, because {reason}")), "{}: {text}", case.name);
            }
            other => panic!("{}: {other:?}", case.name),
        }
    }
}

proptest! {
    /// A denial takes precedence over answers and grants, a declined call never runs, and a grant only replaces a missing
    /// answer.
    #[test]
    fn answers_and_grants_never_override_a_denial(
        permission in select(vec![Permission::Allow, Permission::Ask, Permission::Deny]),
        ask in select(vec![ApprovalMode::Always, ApprovalMode::Never, ApprovalMode::Tool]),
        autonomous: bool,
        approval in option::of(any::<bool>()),
        granted: bool,
    ) {
        let tool = ToolSpec { permission, ..mcp_tool("fs", "read") };
        let session = PermissionContext { autonomous, ask, included: &[] };
        let authorize = |approval| authorize_call(&ToolPolicy::default(), &session, &tool, None, approval);
        let outcome = authorize(approval).with_grant(granted);
        match (authorize(None), approval, granted) {
            (denied @ CallAuthorization::Denied(_), ..) => prop_assert_eq!(outcome, denied),
            (_, Some(false), _) => prop_assert_eq!(outcome, CallAuthorization::Declined),
            (_, Some(true), _) => prop_assert_eq!(outcome, CallAuthorization::Approved),
            (CallAuthorization::ApprovalRequired, None, true) => prop_assert_eq!(outcome, CallAuthorization::Allowed),
            (unanswered, None, _) => prop_assert_eq!(outcome, unanswered),
        }
        let runs = matches!(outcome, CallAuthorization::Allowed | CallAuthorization::Approved);
        let waits = outcome == CallAuthorization::ApprovalRequired;
        prop_assert_eq!(outcome.refusal_reason().is_some(), !runs && !waits);
    }
}
