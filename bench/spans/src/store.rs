//! Benchmarks of the span store: ingest, search and retention.

use crate::{
    figures::{quantile, resident_megabytes, size},
    generate::{SPANS_PER_TRACE, SpanFacts, SpanGenerator, trace_id},
    queries,
};
use anyhow::{Context as _, Result};
use baton_span_ports::{SpanBatch, SpanStore, SpanStoreError, TimeRange, TraceSearchRequest};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions, TelemetryRetention};
use baton_traceql::{Mode, parse};
use serde_json::{Value as Json, json};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

const BATCH_SPANS: u64 = 512;

/// No retention by age: the spans have a fixed date.
pub fn options() -> SpanStoreOptions {
    SpanStoreOptions { retention: TelemetryRetention::default(), ..SpanStoreOptions::default() }
}

/// Ingests through the port with several concurrent senders, like exporters; each batch is acknowledged when it is on
/// disk.
pub async fn fill(dir: &Path, count: u64) -> Result<Json> {
    let store = EmbeddedSpanStore::open(dir, options())?;
    let (next, refused) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let begun = Instant::now();
    let senders = (0..8).map(|_| {
        let (store, next, refused) = (Arc::clone(&store), Arc::clone(&next), Arc::clone(&refused));
        tokio::spawn(async move {
            let generator = SpanGenerator::new();
            loop {
                let first = next.fetch_add(BATCH_SPANS, Ordering::Relaxed);
                if first >= count {
                    return anyhow::Ok(());
                }
                let spans: Vec<_> =
                    (first..(first + BATCH_SPANS).min(count)).map(|index| generator.span(index)).collect();
                loop {
                    match store.ingest(SpanBatch { spans: spans.clone(), mark: None }).await {
                        Ok(()) => break,
                        Err(SpanStoreError::Busy) => {
                            refused.fetch_add(1, Ordering::Relaxed);
                            tokio::time::sleep(Duration::from_millis(20)).await;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        })
    });
    let senders: Vec<_> = senders.collect();
    let mut most = 0;
    for sender in senders {
        while !sender.is_finished() {
            most = most.max(resident_megabytes()?);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        sender.await??;
    }
    let seconds = begun.elapsed().as_secs_f64();
    store.close().await;
    let bytes = size(dir)?;
    Ok(json!({
        "spans": count, "seconds": seconds, "per_second": count as f64 / seconds, "bytes": bytes,
        "resident_mb": most, "refused": refused.load(Ordering::Relaxed), "closed_seconds": begun.elapsed().as_secs_f64(),
    }))
}

/// Opens the store like a new process and runs queries.
pub async fn ask(dir: &Path, count: u64) -> Result<Json> {
    let begun = Instant::now();
    let store = EmbeddedSpanStore::open(dir, options())?;
    let opened = begun.elapsed().as_secs_f64() * 1e3;
    let mut kinds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut all, mut found) = (Vec::new(), 0);
    for question in queries::selective(count, 100) {
        let took = Instant::now();
        let answer = search(&*store, &question.traceql).await?;
        let took = took.elapsed().as_secs_f64() * 1e3;
        if answer == 0 && question.kind != "errors of a user, with resource and duration" && question.tokens.is_none() {
            let structure = question.kind == "structure";
            anyhow::ensure!(structure, "nothing answers {}", question.traceql);
        }
        found += answer;
        kinds.entry(question.kind).or_default().push(took);
        all.push(took);
    }
    let mut broad = Vec::new();
    for (kind, traceql) in queries::BROAD_QUERIES {
        let took = Instant::now();
        let answer = search(&*store, traceql).await?;
        broad.push(json!({ "kind": kind, "ms": took.elapsed().as_secs_f64() * 1e3, "traces": answer }));
    }
    let mut traces = Vec::new();
    for number in 0..200 {
        let trace = (number * 7_919) % (count / SPANS_PER_TRACE).max(1);
        let took = Instant::now();
        let spans = store.trace(trace_id(trace)).await?;
        anyhow::ensure!(spans.len() as u64 == SPANS_PER_TRACE, "trace {trace} has {} spans", spans.len());
        traces.push(took.elapsed().as_secs_f64() * 1e3);
    }
    let kinds: Vec<Json> = kinds
        .into_iter()
        .map(|(kind, mut took)| json!({ "kind": kind, "p50_ms": quantile(&mut took, 0.5), "p99_ms": quantile(&mut took, 0.99) }))
        .collect();
    let stats = store.stats().await?;
    Ok(json!({
        "spans": stats.spans, "blocks": stats.blocks, "opened_ms": opened, "found": found,
        "p50_ms": quantile(&mut all, 0.5), "p99_ms": quantile(&mut all, 0.99), "kinds": kinds, "broad": broad,
        "trace_p50_ms": quantile(&mut traces, 0.5), "trace_p99_ms": quantile(&mut traces, 0.99), "resident_mb": resident_megabytes()?,
    }))
}

async fn search(store: &EmbeddedSpanStore, traceql: &str) -> Result<usize> {
    let query = parse(traceql, Mode::Strict).context(traceql.to_owned())?.query;
    let ask = TraceSearchRequest {
        query: Arc::new(query),
        range: TimeRange::ALL,
        limit: 20,
        spans_per_spanset: 3,
        aliases: false,
    };
    Ok(store.search(ask).await?.traces.len())
}

/// Deletes all but about `keep` spans and runs queries meanwhile.
pub async fn retain(dir: &Path, count: u64, keep: u64) -> Result<Json> {
    let bytes = size(dir)?;
    let store = EmbeddedSpanStore::open(dir, options())?;
    let retention = TelemetryRetention { max_bytes: Some(bytes / count * keep), ..TelemetryRetention::default() };
    let begun = Instant::now();
    let mut took = Vec::new();
    let newest = SpanFacts::from_index(count - 1).trace;
    let working = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.retain(retention).await }
    });
    while !working.is_finished() || took.len() < 50 {
        let asked = Instant::now();
        let spans = store.trace(trace_id(newest)).await?;
        anyhow::ensure!(!spans.is_empty(), "the newest trace is gone");
        search(&*store, r#"{ span.app.agent = "agent-7" && status = error }"#).await?;
        took.push(asked.elapsed().as_secs_f64() * 1e3);
    }
    working.await??;
    let seconds = begun.elapsed().as_secs_f64();
    let stats = store.stats().await?;
    Ok(json!({
        "kept": stats.spans, "bytes": stats.bytes, "seconds": seconds, "asked": took.len(),
        "p50_ms": quantile(&mut took, 0.5), "p99_ms": quantile(&mut took, 0.99),
    }))
}
