//! Precedence of permission rules.

use super::glob_matches;
use crate::{Permission, PermissionRule, ToolSpec};

/// Precision of a rule; the more precise rule takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RulePrecision {
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
pub type RankedPermission = (RulePrecision, Permission);

/// Names of a tool for rule matching.
#[derive(Clone, Copy, Debug)]
pub struct RuleSubject<'a> {
    /// Name of the tool's MCP server.
    pub server: Option<&'a str>,
    /// Name of the tool, as named by its server.
    pub tool: &'a str,
}

impl<'a> RuleSubject<'a> {
    /// Names of this tool.
    pub fn from_tool(tool: &'a ToolSpec) -> Self {
        match tool.mcp_server_and_tool() {
            Some((server, tool)) => Self { server: Some(server), tool },
            None => Self { server: None, tool: &tool.name },
        }
    }

    /// Precision of a rule for this tool; none if it is for other tools.
    pub fn precision(self, rule: &PermissionRule) -> Option<RulePrecision> {
        self.is_matched_by(rule).then(|| self.max_precision(rule))
    }

    fn is_matched_by(self, rule: &PermissionRule) -> bool {
        let is_tool = rule.tool == self.tool || glob_matches(&rule.tool, self.tool);
        is_tool
            && match (&rule.server, self.server) {
                (None, _) => true,
                (Some(glob), Some(server)) => glob_matches(glob, server),
                (Some(_), None) => false,
            }
    }

    /// Precision of a rule for this tool, assuming that it matches.
    fn max_precision(self, rule: &PermissionRule) -> RulePrecision {
        match (rule.tool == self.tool, rule.arguments.is_empty()) {
            (true, false) => RulePrecision::NameWithArguments,
            (true, true) => RulePrecision::Name,
            (false, false) => RulePrecision::GlobWithArguments,
            (false, true) => RulePrecision::Glob,
        }
    }
}

/// Permission of a call before session settings are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOutcome {
    /// Permission with its precision; a denial only as the default of the tool.
    Ranked(RankedPermission),
    /// Denied by a rule for every call of the tool, or by its default.
    Denied,
    /// Denied by a rule for such arguments.
    ArgumentsDenied,
}

/// Strongest matching rule that is more precise than `default`; `applies` compares the arguments of a rule with those
/// of the call.
pub fn strongest_rule<'l>(
    rules: &'l [PermissionRule],
    subject: RuleSubject<'_>,
    default: RankedPermission,
    mut applies: impl FnMut(&'l PermissionRule) -> bool,
) -> RuleOutcome {
    let mut best = default;
    for rule in rules {
        let candidate = (subject.max_precision(rule), rule.permission);
        let is_denial = rule.permission == Permission::Deny;
        // Globs and arguments are evaluated only if they can change the outcome.
        let matters = is_denial || candidate > best;
        if !matters || !subject.is_matched_by(rule) || !applies(rule) {
            continue;
        }
        if is_denial {
            return if rule.arguments.is_empty() { RuleOutcome::Denied } else { RuleOutcome::ArgumentsDenied };
        }
        best = candidate;
    }
    RuleOutcome::Ranked(best)
}
