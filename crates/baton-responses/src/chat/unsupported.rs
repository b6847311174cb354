//! Parameters that would change an answer but are not supported: they are refused by name instead of being ignored.

use crate::{OpenAiError, fields::RequestFields};
use serde_json::Value;

/// Unsupported parameters of chat completions, each with an alternative.
pub(super) const UNSUPPORTED_IN_CHAT: [(&str, &str); 7] = [
    ("functions", "Send the functions as tools."),
    ("function_call", "Send tool_choice instead."),
    ("logprobs", "No log probabilities are given; leave it out."),
    ("top_logprobs", "No log probabilities are given; leave it out."),
    ("logit_bias", "Tokens cannot be weighted; leave it out."),
    ("audio", "Answers are text; leave it out."),
    ("web_search_options", "Give the agent a search tool of its own."),
];

/// Unsupported parameters of legacy completions.
pub(super) const UNSUPPORTED_IN_TEXT: [(&str, &str); 6] = [
    ("suffix", "An agent does not insert text; put both sides into the prompt."),
    ("echo", "The prompt is not repeated; leave it out."),
    ("logprobs", "No log probabilities are given; leave it out."),
    ("logit_bias", "Tokens cannot be weighted; leave it out."),
    ("tools", "Use /v1/chat/completions or /v1/responses for tools."),
    ("functions", "Use tools of /v1/chat/completions or /v1/responses."),
];

/// Refuses parameters of a table that have an effective value, and requests for more than one answer.
pub(super) fn reject_unsupported(fields: RequestFields<'_>, table: &[(&str, &str)]) -> Result<(), OpenAiError> {
    for (name, detail) in table {
        if fields.get(name).is_some_and(|value| !is_neutral(value)) {
            return Err(unsupported(name, detail));
        }
    }
    for name in ["n", "best_of"] {
        if fields.count(name, 1, u32::MAX)?.is_some_and(|choices| choices > 1) {
            return Err(unsupported(name, "An agent answers once; leave it out."));
        }
    }
    if fields.strings("modalities")?.iter().any(|modality| modality != "text") {
        return Err(unsupported("modalities", "Answers are text; leave it out."));
    }
    Ok(())
}

fn unsupported(name: &str, detail: &str) -> OpenAiError {
    OpenAiError::invalid("unsupported_parameter", name, format!("'{name}' is not supported here. {detail}"))
}

/// Whether a value has no effect.
fn is_neutral(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}
