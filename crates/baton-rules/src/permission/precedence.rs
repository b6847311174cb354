//! Precedence of permission rules.

use super::{arguments::RuleArguments, glob_matches};
use baton_types::{Permission, PermissionRule, ToolPolicy, ToolSpec};

/// Precision of a rule; the more precise rule takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RulePrecision {
    /// Default, if no rule matches.
    Default,
    /// Glob of tools.
    Glob,
    /// Glob of tools, with arguments.
    GlobWithArguments,
    /// Tool name.
    Name,
    /// Tool name, with arguments.
    NameWithArguments,
}

/// A permission with the precision of its rule. Of two equally precise ones the stricter is greater.
pub(super) type RankedPermission = (RulePrecision, Permission);

/// Names of a tool for rule matching.
#[derive(Clone, Copy)]
pub(super) struct RuleSubject<'a> {
    pub(super) server: Option<&'a str>,
    pub(super) tool: &'a str,
}

impl<'a> RuleSubject<'a> {
    pub(super) fn from_tool(tool: &'a ToolSpec) -> Self {
        match tool.mcp_server_and_tool() {
            Some((server, tool)) => Self { server: Some(server), tool },
            None => Self { server: None, tool: &tool.name },
        }
    }
}

/// Precision of a rule for a tool; none if it does not match.
pub(super) fn precision(rule: &PermissionRule, named: RuleSubject<'_>) -> Option<RulePrecision> {
    rule_matches(rule, named).then(|| max_precision(rule, named))
}

/// Precision of a rule for a tool, assuming that it matches.
fn max_precision(rule: &PermissionRule, named: RuleSubject<'_>) -> RulePrecision {
    match (rule.tool == named.tool, rule.arguments.is_empty()) {
        (true, false) => RulePrecision::NameWithArguments,
        (true, true) => RulePrecision::Name,
        (false, false) => RulePrecision::GlobWithArguments,
        (false, true) => RulePrecision::Glob,
    }
}

fn rule_matches(rule: &PermissionRule, named: RuleSubject<'_>) -> bool {
    let is_tool = rule.tool == named.tool || glob_matches(&rule.tool, named.tool);
    is_tool
        && match (&rule.server, named.server) {
            (None, _) => true,
            (Some(glob), Some(server)) => glob_matches(glob, server),
            (Some(_), None) => false,
        }
}

/// Permission of a call before session settings are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleOutcome {
    /// Permission with its precision; a denial only as the default of the tool.
    Ranked(RankedPermission),
    /// Denied by a rule for every call of the tool, or by its default.
    Denied,
    /// Denied by a rule for such arguments.
    ArgumentsDenied,
}

/// Resolves the permission of a call. A denial always wins; otherwise the most precise rule applies, and of two equally
/// precise ones the one that asks. If the default of the tool is a denial, only its own rules can permit calls: no
/// other file allows a call that the server's file denies.
pub(super) fn resolve_rules(policy: &ToolPolicy, tool: &ToolSpec, arguments: &RuleArguments<'_>) -> RuleOutcome {
    let named = RuleSubject::from_tool(tool);
    let own = match strongest_rule(&tool.rules, named, arguments, (RulePrecision::Default, tool.permission)) {
        RuleOutcome::Ranked((RulePrecision::Default, Permission::Deny)) => return RuleOutcome::Denied,
        RuleOutcome::Ranked(own) => own,
        denied => return denied,
    };
    strongest_rule(&policy.rules, named, arguments, own)
}

/// Strongest matching rule that is more precise than `default`.
pub(super) fn strongest_rule<'l>(
    rules: &'l [PermissionRule],
    named: RuleSubject<'_>,
    arguments: &'l RuleArguments<'_>,
    default: RankedPermission,
) -> RuleOutcome {
    let (mut best, mut matcher) = (default, arguments.matcher());
    for rule in rules {
        let candidate = (max_precision(rule, named), rule.permission);
        let is_denial = rule.permission == Permission::Deny;
        // Globs and arguments are evaluated only if they can change the outcome.
        let matters = is_denial || candidate > best;
        if !matters || !rule_matches(rule, named) {
            continue;
        }
        if !(matcher.matches(&rule.arguments) || is_denial && matcher.is_ambiguous(&rule.arguments)) {
            continue;
        }
        if is_denial {
            return if rule.arguments.is_empty() { RuleOutcome::Denied } else { RuleOutcome::ArgumentsDenied };
        }
        best = candidate;
    }
    RuleOutcome::Ranked(best)
}
