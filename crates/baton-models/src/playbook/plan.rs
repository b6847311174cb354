//! The planned answer, complete before the first chunk is sent.

use super::{
    condition::RuleMatch,
    input::PlaybookInput,
    rule::{AnswerContent, AnswerDelay, ChunkPace, JsonSource, PlaybookRule, RuleEnd, UsagePolicy},
};
use crate::schema;
use baton_ports::{ChatMessage, FinishReason, ModelError, OutputFormat};
use baton_types::{CallId, Json, ToolCall, Usage};
use serde_json::{Value, json};

/// An answer as a list of steps.
#[derive(Debug)]
pub(super) struct AnswerPlan {
    pub(super) steps: Vec<AnswerStep>,
    pub(super) pace: ChunkPace,
    pub(super) usage: Usage,
    pub(super) finish: FinishReason,
}

/// One step of an answer.
#[derive(Debug)]
pub(super) enum AnswerStep {
    Think(String),
    Wait(AnswerDelay),
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

impl AnswerPlan {
    /// Plan of a matching rule.
    pub(super) fn from_rule(
        scene: &PlaybookInput<'_>,
        rule: &PlaybookRule,
        matched: &RuleMatch,
        seed: u64,
        usage: UsagePolicy,
    ) -> Self {
        let action = &rule.action;
        let mut steps = Vec::with_capacity(2);
        steps.extend(action.think.as_ref().map(|think| AnswerStep::Think(think.render_text(scene, matched))));
        steps.extend(action.wait.map(AnswerStep::Wait));
        match &action.content {
            Some(AnswerContent::Text { text, times: 1 }) => {
                steps.push(AnswerStep::Say(text.render_text(scene, matched)));
            }
            Some(AnswerContent::Text { text, times }) => {
                steps.push(AnswerStep::Repeat(text.render_text(scene, matched), *times));
            }
            Some(AnswerContent::Long { pieces }) => steps.push(AnswerStep::Long(*pieces)),
            Some(AnswerContent::Json(source)) => steps.push(AnswerStep::Say(match source {
                JsonSource::Schema => sample_answer(scene, seed),
                JsonSource::Template(shape) => shape.render_value(scene, matched).to_string(),
            })),
            None => {}
        }
        for call in &action.calls {
            let arguments = match &call.args {
                JsonSource::Schema => sample_arguments(scene, &call.tool, seed),
                JsonSource::Template(shape) => Json::from(shape.render_value(scene, matched)),
            };
            steps.push(call_step(scene, &steps, &call.tool, arguments));
        }
        let mut finish = if action.calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        match &action.end {
            RuleEnd::Normal => {}
            RuleEnd::Refuse(text) => {
                steps.push(AnswerStep::Say(text.render_text(scene, matched)));
                finish = FinishReason::Refusal;
            }
            RuleEnd::Fail(failure) => {
                steps.push(AnswerStep::Fail(failure.to_model_error(failure.message.render_text(scene, matched))));
            }
        }
        Self::from_steps(scene, steps, rule.pace, usage, finish)
    }

    /// Creates a plan and computes its usage.
    pub(super) fn from_steps(
        scene: &PlaybookInput<'_>,
        steps: Vec<AnswerStep>,
        pace: ChunkPace,
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
    pub(super) fn from_sample_call(
        scene: &PlaybookInput<'_>,
        tool: &str,
        pace: ChunkPace,
        seed: u64,
        usage: UsagePolicy,
    ) -> Self {
        let call = call_step(scene, &[], tool, sample_arguments(scene, tool, seed));
        Self::from_steps(scene, vec![call], pace, usage, FinishReason::ToolCalls)
    }
}

/// Call ids contain the message id of the answer: they are unique in the task and stable when the model call is
/// repeated.
fn call_step(scene: &PlaybookInput<'_>, before: &[AnswerStep], tool: &str, arguments: Json) -> AnswerStep {
    let index = before.iter().filter(|step| matches!(step, AnswerStep::Call(_))).count();
    let id = CallId::from(format!("call-{}-{index}", scene.call.message_id));
    AnswerStep::Call(ToolCall { id, name: tool.to_owned(), arguments })
}

fn sample_arguments(scene: &PlaybookInput<'_>, tool: &str, seed: u64) -> Json {
    let spec = scene.call.tools.iter().find(|spec| spec.name == tool);
    let sample = spec.map(|spec| schema::sample_value(&spec.parameters.to_value(), seed));
    Json::from(sample.filter(Value::is_object).unwrap_or_else(|| json!({})))
}

/// JSON in the requested output format.
pub(super) fn sample_answer(scene: &PlaybookInput<'_>, seed: u64) -> String {
    match &scene.call.format {
        OutputFormat::JsonSchema(schema) => schema::sample_value(&schema.to_value(), seed).to_string(),
        OutputFormat::JsonObject | OutputFormat::Text => json!({"user": scene.user}).to_string(),
    }
}

fn estimate(scene: &PlaybookInput<'_>, steps: &[AnswerStep]) -> Usage {
    let chars = |text: &str| text.chars().count() as u64;
    let input_chars: u64 = scene
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
    let output_chars: u64 = steps
        .iter()
        .map(|step| match step {
            AnswerStep::Think(text) | AnswerStep::Say(text) => chars(text),
            AnswerStep::Repeat(text, times) => chars(text).saturating_mul(*times),
            AnswerStep::Long(pieces) => chars(&long_piece(*pieces, *pieces)).saturating_mul(*pieces),
            AnswerStep::Call(call) => chars(&call.name) + chars(call.arguments.as_str()),
            AnswerStep::Wait(_) | AnswerStep::Fail(_) => 0,
        })
        .sum();
    Usage::new((chars(&scene.call.system) + input_chars).div_ceil(4), output_chars.div_ceil(4))
}
