//! Whether a tool is shown to the model.

use super::{
    Decision, Session,
    arguments::Arguments,
    decide::{changes_itself_alone, done_with, is_named},
    word::{Named, Precision, Said, Word, precision, strongest},
};
use baton_types::{Permission, PermissionRule, ToolPolicy, ToolSpec};

/// Whether a tool is offered to the model. What is offered can be called: nothing that this refuses is run by
/// [`super::decide`], and nothing that this offers is refused for want of somebody to ask, arguments aside.
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
    // The most precise word that lets calls with certain arguments through.
    let lets = |rules: &[PermissionRule]| {
        let letting = rules.iter().filter(|rule| !rule.arguments.is_empty() && may(rule.permission));
        letting.filter_map(|rule| precision(rule, named)).max().unwrap_or(Precision::Default)
    };
    let policy_lets = lets(&policy.rules);
    if own != (Precision::Default, Permission::Deny) {
        return may(usual.1) || lets(&tool.rules).max(policy_lets) > usual.0;
    }
    // A tool that is denied but for some of its calls: these need a rule of its own, and then a word that lets them.
    let excepted = tool.rules.iter().filter(|rule| rule.permission != Permission::Deny);
    let mut words = excepted.filter_map(|rule| Some((precision(rule, named)?, rule.permission)));
    words.any(|word| {
        let said: Said = word.max(usual);
        may(said.1) || policy_lets > said.0
    })
}
