//! What a model thought, and what happened on the way to its answer.

use crate::{Json, Usage};
use serde::{Deserialize, Serialize};

/// What a model thought before it answered or called tools; shown beside the answer, never as part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    /// Who thought it, as `provider:model`; another model is not given it.
    pub model: String,
    /// In words, as far as the service tells.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What the service wants back unchanged with the results of the tools, in its own form: signed, sealed or both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Json>,
    /// Whether text of the answer went out before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_text: bool,
}

/// Something that happened on the way to a model's answer and that somebody may ask about later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelNote {
    /// A try failed before anything of the answer was heard, and another one follows.
    Retried {
        /// Who, as `provider:model`.
        model: String,
        /// Why, in words without secrets.
        reason: String,
        /// How long it waits before.
        wait_ms: u64,
    },
    /// The next model of the chain is asked instead.
    FellBack {
        /// Who did not answer.
        from: String,
        /// Who is asked now.
        to: String,
        /// Why, in words without secrets.
        reason: String,
    },
    /// The model wrote calls of tools as text, and they were understood as calls.
    Rescued {
        /// How many.
        calls: u32,
    },
    /// The answer did not fit the form that was asked for, and the model is asked to repair it.
    Repaired {
        /// What was wrong, as the model is told.
        problem: String,
        /// The answer that did not fit.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        answer: String,
        /// What making it used.
        #[serde(default)]
        usage: Usage,
    },
    /// The model was called, and nothing else of it is on record: a tool asked for it, or its answer was blocked.
    Used {
        /// What for.
        purpose: String,
        /// Who, as `provider:model`.
        model: String,
        /// What it used.
        usage: Usage,
    },
}

impl ModelNote {
    /// What it is called among the events of spans.
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
