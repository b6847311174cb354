//! `GET /tempo/api/search?q=&limit=&spss=&start=&end=&strict=`.

use super::{accept, ask, headers::explain, old_search, params::Params, refusal::Refusal};
use crate::{app::Shared, auth::Caller};
use axum::{extract::State, response::Response};
use baton_otlp::tempo::search_response;
use baton_ports::{SearchAnswer, SearchAsk};
use baton_traceql::{Mode, Parsed, Query, Root, parse, searchable};
use http::HeaderMap;
use std::sync::Arc;

/// Default number of traces.
const USUAL: usize = 20;

/// Maximum number of traces.
const MOST: usize = 5_000;

/// Default number of spans per spanset.
const USUAL_SPANS: usize = 3;

/// Maximum number of spans per spanset.
const MOST_SPANS: usize = 1_000;

/// Searches traces.
pub(super) async fn search(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    headers: HeaderMap,
    params: Params,
) -> Response {
    found(&shared, &caller, &headers, &params).await.unwrap_or_else(Refusal::response)
}

async fn found(shared: &Shared, caller: &Caller, headers: &HeaderMap, params: &Params) -> Result<Response, Refusal> {
    let asked = ask::store(shared, caller, headers)?;
    let strict = params.is_on("strict");
    let Parsed { query, mut warnings } = match params.text("q") {
        Some(text) => parse(text, if strict { Mode::Strict } else { Mode::Lenient })?,
        None => Parsed { query: old_search::query(params)?, warnings: Vec::new() },
    };
    let canonical = query.to_string();
    let (spans, ignored) = searchable(&query)?;
    warnings.extend(ignored);
    let mut bounded = |name, usual: usize, most: usize| -> Result<usize, Refusal> {
        let wanted = params.number(name)?.unwrap_or(usual);
        // In Tempo, zero means the maximum.
        let wanted = if wanted == 0 { most } else { wanted };
        if wanted > most {
            warnings.push(format!("{name} is {most} at most"));
        }
        Ok(wanted.min(most))
    };
    let ask = SearchAsk {
        limit: bounded("limit", USUAL, MOST)?,
        spans_per_spanset: bounded("spss", USUAL_SPANS, MOST_SPANS)?,
        range: params.range()?,
        query: Arc::new(Query { root: Root::Search(spans), hints: query.hints }),
        aliases: !strict,
    };
    let (encoding, cut_short) = (accept::wanted(headers), asked.cut_short);
    let write = move |mut answer: SearchAnswer| {
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
    shared.queries.run(caller, asked.store.search(ask), write).await
}
