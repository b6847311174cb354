//! Whether a tool is offered to the model.

use super::{
    Decision, Session,
    arguments::Arguments,
    decide::{changes_itself_alone, done_with, is_named},
    word::{Named, Precision, Said, Word, precision, strongest},
};
use baton_types::{Permission, PermissionRule, ToolPolicy, ToolSpec};

/// Whether a tool is offered to the model. It is consistent with [`super::decide_permission`]: a tool that is not offered never
/// runs, and an offered tool is never denied because approval is impossible, apart from its arguments.
pub fn offers(policy: &ToolPolicy, session: &Session<'_>, tool: &ToolSpec) -> bool {
    if changes_itself_alone(session, tool) || !is_named(session, tool) {
        return false;
    }
    let (named, unknown) = (Named::of(tool), Arguments::of(None));
    let Word::Said(own) = strongest(&tool.rules, named, &unknown, (Precision::Default, tool.permission)) else {
        return false;
    };
    let Word::Said(usual) = strongest(&policy.rules, named, &unknown, own) else { return false };
    let may = |said: Permission| !matches!(done_with(session, said), Decision::Deny(_));
    // Precision of the most precise rule that permits calls with certain arguments.
    let lets = |rules: &[PermissionRule]| {
        let letting = rules.iter().filter(|rule| !rule.arguments.is_empty() && may(rule.permission));
        letting.filter_map(|rule| precision(rule, named)).max().unwrap_or(Precision::Default)
    };
    let policy_lets = lets(&policy.rules);
    if own != (Precision::Default, Permission::Deny) {
        return may(usual.1) || lets(&tool.rules).max(policy_lets) > usual.0;
    }
    // A tool that is denied except for some calls: these need a rule of the tool that permits them, and no stronger
    // denial.
    let excepted = tool.rules.iter().filter(|rule| rule.permission != Permission::Deny);
    let mut words = excepted.filter_map(|rule| Some((precision(rule, named)?, rule.permission)));
    words.any(|word| {
        let said: Said = word.max(usual);
        may(said.1) || policy_lets > said.0
    })
}
