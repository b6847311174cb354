//! Which of the words about a call counts.

use super::{arguments::Arguments, glob_matches};
use baton_types::{Permission, PermissionRule, ToolPolicy, ToolSpec};

/// How precisely a rule speaks of a call; the more precise word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precision {
    /// The word for calls that no rule is about.
    Default,
    /// A glob of tools.
    Glob,
    /// A glob of tools, and arguments.
    GlobWithArguments,
    /// The tool's name.
    Name,
    /// The tool's name, and arguments.
    NameWithArguments,
}

/// A word with the precision of the rule that says it; of two that are as precise the stricter one is greater.
pub(super) type Said = (Precision, Permission);

/// A tool by the names that rules know.
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

/// How precisely a rule speaks of a tool; not at all when it is about others.
pub(super) fn precision(rule: &PermissionRule, named: Named<'_>) -> Option<Precision> {
    is_about(rule, named).then(|| at_most(rule, named))
}

/// How precisely a rule speaks of a tool if it does.
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

/// What holds for a call, before anybody's setting is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Said with this precision; never a denial.
    Said(Said),
    /// A rule about every call of the tool, or nothing but its own word, denies it.
    Denied,
    /// A rule about such arguments denies it.
    ArgumentsDenied,
}

/// A denial counts whatever else is said; otherwise the most precise word does, and of two as precise asking. A tool
/// whose own word is a denial can be let through by its own rules only: what its server's file denies no other file
/// allows.
pub(super) fn word(policy: &ToolPolicy, tool: &ToolSpec, arguments: &Arguments<'_>) -> Word {
    let named = Named::of(tool);
    let own = match strongest(&tool.rules, named, arguments, (Precision::Default, tool.permission)) {
        Word::Said((Precision::Default, Permission::Deny)) => return Word::Denied,
        Word::Said(own) => own,
        denied => return denied,
    };
    strongest(&policy.rules, named, arguments, own)
}

/// The greatest of the words that fit a call and are more precise than `least`.
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
        // Globs and arguments are looked at only where they can change something.
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
