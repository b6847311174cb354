//! Selection of the rule that answers.

use super::{
    condition::RuleMatch,
    fallback::must_call,
    input::PlaybookInput,
    rule::{PlaybookRule, PlaybookRules, RuleAction},
};
use baton_ports::ToolChoice;

/// The first rule that matches and complies with the tool choice of the caller.
pub(super) fn choose_rule<'a>(
    script: &'a PlaybookRules,
    scene: &PlaybookInput<'_>,
    model: &str,
) -> Option<(&'a PlaybookRule, RuleMatch)> {
    script
        .rules
        .iter()
        .filter(|rule| is_allowed(&rule.action, scene))
        .find_map(|rule| rule.when.matches(scene, model).map(|matched| (rule, matched)))
}

fn is_allowed(action: &RuleAction, scene: &PlaybookInput<'_>) -> bool {
    match &scene.call.tool_choice {
        ToolChoice::Auto => true,
        ToolChoice::None => action.calls.is_empty(),
        ToolChoice::Required => !must_call(scene) || !action.calls.is_empty(),
        ToolChoice::Named(name) => !must_call(scene) || action.calls.iter().any(|call| call.tool == *name),
    }
}
