//! `GET /tempo/api/search?q=&limit=&spss=&start=&end=&strict=`.

use super::messages::search_response;
use super::{accept, headers::explain, legacy_search, params::TempoParams, query_target, refusal::TempoRejection};
use crate::{app::HttpState, auth::Caller};
use axum::{extract::State, response::Response};
use baton_span_ports::{TraceSearchRequest, TraceSearchResult};
use baton_traceql::{Mode, ParsedQuery, Query, Root, parse, search_pipeline};
use http::HeaderMap;
use std::sync::Arc;

/// Default number of traces.
const DEFAULT_LIMIT: usize = 20;

/// Maximum number of traces.
const MAX_LIMIT: usize = 5_000;

/// Default number of spans per spanset.
const DEFAULT_SPANS_PER_SPANSET: usize = 3;

/// Maximum number of spans per spanset.
const MAX_SPANS_PER_SPANSET: usize = 1_000;

/// Searches traces.
pub(super) async fn search(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    headers: HeaderMap,
    params: TempoParams,
) -> Response {
    run_search(&shared, &caller, &headers, &params).await.unwrap_or_else(TempoRejection::response)
}

async fn run_search(
    shared: &HttpState,
    caller: &Caller,
    headers: &HeaderMap,
    params: &TempoParams,
) -> Result<Response, TempoRejection> {
    let target = query_target::store(shared, caller, headers)?;
    let strict = params.is_on("strict");
    let ParsedQuery { query, mut warnings } = match params.text("q") {
        Some(text) => parse(text, if strict { Mode::Strict } else { Mode::Lenient })?,
        None => ParsedQuery { query: legacy_search::query(params)?, warnings: Vec::new() },
    };
    let canonical = query.to_string();
    let (spans, ignored) = search_pipeline(&query)?;
    warnings.extend(ignored);
    let mut bounded = |name, usual: usize, max: usize| -> Result<usize, TempoRejection> {
        let value = params.number(name)?.unwrap_or(usual);
        // In Tempo, zero means the maximum.
        let value = if value == 0 { max } else { value };
        if value > max {
            warnings.push(format!("{name} is capped at {max}"));
        }
        Ok(value.min(max))
    };
    let request = TraceSearchRequest {
        limit: bounded("limit", DEFAULT_LIMIT, MAX_LIMIT)?,
        spans_per_spanset: bounded("spss", DEFAULT_SPANS_PER_SPANSET, MAX_SPANS_PER_SPANSET)?,
        range: params.range()?,
        query: Arc::new(Query { root: Root::Search(spans), hints: query.hints }),
        aliases: !strict,
    };
    let (encoding, cut_short) = (accept::response_encoding(headers), target.hop_limit_reached);
    let write = move |mut answer: TraceSearchResult| {
        answer.partial |= cut_short;
        if answer.partial {
            warnings.push("the search stopped before all data was read: there may be more matches".to_owned());
        }
        let message = search_response(&answer);
        drop(answer);
        let mut response = accept::reply(&message, encoding);
        explain(&mut response, &canonical, &warnings);
        response
    };
    shared.queries.run(caller, target.store.search(request), write).await
}
