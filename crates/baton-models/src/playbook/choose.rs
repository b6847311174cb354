//! Selection of the rule that answers.

use super::{
    condition::Matched,
    fallback::must_call,
    rule::{Action, Rule, Script},
    scene::Scene,
};
use baton_ports::ToolChoice;

/// The first rule that matches and complies with the tool choice of the caller.
pub(super) fn choose<'a>(script: &'a Script, scene: &Scene<'_>, model: &str) -> Option<(&'a Rule, Matched)> {
    script
        .rules
        .iter()
        .filter(|rule| allowed(&rule.action, scene))
        .find_map(|rule| rule.when.matches(scene, model).map(|matched| (rule, matched)))
}

fn allowed(action: &Action, scene: &Scene<'_>) -> bool {
    match &scene.call.tool_choice {
        ToolChoice::Auto => true,
        ToolChoice::None => action.calls.is_empty(),
        ToolChoice::Required => !must_call(scene) || !action.calls.is_empty(),
        ToolChoice::Named(name) => !must_call(scene) || action.calls.iter().any(|call| call.tool == *name),
    }
}
