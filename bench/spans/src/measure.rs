//! Metrics queries over all spans.

use crate::{
    figures::{cpu_milliseconds, quantile, resident_megabytes},
    generate::{SPANS_PER_TRACE, SpanFacts},
    store::options,
};
use anyhow::{Context as _, Result, ensure};
use baton_span_ports::{MetricsResult, SpanMetricsRequest, SpanStore as _};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_traceql::{Mode, Steps, parse};
use serde_json::{Value as Json, json};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// Target for queries about whole traces: at most this many times the time of [`SINGLE_SPAN_COUNT`].
const MAX_RATIO: f64 = 10.0;
/// Kind of the query that the others are compared with; it counts single spans and is measured first.
const SINGLE_SPAN_COUNT: &str = "count per service";

struct MetricsCase {
    kind: &'static str,
    traceql: &'static str,
    /// Expected number of series; 0 for any.
    series: usize,
    /// Whether the series count every span.
    all: bool,
    /// Whether the query depends on whole traces.
    traces: bool,
}

const fn single(kind: &'static str, traceql: &'static str, series: usize, all: bool) -> MetricsCase {
    MetricsCase { kind, traceql, series, all, traces: false }
}

const fn whole(kind: &'static str, traceql: &'static str, series: usize, all: bool) -> MetricsCase {
    MetricsCase { kind, traceql, series, all, traces: true }
}

const METRICS_QUERIES: &[MetricsCase] = &[
    single(SINGLE_SPAN_COUNT, "{ } | count_over_time() by (resource.service.name)", 10, true),
    single("errors per tool", "{ status = error } | rate() by (span.app.tool)", 100, false),
    single("count per model and region", "{ } | count_over_time() by (span.app.model, span.app.region)", 40, true),
    single("slow calls of one agent", r#"{ span.app.agent = "agent-7" && duration > 1s } | rate()"#, 1, false),
    single("mean tokens per model", "{ } | avg_over_time(span.app.tokens) by (span.app.model)", 8, false),
    single(
        "median and p95 of durations per tool",
        "{ } | quantile_over_time(duration, 0.5, 0.95) by (span.app.tool)",
        200,
        false,
    ),
    single("histogram of durations", "{ } | histogram_over_time(duration)", 0, false),
    single("roots per service", "{ nestedSetParent < 0 } | rate() by (resource.service.name)", 10, false),
    whole(
        "errors below an agent",
        r#"{ name = "invoke_agent" } >> { status = error } | count_over_time() by (name)"#,
        2,
        false,
    ),
    whole(
        "count per model below one root name",
        r#"{ rootName = "invoke_agent" } | count_over_time() by (span.app.model)"#,
        8,
        true,
    ),
    whole(
        "errors per tool of one root service",
        r#"{ rootServiceName = "service-3" && status = error } | rate() by (span.app.tool)"#,
        100,
        false,
    ),
    whole(
        "tool calls by a model",
        r#"{ name = "chat" } > { name = "execute_tool" } | count_over_time() by (span.app.tool)"#,
        100,
        false,
    ),
    whole("spans above an error", "{ status = error } << { } | count_over_time() by (name)", 2, false),
    whole("siblings of an error", "{ status = error } ~ { } | count_over_time() by (span.app.model)", 8, false),
    whole(
        "spans of traces with an error",
        "{ } && { status = error } | count_over_time() by (resource.service.name)",
        10,
        false,
    ),
];

/// Runs each query `times` times over the whole time range, with 240 intervals and with one. Queries about whole traces
/// are reported with the ratio of their time to that of a count of single spans.
pub async fn measure(dir: &Path, count: u64, times: usize) -> Result<Json> {
    // Slow queries must be measured instead of cancelled.
    let patient = SpanStoreOptions { search_budget: Duration::from_secs(600), ..options() };
    let store = EmbeddedSpanStore::open(dir, patient)?;
    let (start, end) = (
        SpanFacts::from_index(0).start,
        SpanFacts::from_index(count.div_ceil(SPANS_PER_TRACE) * SPANS_PER_TRACE).start,
    );
    let many = Steps::cover(start, end, ((end - start) / 240).max(1)).context("too many intervals")?;
    let mut rows = Vec::new();
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for MetricsCase { kind, traceql, series, all, traces } in METRICS_QUERIES {
        for (title, steps) in [("240 intervals", many), ("one interval", Steps::single(start, end))] {
            let mut took = Vec::new();
            let mut answer = MetricsResult::default();
            let before = cpu_milliseconds()?;
            for _ in 0..times {
                let query = Arc::new(parse(traceql, Mode::Strict).context(*traceql)?.query);
                let asked = Instant::now();
                answer = store.metrics(SpanMetricsRequest { query, steps, exemplars: 0, aliases: false }).await?;
                took.push(asked.elapsed().as_secs_f64() * 1e3);
                ensure!(!answer.partial, "{traceql} is answered in part");
            }
            ensure!(*series == 0 || answer.series.len() == *series, "{} series answer {traceql}", answer.series.len());
            let sum: f64 = answer.series.iter().flat_map(|series| &series.samples).flatten().sum();
            ensure!(!all || sum == count as f64, "{traceql} counts {sum} of {count}");
            let p50 = quantile(&mut took, 0.5);
            if *kind == SINGLE_SPAN_COUNT {
                counts.insert(title, p50);
            }
            let count = counts.get(title).context("the count of single spans was not measured")?;
            let (ratio, max_ratio) = if *traces { (Some(p50 / count), Some(MAX_RATIO)) } else { (None, None) };
            rows.push(json!({
                "kind": kind, "intervals": title, "series": answer.series.len(), "ratio": ratio, "max_ratio": max_ratio,
                "p50_ms": p50, "max_ms": quantile(&mut took, 1.0), "bytes": answer.inspected_bytes,
                "busy_ms": (cpu_milliseconds()? - before) / times as f64,
            }));
        }
    }
    let stats = store.stats().await?;
    Ok(json!({ "spans": stats.spans, "blocks": stats.blocks, "questions": rows, "resident_mb": resident_megabytes()? }))
}
