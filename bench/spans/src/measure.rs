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
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// Title, query, expected number of series, and whether the series count every span.
const METRICS_QUERIES: &[(&str, &str, usize, bool)] = &[
    ("count per service", "{ } | count_over_time() by (resource.service.name)", 10, true),
    ("errors per tool", "{ status = error } | rate() by (span.app.tool)", 100, false),
    ("count per model and region", "{ } | count_over_time() by (span.app.model, span.app.region)", 40, true),
    ("slow calls of one agent", r#"{ span.app.agent = "agent-7" && duration > 1s } | rate()"#, 1, false),
    ("mean tokens per model", "{ } | avg_over_time(span.app.tokens) by (span.app.model)", 8, false),
    (
        "median and p95 of durations per tool",
        "{ } | quantile_over_time(duration, 0.5, 0.95) by (span.app.tool)",
        200,
        false,
    ),
    ("histogram of durations", "{ } | histogram_over_time(duration)", 0, false),
    ("roots per service", "{ nestedSetParent < 0 } | rate() by (resource.service.name)", 10, false),
    (
        "errors below an agent",
        r#"{ name = "invoke_agent" } >> { status = error } | count_over_time() by (name)"#,
        2,
        false,
    ),
    (
        "count per model below one root name",
        r#"{ rootName = "invoke_agent" } | count_over_time() by (span.app.model)"#,
        8,
        true,
    ),
];

/// Runs each query `times` times over the whole time range, with 240 intervals and with one.
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
    for (kind, traceql, series, all) in METRICS_QUERIES {
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
            rows.push(json!({
                "kind": kind, "intervals": title, "series": answer.series.len(),
                "p50_ms": quantile(&mut took, 0.5), "max_ms": quantile(&mut took, 1.0), "bytes": answer.inspected_bytes,
                "busy_ms": (cpu_milliseconds()? - before) / times as f64,
            }));
        }
    }
    let stats = store.stats().await?;
    Ok(json!({ "spans": stats.spans, "blocks": stats.blocks, "questions": rows, "resident_mb": resident_megabytes()? }))
}
