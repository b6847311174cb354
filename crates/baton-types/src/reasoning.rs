//! Reasoning of a model, and incidents during a model call.

use crate::{Json, Usage};
use serde::{Deserialize, Serialize};

/// Reasoning of a model before text or tool calls; shown next to the answer, never as part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasoningBlock {
    /// Model that produced it, as `provider:model`. It is not sent to other models.
    pub model: String,
    /// Readable text, as far as the provider reveals it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Provider-specific content that must be returned unchanged with the tool results: signed, encrypted or both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Json>,
    /// Whether text of the answer precedes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_text: bool,
}

/// An incident during a model call, recorded for later inspection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelNote {
    /// An attempt failed before any output arrived, and is retried.
    Retried {
        /// Model, as `provider:model`.
        model: String,
        /// Reason, without secrets.
        reason: String,
        /// Delay before the retry.
        wait_ms: u64,
    },
    /// The next model of the fallback chain is used.
    FellBack {
        /// Model that failed.
        from: String,
        /// Model that is used now.
        to: String,
        /// Reason, without secrets.
        reason: String,
    },
    /// Tool calls that the model wrote as text were parsed as calls.
    Rescued {
        /// Number of calls.
        calls: u32,
    },
    /// The answer violated the required format, and the model is asked to repair it.
    Repaired {
        /// Description of the problem, as sent to the model.
        problem: String,
        /// Invalid answer.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        answer: String,
        /// Usage of the invalid answer.
        #[serde(default)]
        usage: Usage,
    },
    /// A model call without any other record: requested by a tool, or its answer was blocked.
    Used {
        /// Purpose of the call.
        purpose: String,
        /// Model, as `provider:model`.
        model: String,
        /// Usage of the call.
        usage: Usage,
    },
}

impl ModelNote {
    /// Name of the span event.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Retried { .. } => "model.retried",
            Self::FellBack { .. } => "model.fell_back",
            Self::Rescued { .. } => "model.rescued",
            Self::Repaired { .. } => "model.repaired",
            Self::Used { .. } => "model.used",
        }
    }
}
