//! A parsed playbook: regexes compiled, templates split, everything validated.

use super::{condition::RuleCondition, template::PlaybookTemplate};
use baton_document::SourceLocation;
use baton_ports::{ModelError, RetryAdvice};
use baton_types::Usage;
use serde_json::Value;
use std::{sync::atomic::AtomicU64, time::Duration};

/// The whole file.
#[derive(Debug, Default)]
pub(super) struct PlaybookRules {
    pub(super) rules: Vec<PlaybookRule>,
    pub(super) options: PlaybookOptions,
}

impl PlaybookRules {
    /// Whether a rule fails and requests another attempt.
    pub(super) fn requests_retries(&self) -> bool {
        let ends = self.rules.iter().map(|rule| &rule.action.end);
        ends.into_iter().any(|end| matches!(end, RuleEnd::Fail(failure) if failure.retry_after.is_some()))
    }
}

/// The key `options`.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaybookOptions {
    pub(super) seed: u64,
    pub(super) pace: ChunkPace,
    pub(super) usage: UsagePolicy,
    /// Context window in tokens; unlimited if absent.
    pub(super) window: Option<u64>,
}

/// Chunking of streamed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChunkPace {
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
pub(super) struct PlaybookRule {
    pub(super) location: SourceLocation,
    pub(super) name: Option<String>,
    pub(super) when: RuleCondition,
    pub(super) action: RuleAction,
    pub(super) pace: ChunkPace,
    pub(super) uses: AtomicU64,
}

/// Actions of a rule, in the order of the fields.
#[derive(Debug, Default)]
pub(super) struct RuleAction {
    pub(super) think: Option<PlaybookTemplate>,
    pub(super) wait: Option<AnswerDelay>,
    pub(super) content: Option<AnswerContent>,
    pub(super) calls: Vec<RuleToolCall>,
    pub(super) end: RuleEnd,
}

/// Delay before the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerDelay {
    For(Duration),
    /// Until the call is cancelled.
    Forever,
}

/// Text of the answer.
#[derive(Debug)]
pub(super) enum AnswerContent {
    Text {
        text: PlaybookTemplate,
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
    Template(JsonTemplate),
}

/// JSON whose strings are templates.
#[derive(Debug)]
pub(super) enum JsonTemplate {
    Plain(Value),
    Text(PlaybookTemplate),
    List(Vec<JsonTemplate>),
    Map(Vec<(String, JsonTemplate)>),
}

/// A tool call to make.
#[derive(Debug)]
pub(super) struct RuleToolCall {
    pub(super) tool: String,
    pub(super) args: JsonSource,
}

/// End of the answer.
#[derive(Debug, Default)]
pub(super) enum RuleEnd {
    /// Normal completion.
    #[default]
    Normal,
    /// The model refuses with this text.
    Refuse(PlaybookTemplate),
    /// The call fails after the text.
    Fail(RuleFailure),
}

/// The error that a rule produces.
#[derive(Debug)]
pub(super) struct RuleFailure {
    /// HTTP status; without one, the stream breaks off.
    pub(super) status: Option<u16>,
    pub(super) message: PlaybookTemplate,
    pub(super) retry_after: Option<Duration>,
}

impl RuleFailure {
    pub(super) fn to_model_error(&self, message: String) -> ModelError {
        match self.status {
            Some(status) => {
                let advice = RetryAdvice { wait: self.retry_after, ..RetryAdvice::default() };
                ModelError::Refused { status, message, advice }
            }
            None => ModelError::Interrupted(message),
        }
    }
}
