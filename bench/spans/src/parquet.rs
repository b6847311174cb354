//! Comparison of the same spans as Parquet columns and as blocks of the store.

mod columns;
mod scan;

use crate::{
    figures::{quantile, size},
    generate::{SPANS_PER_TRACE, SpanFacts, SpanGenerator},
    store::options,
};
use anyhow::{Context as _, Result, ensure};
use baton_span_ports::{SpanBatch, SpanMetricsRequest, SpanStore as _};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_traceql::{Mode, Steps, parse};
use columns::ParquetColumns;
use scan::ScanQuery;
use serde_json::{Value as Json, json};
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

const BATCH_SPANS: u64 = 4_096;
/// Repetitions of each query.
const REPETITIONS: usize = 21;

/// Writes both formats, runs the same queries on both, and compares the results.
pub async fn compare(dir: &Path, count: u64) -> Result<Json> {
    std::fs::create_dir_all(dir)?;
    let parquet = dir.join("columns.parquet");
    let written = columns::write(&parquet, count)?;
    let columns = ParquetColumns::open(&parquet)?;
    let store = dir.join("store");
    let blocks = fill(&store, count).await?;
    let spans = EmbeddedSpanStore::open(&store, options())?;
    let steps = Steps::single(
        SpanFacts::from_index(0).start,
        SpanFacts::from_index(count.div_ceil(SPANS_PER_TRACE) * SPANS_PER_TRACE).start,
    );
    let mut rows = Vec::new();
    for question in ScanQuery::ALL {
        let (mut of_parquet, mut of_blocks) = (Vec::new(), Vec::new());
        for _ in 0..REPETITIONS {
            let begun = Instant::now();
            let scanned = scan::scan(&columns, question)?;
            of_parquet.push(begun.elapsed().as_secs_f64() * 1e3);
            let query = Arc::new(parse(question.traceql, Mode::Strict).context(question.traceql)?.query);
            let begun = Instant::now();
            let answer = spans.metrics(SpanMetricsRequest { query, steps, exemplars: 0, aliases: false }).await?;
            of_blocks.push(begun.elapsed().as_secs_f64() * 1e3);
            let measured: BTreeMap<String, f64> = answer
                .series
                .iter()
                .map(|series| {
                    let labels = series.labels.iter().map(|(_, value)| label(value)).collect::<Vec<_>>();
                    (labels.join(" "), series.samples.iter().flatten().sum())
                })
                .collect();
            ensure!(measured == scanned, "{}: {measured:?} is not {scanned:?}", question.traceql);
        }
        rows.push(json!({
            "question": question.traceql, "parquet_p50_ms": quantile(&mut of_parquet, 0.5), "blocks_p50_ms": quantile(&mut of_blocks, 0.5),
        }));
    }
    Ok(json!({ "spans": count, "parquet": written, "blocks": blocks, "questions": rows }))
}

fn label(value: &baton_types::SpanValue) -> String {
    value.as_text().map_or_else(|| format!("{value:?}"), str::to_owned)
}

/// Fills one head if all spans fit, so that the time of writing its block can be measured; the log of a head is
/// bounded.
async fn fill(dir: &Path, count: u64) -> Result<Json> {
    let all = usize::try_from(count)? + 1;
    let big = SpanStoreOptions { head_spans: all, head_bytes: usize::MAX / 2, ..options() };
    let store = EmbeddedSpanStore::open(dir, big)?;
    let generator = SpanGenerator::new();
    for first in (0..count).step_by(BATCH_SPANS as usize) {
        let spans = (first..(first + BATCH_SPANS).min(count)).map(|index| generator.span(index)).collect();
        store.ingest(SpanBatch { spans, mark: None }).await?;
    }
    let is_whole = store.stats().await?.head_spans == count;
    let begun = Instant::now();
    store.flush().await?;
    let seconds = is_whole.then(|| begun.elapsed().as_secs_f64());
    store.close().await;
    let mut files: BTreeMap<String, u64> = BTreeMap::new();
    for block in std::fs::read_dir(dir.join("blocks"))? {
        for file in std::fs::read_dir(block?.path())? {
            let file = file?;
            *files.entry(file.file_name().to_string_lossy().into_owned()).or_default() += file.metadata()?.len();
        }
    }
    Ok(json!({ "write_seconds": seconds, "bytes": size(&dir.join("blocks"))?, "files": files }))
}
