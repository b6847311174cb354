//! Answer of the playbook when no rule matches.

use super::{
    input::PlaybookInput,
    plan::{AnswerPlan, AnswerStep, sample_answer},
    rule::PlaybookOptions,
};
use baton_ports::{FinishReason, OutputFormat, ToolChoice};
use baton_types::{ToolRunner, ToolSpec};
use std::collections::BTreeSet;

/// Plans, in this order: a required tool call, requested JSON, a call of a tool that fits the message, or a default
/// text.
pub(super) fn plan_fallback(scene: &PlaybookInput<'_>, options: &PlaybookOptions) -> AnswerPlan {
    let tool = find_required_tool(scene).or_else(|| match scene.call.format {
        OutputFormat::Text => find_matching_tool(scene),
        OutputFormat::JsonObject | OutputFormat::JsonSchema(_) => None,
    });
    if let Some(tool) = tool {
        return AnswerPlan::from_sample_call(scene, &tool.name, options.pace, options.seed, options.usage);
    }
    let text = match scene.call.format {
        OutputFormat::Text => default_text(scene),
        OutputFormat::JsonObject | OutputFormat::JsonSchema(_) => sample_answer(scene, options.seed),
    };
    AnswerPlan::from_steps(scene, vec![AnswerStep::Say(text)], options.pace, options.usage, FinishReason::Stop)
}

fn find_required_tool<'a>(scene: &PlaybookInput<'a>) -> Option<&'a ToolSpec> {
    if !must_call(scene) {
        return None;
    }
    match &scene.call.tool_choice {
        ToolChoice::Named(name) => scene.call.tools.iter().find(|tool| tool.name == *name),
        ToolChoice::Required => {
            // Built-in tools, such as handoff and rejection, are the last choice when any tool is allowed.
            let own = scene.call.tools.iter().find(|tool| tool.runner != ToolRunner::BuiltIn);
            own.or_else(|| scene.call.tools.first())
        }
        ToolChoice::Auto | ToolChoice::None => None,
    }
}

/// Whether the caller requires a tool call. Satisfied after one call; otherwise the run would never end.
pub(super) fn must_call(scene: &PlaybookInput<'_>) -> bool {
    match &scene.call.tool_choice {
        ToolChoice::Required => scene.called.is_empty() && !scene.call.tools.is_empty(),
        ToolChoice::Named(name) => !scene.called.contains(&name.as_str()),
        ToolChoice::Auto | ToolChoice::None => false,
    }
}

/// The only tool, not called yet, whose name has a word in common with the message.
fn find_matching_tool<'a>(scene: &PlaybookInput<'a>) -> Option<&'a ToolSpec> {
    if scene.call.tool_choice == ToolChoice::None || !scene.results.is_empty() {
        return None;
    }
    let message_words = words(&scene.user);
    let mut fitting = scene.call.tools.iter().filter(|tool| {
        tool.runner != ToolRunner::BuiltIn
            && !scene.called.contains(&tool.name.as_str())
            && !words(&tool.name).is_disjoint(&message_words)
    });
    let first = fitting.next();
    if fitting.next().is_some() { None } else { first }
}

/// Lower-case words of at least three letters, without a plural `s`; `getWeather` and `get_weather` are two words.
fn words(text: &str) -> BTreeSet<String> {
    const TOO_COMMON: [&str; 12] =
        ["get", "set", "the", "and", "for", "tool", "with", "from", "new", "all", "run", "use"];
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut before_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && before_lower {
            spaced.push(' ');
        }
        before_lower = c.is_lowercase();
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    let lower = spaced.to_lowercase();
    let words = lower.split_whitespace().filter(|word| word.chars().count() >= 3 && !TOO_COMMON.contains(word));
    words.map(|word| word.strip_suffix('s').unwrap_or(word).to_owned()).collect()
}

fn default_text(scene: &PlaybookInput<'_>) -> String {
    if !scene.results.is_empty() {
        let lines = scene.results.iter().map(|outcome| {
            let verb = if outcome.is_error { "failed" } else { "answered" };
            format!("{} {verb}: {}", outcome.tool, outcome.output.to_plain_text())
        });
        return lines.collect::<Vec<_>>().join("\n");
    }
    format!(
        "I am Baton's built-in playbook: I answer by rules from a file, I am not an AI model, and no rule fits your \
         message.\nTools I can call: {}.\nTo teach me an answer, add a rule to playbook.yaml beside agent.yaml. To \
         connect a real model, set `model:` in agent.yaml.",
        scene.tool_names()
    )
}
