//! Permission of a call by the rules of its tool and of the agent.

use super::arguments::RuleArguments;
use baton_types::{
    Permission, PermissionRule, RankedPermission, RuleOutcome, RulePrecision, RuleSubject, ToolPolicy, ToolSpec,
    strongest_rule,
};

/// Resolves the permission of a call. A denial always wins; otherwise the most precise rule applies, and of two equally
/// precise ones the one that asks. If the default of the tool is a denial, only its own rules can permit calls: no
/// other file allows a call that the server's file denies.
pub(super) fn resolve_rules(policy: &ToolPolicy, tool: &ToolSpec, arguments: &RuleArguments<'_>) -> RuleOutcome {
    let subject = RuleSubject::from_tool(tool);
    let own = match strongest_for(&tool.rules, subject, arguments, (RulePrecision::Default, tool.permission)) {
        RuleOutcome::Ranked((RulePrecision::Default, Permission::Deny)) => return RuleOutcome::Denied,
        RuleOutcome::Ranked(own) => own,
        denied => return denied,
    };
    strongest_for(&policy.rules, subject, arguments, own)
}

/// Strongest rule that applies to these arguments.
fn strongest_for<'l>(
    rules: &'l [PermissionRule],
    subject: RuleSubject<'_>,
    arguments: &'l RuleArguments<'_>,
    default: RankedPermission,
) -> RuleOutcome {
    let mut matcher = arguments.matcher();
    strongest_rule(rules, subject, default, |rule| {
        matcher.matches(&rule.arguments) || rule.permission == Permission::Deny && matcher.is_ambiguous(&rule.arguments)
    })
}
