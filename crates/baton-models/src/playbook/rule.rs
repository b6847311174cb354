//! A parsed playbook: regexes compiled, templates split, everything validated.

use super::{condition::Condition, template::Template};
use baton_agentdir::document::Place;
use baton_ports::{ModelError, RetryAdvice};
use baton_types::Usage;
use serde_json::Value;
use std::{sync::atomic::AtomicU64, time::Duration};

/// The whole file.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) rules: Vec<Rule>,
    pub(super) options: Options,
}

/// The key `options`.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) seed: u64,
    pub(super) pace: Pace,
    pub(super) usage: UsagePolicy,
    /// Context window in tokens; unlimited if absent.
    pub(super) window: Option<u64>,
}

/// Chunking of streamed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pace {
    /// Characters per chunk; `None` sends the text in one piece.
    pub(super) chunk: Option<usize>,
    /// Delay between two chunks.
    pub(super) delay: Duration,
}

/// Source of the reported token usage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum UsagePolicy {
    #[default]
    Estimate,
    None,
    Fixed(Usage),
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) place: Place,
    pub(super) name: Option<String>,
    pub(super) when: Condition,
    pub(super) action: Action,
    pub(super) pace: Pace,
    pub(super) uses: AtomicU64,
}

/// Actions of a rule, in the order of the fields.
#[derive(Debug, Default)]
pub(super) struct Action {
    pub(super) think: Option<Template>,
    pub(super) wait: Option<Wait>,
    pub(super) speech: Option<Speech>,
    pub(super) calls: Vec<Call>,
    pub(super) ending: Ending,
}

/// Delay before the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    For(Duration),
    /// Until the call is cancelled.
    Forever,
}

/// Text of the answer.
#[derive(Debug)]
pub(super) enum Speech {
    Text {
        text: Template,
        /// Number of repetitions; if more than one, each is a separate chunk.
        times: u64,
    },
    Long {
        pieces: u64,
    },
    Json(JsonSource),
}

/// Source of a JSON answer or of call arguments.
#[derive(Debug)]
pub(super) enum JsonSource {
    /// Generated from the schema of the answer or the tool.
    Schema,
    Written(Shape),
}

/// JSON whose strings are templates.
#[derive(Debug)]
pub(super) enum Shape {
    Plain(Value),
    Text(Template),
    List(Vec<Shape>),
    Map(Vec<(String, Shape)>),
}

/// A tool call to make.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) args: JsonSource,
}

/// End of the answer.
#[derive(Debug, Default)]
pub(super) enum Ending {
    /// Normal completion.
    #[default]
    Usual,
    /// The model refuses with this text.
    Refuse(Template),
    /// The call fails after the text.
    Fail(Failure),
}

/// The error that a rule produces.
#[derive(Debug)]
pub(super) struct Failure {
    /// HTTP status; without one, the stream breaks off.
    pub(super) status: Option<u16>,
    pub(super) message: Template,
    pub(super) retry_after: Option<Duration>,
}

impl Failure {
    pub(super) fn error(&self, message: String) -> ModelError {
        match self.status {
            Some(status) => {
                ModelError::Refused { status, message, retry_after: self.retry_after, advice: RetryAdvice::default() }
            }
            None => ModelError::Interrupted(message),
        }
    }
}
