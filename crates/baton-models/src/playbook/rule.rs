//! A playbook after parsing: regexes compiled, templates split, nothing left to go wrong.

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
    /// Tokens that the model takes; none is no bound.
    pub(super) window: Option<u64>,
}

/// How text is streamed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pace {
    /// Characters per piece; `None` sends the text whole.
    pub(super) chunk: Option<usize>,
    /// The wait between two pieces.
    pub(super) delay: Duration,
}

/// What the model claims to have used.
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

/// What a rule does, in the order of the fields.
#[derive(Debug, Default)]
pub(super) struct Action {
    pub(super) think: Option<Template>,
    pub(super) wait: Option<Wait>,
    pub(super) speech: Option<Speech>,
    pub(super) calls: Vec<Call>,
    pub(super) ending: Ending,
}

/// A pause before the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    For(Duration),
    /// Until the caller gives up.
    Forever,
}

/// What is said.
#[derive(Debug)]
pub(super) enum Speech {
    Text {
        text: Template,
        /// How often; every time is a piece of its own when it is more than once.
        times: u64,
    },
    Long {
        pieces: u64,
    },
    Json(JsonSource),
}

/// Where a JSON answer or a call's arguments come from.
#[derive(Debug)]
pub(super) enum JsonSource {
    /// From the schema that the answer or the tool has.
    Schema,
    Written(Shape),
}

/// JSON whose texts are templates.
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

/// How the answer ends.
#[derive(Debug, Default)]
pub(super) enum Ending {
    /// As answers do.
    #[default]
    Usual,
    /// The model declines, saying this.
    Refuse(Template),
    /// The call fails after what was said.
    Fail(Failure),
}

/// The error that a rule makes.
#[derive(Debug)]
pub(super) struct Failure {
    /// Without one the stream just breaks off.
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
