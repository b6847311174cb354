//! Whether a tool is offered to the model.

use super::decide::{PermissionContext, PermissionDecision, apply_session, changes_autonomous_agent, is_included};
use baton_types::{
    AgentSpec, Permission, PermissionRule, RankedPermission, RuleOutcome, RulePrecision, RuleSubject, ToolPolicy,
    ToolRunner, ToolSpec, strongest_rule,
};

/// Whether a client may call a tool directly, outside of a task. Built-in tools work only in tasks.
pub fn is_callable(agent: &AgentSpec, included: &[String], tool: &ToolSpec) -> bool {
    let session = PermissionContext::for_direct_call(agent, included);
    !matches!(tool.runner, ToolRunner::BuiltIn) && is_offered(&agent.policy, &session, tool)
}

/// Whether a tool is offered to the model. It is consistent with [`super::authorize_call`]: a tool that is not
/// offered never runs, and an offered tool is never denied because approval is impossible, apart from its arguments.
pub fn is_offered(policy: &ToolPolicy, session: &PermissionContext<'_>, tool: &ToolSpec) -> bool {
    if changes_autonomous_agent(session, tool) || !is_included(session, tool) {
        return false;
    }
    let subject = RuleSubject::from_tool(tool);
    let strongest = |rules, default| strongest_rule(rules, subject, default, PermissionRule::matches_all_arguments);
    let RuleOutcome::Ranked(own) = strongest(&tool.rules, (RulePrecision::Default, tool.permission)) else {
        return false;
    };
    let RuleOutcome::Ranked(ranked) = strongest(&policy.rules, own) else { return false };
    let is_possible =
        |permission: Permission| !matches!(apply_session(session, permission), PermissionDecision::Deny(_));
    // Precision of the most precise rule that permits calls with certain arguments.
    let allowing_precision = |rules: &[PermissionRule]| {
        let allowing = rules.iter().filter(|rule| !rule.arguments.is_empty() && is_possible(rule.permission));
        allowing.filter_map(|rule| subject.precision(rule)).max().unwrap_or(RulePrecision::Default)
    };
    let policy_precision = allowing_precision(&policy.rules);
    if own != (RulePrecision::Default, Permission::Deny) {
        return is_possible(ranked.1) || allowing_precision(&tool.rules).max(policy_precision) > ranked.0;
    }
    // A tool that is denied except for some calls: these need a rule of the tool that permits them, and no stronger
    // denial.
    let excepted = tool.rules.iter().filter(|rule| rule.permission != Permission::Deny);
    let mut exceptions = excepted.filter_map(|rule| Some((subject.precision(rule)?, rule.permission)));
    exceptions.any(|exception| {
        let strongest: RankedPermission = exception.max(ranked);
        is_possible(strongest.1) || policy_precision > strongest.0
    })
}
