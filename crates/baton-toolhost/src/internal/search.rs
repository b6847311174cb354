//! Arguments and results of searches.

use super::call::{CallRejection, InternalCall, InternalCallResult};
use baton_ports::SearchText;
use baton_types::{RelevanceLimits, Thousandths};
use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum query length in bytes.
const MAX_QUERY_BYTES: usize = 8 << 10;

/// The arguments of a search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SearchArguments {
    pub(super) query: String,
    top_k: Option<f64>,
    top_n: Option<f64>,
    include_score: Option<f64>,
}

impl SearchArguments {
    /// The query and the limits; missing limits default to the agent's.
    pub(super) fn read(
        call: &InternalCall<'_>,
        usual: RelevanceLimits,
    ) -> Result<(String, RelevanceLimits), CallRejection> {
        let Self { query, top_k, top_n, include_score } = call.read()?;
        if query.trim().is_empty() || query.len() > MAX_QUERY_BYTES {
            return Err(call
                .invalid_argument(&format!("'query' must not be empty and may have at most {MAX_QUERY_BYTES} bytes")));
        }
        let score = match include_score {
            None => usual.include_score,
            Some(score) => Thousandths::from_f64(score)
                .filter(|score| *score <= Thousandths(1000))
                .ok_or_else(|| call.invalid_argument("'includeScore' must be a number from 0 to 1"))?,
        };
        let limits = RelevanceLimits {
            top_k: call.parse_integer("topK", top_k, 1, 100)?.unwrap_or(usual.top_k),
            top_n: call.parse_integer("topN", top_n, 1, 50)?.unwrap_or(usual.top_n),
            include_score: score,
        };
        Ok((query, limits))
    }
}

/// The matches, each with its score.
pub(super) async fn answer(
    call: &InternalCall<'_>,
    query: &str,
    texts: &[SearchText<'_>],
    limits: RelevanceLimits,
    show: impl Fn(usize) -> Option<Value>,
) -> InternalCallResult {
    let found = call.context.search(call.agent, query, texts, limits).await;
    let matches = found.matches.into_iter().filter_map(|(at, score)| {
        let mut shown = show(at)?;
        shown["score"] = score.get().into();
        Some(shown)
    });
    let mut answer = json!({ "matches": matches.collect::<Vec<_>>() });
    if let Some(note) = found.note {
        answer["note"] = note.into();
    }
    Ok(CallToolResult::structured(answer))
}
