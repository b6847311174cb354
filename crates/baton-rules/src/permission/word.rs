//! Precedence of permission rules.

use super::{arguments::Arguments, glob_matches};
use baton_types::{Permission, PermissionRule, ToolPolicy, ToolSpec};

/// Precision of a rule; the more precise rule takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precision {
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
pub(super) type Said = (Precision, Permission);

/// Names of a tool for rule matching.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) server: Option<&'a str>,
    pub(super) tool: &'a str,
}

impl<'a> Named<'a> {
    pub(super) fn of(tool: &'a ToolSpec) -> Self {
        match tool.at_server() {
            Some((server, tool)) => Self { server: Some(server), tool },
            None => Self { server: None, tool: &tool.name },
        }
    }
}

/// Precision of a rule for a tool; none if it does not match.
pub(super) fn precision(rule: &PermissionRule, named: Named<'_>) -> Option<Precision> {
    is_about(rule, named).then(|| at_most(rule, named))
}

/// Precision of a rule for a tool, assuming that it matches.
fn at_most(rule: &PermissionRule, named: Named<'_>) -> Precision {
    match (rule.tool == named.tool, rule.arguments.is_empty()) {
        (true, false) => Precision::NameWithArguments,
        (true, true) => Precision::Name,
        (false, false) => Precision::GlobWithArguments,
        (false, true) => Precision::Glob,
    }
}

fn is_about(rule: &PermissionRule, named: Named<'_>) -> bool {
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
pub(super) enum Word {
    /// Permission with its precision; a denial only as the default of the tool.
    Said(Said),
    /// Denied by a rule for every call of the tool, or by its default.
    Denied,
    /// Denied by a rule for such arguments.
    ArgumentsDenied,
}

/// Resolves the permission of a call. A denial always wins; otherwise the most precise rule applies, and of two equally
/// precise ones the one that asks. If the default of the tool is a denial, only its own rules can permit calls: no
/// other file allows a call that the server's file denies.
pub(super) fn word(policy: &ToolPolicy, tool: &ToolSpec, arguments: &Arguments<'_>) -> Word {
    let named = Named::of(tool);
    let own = match strongest(&tool.rules, named, arguments, (Precision::Default, tool.permission)) {
        Word::Said((Precision::Default, Permission::Deny)) => return Word::Denied,
        Word::Said(own) => own,
        denied => return denied,
    };
    strongest(&policy.rules, named, arguments, own)
}

/// Strongest matching rule that is more precise than `least`.
pub(super) fn strongest<'l>(
    rules: &'l [PermissionRule],
    named: Named<'_>,
    arguments: &'l Arguments<'_>,
    least: Said,
) -> Word {
    let (mut best, mut look) = (least, arguments.look());
    for rule in rules {
        let said = (at_most(rule, named), rule.permission);
        let is_denial = rule.permission == Permission::Deny;
        // Globs and arguments are evaluated only if they can change the outcome.
        let matters = is_denial || said > best;
        if !matters || !is_about(rule, named) {
            continue;
        }
        if !(look.fits(&rule.arguments) || is_denial && look.is_unclear(&rule.arguments)) {
            continue;
        }
        if is_denial {
            return if rule.arguments.is_empty() { Word::Denied } else { Word::ArgumentsDenied };
        }
        best = said;
    }
    Word::Said(best)
}
