//! `GET /tempo/api/metrics/query_range?q=&start=&end=&since=&step=&exemplars=&strict=` and `GET
//! /tempo/api/metrics/query`, which has one interval.

use super::messages::{query_instant_response, query_range_response};
use super::{accept, headers::explain, params::TempoParams, query_target, refusal::TempoRejection, time_params};
use crate::{app::HttpState, auth::Caller};
use axum::{extract::State, response::Response};
use baton_span_ports::{MetricsResult, SpanMetricsRequest};
use baton_traceql::{Literal, Mode, ParsedQuery, Query, Root, Steps, parse};
use http::HeaderMap;
use std::sync::Arc;

/// Default number of exemplars.
const DEFAULT_EXEMPLARS: usize = 100;

/// Maximum number of exemplars.
const MAX_EXEMPLARS: usize = 1_000;

/// Time series.
pub(super) async fn range(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    headers: HeaderMap,
    params: TempoParams,
) -> Response {
    query_metrics(&shared, &caller, &headers, &params, MetricsQueryKind::Range)
        .await
        .unwrap_or_else(TempoRejection::response)
}

/// One value per series.
pub(super) async fn instant(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    headers: HeaderMap,
    params: TempoParams,
) -> Response {
    query_metrics(&shared, &caller, &headers, &params, MetricsQueryKind::Instant)
        .await
        .unwrap_or_else(TempoRejection::response)
}

/// Kind of metrics query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetricsQueryKind {
    /// A value per interval.
    Range,
    /// One value.
    Instant,
}

async fn query_metrics(
    shared: &HttpState,
    caller: &Caller,
    headers: &HeaderMap,
    params: &TempoParams,
    form: MetricsQueryKind,
) -> Result<Response, TempoRejection> {
    let target = query_target::store(shared, caller, headers)?;
    let strict = params.is_on("strict");
    let Some(text) = params.text("q") else {
        return Err(TempoRejection::bad_request(
            "invalid q: it is missing; write a metrics query such as { } | rate()",
        ));
    };
    let ParsedQuery { query, mut warnings } = parse(text, if strict { Mode::Strict } else { Mode::Lenient })?;
    if !matches!(query.root, Root::Metrics(_)) {
        return Err(TempoRejection::bad_request(
            "invalid TraceQL query: it selects spans; end it with a metrics function such as `| rate()`, or send it to \
             /api/search",
        ));
    }
    let canonical = query.to_string();
    let range = time_params::range(params, shared.options.access.clock.now())?;
    let (steps, exemplars) = match form {
        MetricsQueryKind::Range => (time_params::steps(params, range)?, exemplars(params, &query)?),
        MetricsQueryKind::Instant => (Steps::single(range.start, range.end), 0),
    };
    if exemplars > MAX_EXEMPLARS {
        warnings.push(format!("exemplars is capped at {MAX_EXEMPLARS}"));
    }
    let exemplars = exemplars.min(MAX_EXEMPLARS);
    let request = SpanMetricsRequest { query: Arc::new(query), steps, exemplars, aliases: !strict };
    let (encoding, cut_short) = (accept::response_encoding(headers), target.hop_limit_reached);
    let write = move |mut answer: MetricsResult| {
        answer.partial |= cut_short;
        if answer.partial {
            warnings.push("the query reached a time or memory limit: the values are too low".to_owned());
        }
        let mut response = match form {
            MetricsQueryKind::Range => {
                limit_exemplars(&mut answer, exemplars);
                let message = query_range_response(&answer, &steps);
                drop(answer);
                accept::reply(&message, encoding)
            }
            MetricsQueryKind::Instant => accept::reply(&query_instant_response(&answer), encoding),
        };
        explain(&mut response, &canonical, &warnings);
        response
    };
    shared.queries.run(caller, target.store.metrics(request), write).await
}

/// Number of exemplars: from the parameter, else from the query hint.
fn exemplars(params: &TempoParams, query: &Query) -> Result<usize, TempoRejection> {
    if let Some(count) = params.number("exemplars")? {
        return Ok(count);
    }
    let hint = query.hints.iter().find(|hint| hint.name == "exemplars").map(|hint| &hint.value);
    Ok(match hint {
        Some(Literal::Bool(false)) => 0,
        Some(Literal::Int(count)) => usize::try_from(*count).unwrap_or(0),
        _ => DEFAULT_EXEMPLARS,
    })
}

/// Keeps `most` exemplars in total, distributed evenly over the series.
fn limit_exemplars(answer: &mut MetricsResult, max: usize) {
    let mut limits = vec![0; answer.series.len()];
    let mut left = max;
    while left > 0 {
        let mut has_grown = false;
        for (series, limit) in answer.series.iter().zip(&mut limits) {
            if left > 0 && *limit < series.exemplars.len() {
                (*limit, left, has_grown) = (*limit + 1, left - 1, true);
            }
        }
        if !has_grown {
            break;
        }
    }
    for (series, limit) in answer.series.iter_mut().zip(limits) {
        series.exemplars.truncate(limit);
    }
}
