//! The planned answer, complete before the first chunk is sent.

use super::{
    condition::Matched,
    rule::{Ending, JsonSource, Pace, Rule, Speech, UsagePolicy, Wait},
    scene::Scene,
};
use crate::schema;
use baton_ports::{ChatMessage, FinishReason, ModelError, OutputFormat};
use baton_types::{CallId, Json, ToolCall, Usage};
use serde_json::{Value, json};

/// An answer as a list of steps.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) pace: Pace,
    pub(super) usage: Usage,
    pub(super) finish: FinishReason,
}

/// One step of an answer.
#[derive(Debug)]
pub(super) enum Step {
    Think(String),
    Wait(Wait),
    Say(String),
    /// The same text several times, each a separate chunk.
    Repeat(String, u64),
    /// Numbered filler text.
    Long(u64),
    Call(ToolCall),
    Fail(ModelError),
}

/// Text of one chunk of a long answer.
pub(super) fn long_piece(number: u64, pieces: u64) -> String {
    format!("This is part {number} of {pieces}. ")
}

impl Plan {
    /// Plan of a matching rule.
    pub(super) fn of_rule(scene: &Scene<'_>, rule: &Rule, matched: &Matched, seed: u64, usage: UsagePolicy) -> Self {
        let action = &rule.action;
        let mut steps = Vec::with_capacity(2);
        steps.extend(action.think.as_ref().map(|think| Step::Think(think.text(scene, matched))));
        steps.extend(action.wait.map(Step::Wait));
        match &action.speech {
            Some(Speech::Text { text, times: 1 }) => steps.push(Step::Say(text.text(scene, matched))),
            Some(Speech::Text { text, times }) => steps.push(Step::Repeat(text.text(scene, matched), *times)),
            Some(Speech::Long { pieces }) => steps.push(Step::Long(*pieces)),
            Some(Speech::Json(source)) => steps.push(Step::Say(match source {
                JsonSource::Schema => made_answer(scene, seed),
                JsonSource::Written(shape) => shape.value(scene, matched).to_string(),
            })),
            None => {}
        }
        for call in &action.calls {
            let arguments = match &call.args {
                JsonSource::Schema => made_arguments(scene, &call.tool, seed),
                JsonSource::Written(shape) => Json::from(shape.value(scene, matched)),
            };
            steps.push(call_step(scene, &steps, &call.tool, arguments));
        }
        let mut finish = if action.calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        match &action.ending {
            Ending::Usual => {}
            Ending::Refuse(text) => {
                steps.push(Step::Say(text.text(scene, matched)));
                finish = FinishReason::Refusal;
            }
            Ending::Fail(failure) => {
                steps.push(Step::Fail(failure.error(failure.message.text(scene, matched))));
            }
        }
        Self::of_steps(scene, steps, rule.pace, usage, finish)
    }

    /// Creates a plan and computes its usage.
    pub(super) fn of_steps(
        scene: &Scene<'_>,
        steps: Vec<Step>,
        pace: Pace,
        usage: UsagePolicy,
        finish: FinishReason,
    ) -> Self {
        let usage = match usage {
            UsagePolicy::Estimate => estimate(scene, &steps),
            UsagePolicy::None => Usage::default(),
            UsagePolicy::Fixed(usage) => usage,
        };
        Self { steps, pace, usage, finish }
    }

    /// Plan of one tool call with arguments generated from its schema.
    pub(super) fn of_made_call(scene: &Scene<'_>, tool: &str, pace: Pace, seed: u64, usage: UsagePolicy) -> Self {
        let call = call_step(scene, &[], tool, made_arguments(scene, tool, seed));
        Self::of_steps(scene, vec![call], pace, usage, FinishReason::ToolCalls)
    }
}

/// Call ids contain the message id of the answer: they are unique in the task and stable when the model call is
/// repeated.
fn call_step(scene: &Scene<'_>, before: &[Step], tool: &str, arguments: Json) -> Step {
    let index = before.iter().filter(|step| matches!(step, Step::Call(_))).count();
    let id = CallId::from(format!("call-{}-{index}", scene.call.message_id));
    Step::Call(ToolCall { id, name: tool.to_owned(), arguments })
}

fn made_arguments(scene: &Scene<'_>, tool: &str, seed: u64) -> Json {
    let spec = scene.call.tools.iter().find(|spec| spec.name == tool);
    let made = spec.map(|spec| schema::sample(&spec.parameters.to_value(), seed));
    Json::from(made.filter(Value::is_object).unwrap_or_else(|| json!({})))
}

/// JSON in the requested output format.
pub(super) fn made_answer(scene: &Scene<'_>, seed: u64) -> String {
    match &scene.call.format {
        OutputFormat::JsonSchema(schema) => schema::sample(&schema.to_value(), seed).to_string(),
        OutputFormat::JsonObject | OutputFormat::Text => json!({"user": scene.user}).to_string(),
    }
}

fn estimate(scene: &Scene<'_>, steps: &[Step]) -> Usage {
    let chars = |text: &str| text.chars().count() as u64;
    let heard: u64 = scene
        .call
        .messages
        .iter()
        .map(|message| match message {
            ChatMessage::User { text, .. } => chars(text),
            ChatMessage::Assistant { text, calls, .. } => {
                chars(text) + calls.iter().map(|call| chars(call.arguments.as_str())).sum::<u64>()
            }
            ChatMessage::Tool { output, .. } => chars(output.as_str()),
        })
        .sum();
    let said: u64 = steps
        .iter()
        .map(|step| match step {
            Step::Think(text) | Step::Say(text) => chars(text),
            Step::Repeat(text, times) => chars(text).saturating_mul(*times),
            Step::Long(pieces) => chars(&long_piece(*pieces, *pieces)).saturating_mul(*pieces),
            Step::Call(call) => chars(&call.name) + chars(call.arguments.as_str()),
            Step::Wait(_) | Step::Fail(_) => 0,
        })
        .sum();
    Usage::new((chars(&scene.call.system) + heard).div_ceil(4), said.div_ceil(4))
}
