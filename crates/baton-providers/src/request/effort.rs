//! Reasoning effort.

use baton_ports::ModelError;
use genai::chat::ReasoningEffort;

/// Parses the effort of the generation settings.
pub(super) fn parse_effort(written: &str) -> Result<ReasoningEffort, ModelError> {
    Ok(match written.trim().to_ascii_lowercase().as_str() {
        "none" | "zero" => ReasoningEffort::Zero,
        "minimal" => ReasoningEffort::Minimal,
        "low" => ReasoningEffort::Low,
        "medium" => ReasoningEffort::Medium,
        "high" => ReasoningEffort::High,
        "xhigh" => ReasoningEffort::XHigh,
        "max" => ReasoningEffort::Max,
        number => match number.parse::<u32>() {
            Ok(0) => ReasoningEffort::Zero,
            Ok(tokens) => ReasoningEffort::Budget(tokens),
            Err(_) => {
                return Err(ModelError::Configuration(format!(
                    "effort '{written}' is invalid; use none, minimal, low, medium, high, xhigh, max or a number of tokens"
                )));
            }
        },
    })
}

/// Whether a model name ends like an effort level.
pub(super) fn ends_like_effort(model: &str) -> bool {
    let end = model.rsplit_once('-').map(|(_, end)| end);
    matches!(end, Some("none" | "zero" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max"))
}

/// The effort as a level, for services without token budgets.
pub(crate) fn effort_level(effort: ReasoningEffort) -> ReasoningEffort {
    match effort {
        ReasoningEffort::Budget(..=2_048) => ReasoningEffort::Low,
        ReasoningEffort::Budget(2_049..=12_000) => ReasoningEffort::Medium,
        ReasoningEffort::Budget(_) => ReasoningEffort::High,
        level => level,
    }
}

/// The approximate effort in tokens; `None` for no reasoning.
pub(crate) fn effort_tokens(effort: &ReasoningEffort) -> Option<u32> {
    match effort {
        ReasoningEffort::Zero => None,
        ReasoningEffort::Budget(tokens) => Some(*tokens),
        ReasoningEffort::Minimal | ReasoningEffort::Low => Some(1_024),
        ReasoningEffort::Medium => Some(8_000),
        ReasoningEffort::High | ReasoningEffort::XHigh | ReasoningEffort::Max => Some(24_000),
    }
}
