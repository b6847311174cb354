//! `GET /tempo/api/metrics/query_range?q=&start=&end=&since=&step=&exemplars=&strict=` and `GET
//! /tempo/api/metrics/query`, which has one interval.

use super::{accept, ask, headers::explain, moments, params::Params, refusal::Refusal};
use crate::{app::Shared, auth::Caller};
use axum::{extract::State, response::Response};
use baton_otlp::tempo::{query_instant_response, query_range_response};
use baton_ports::{MetricsAnswer, MetricsAsk};
use baton_traceql::{Literal, Mode, Parsed, Query, Root, Steps, parse};
use http::HeaderMap;
use std::sync::Arc;

/// Default number of exemplars.
const USUAL: usize = 100;

/// Maximum number of exemplars.
const MOST: usize = 1_000;

/// Time series.
pub(super) async fn range(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    headers: HeaderMap,
    params: Params,
) -> Response {
    measured(&shared, &caller, &headers, &params, Form::Range).await.unwrap_or_else(Refusal::response)
}

/// One value per series.
pub(super) async fn instant(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    headers: HeaderMap,
    params: Params,
) -> Response {
    measured(&shared, &caller, &headers, &params, Form::Instant).await.unwrap_or_else(Refusal::response)
}

/// Kind of metrics query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A value per interval.
    Range,
    /// One value.
    Instant,
}

async fn measured(
    shared: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
    params: &Params,
    form: Form,
) -> Result<Response, Refusal> {
    let asked = ask::store(shared, caller, headers)?;
    let strict = params.is_on("strict");
    let Some(text) = params.text("q") else {
        return Err(Refusal::wrong("invalid q: it is missing; write a metrics query such as { } | rate()"));
    };
    let Parsed { query, mut warnings } = parse(text, if strict { Mode::Strict } else { Mode::Lenient })?;
    if !matches!(query.root, Root::Metrics(_)) {
        return Err(Refusal::wrong(
            "invalid TraceQL query: it asks for spans; end it in a metrics function such as `| rate()`, or send it to \
             /api/search",
        ));
    }
    let canonical = query.to_string();
    let range = moments::range(params, shared.options.access.clock.now())?;
    let (steps, exemplars) = match form {
        Form::Range => (moments::steps(params, range)?, exemplars(params, &query)?),
        Form::Instant => (Steps::whole(range.start, range.end), 0),
    };
    if exemplars > MOST {
        warnings.push(format!("exemplars is {MOST} at most"));
    }
    let exemplars = exemplars.min(MOST);
    let ask = MetricsAsk { query: Arc::new(query), steps, exemplars, aliases: !strict };
    let (encoding, cut_short) = (accept::wanted(headers), asked.cut_short);
    let write = move |mut answer: MetricsAnswer| {
        answer.partial |= cut_short;
        if answer.partial {
            warnings.push("the query reached a time or memory limit: the values are too low".to_owned());
        }
        let mut response = match form {
            Form::Range => {
                spread(&mut answer, exemplars);
                let message = query_range_response(&answer, &steps);
                drop(answer);
                accept::reply(&message, encoding)
            }
            Form::Instant => accept::reply(&query_instant_response(&answer), encoding),
        };
        explain(&mut response, &canonical, &warnings);
        response
    };
    shared.queries.run(caller, asked.store.metrics(ask), write).await
}

/// Number of exemplars: from the parameter, else from the query hint.
fn exemplars(params: &Params, query: &Query) -> Result<usize, Refusal> {
    if let Some(wanted) = params.number("exemplars")? {
        return Ok(wanted);
    }
    let hint = query.hints.iter().find(|hint| hint.name == "exemplars").map(|hint| &hint.value);
    Ok(match hint {
        Some(Literal::Bool(false)) => 0,
        Some(Literal::Int(wanted)) => usize::try_from(*wanted).unwrap_or(0),
        _ => USUAL,
    })
}

/// Keeps `most` exemplars in total, distributed evenly over the series.
fn spread(answer: &mut MetricsAnswer, most: usize) {
    let mut kept = vec![0; answer.series.len()];
    let mut left = most;
    while left > 0 {
        let mut given = false;
        for (series, kept) in answer.series.iter().zip(&mut kept) {
            if left > 0 && *kept < series.exemplars.len() {
                (*kept, left, given) = (*kept + 1, left - 1, true);
            }
        }
        if !given {
            break;
        }
    }
    for (series, kept) in answer.series.iter_mut().zip(kept) {
        series.exemplars.truncate(kept);
    }
}
