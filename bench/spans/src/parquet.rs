//! The columns of the same spans as Parquet, beside the blocks that the store has.

mod columns;
mod scan;

use crate::{
    figures::{at, size},
    generate::{Facts, Generator, PER_TRACE},
    store::options,
};
use anyhow::{Context as _, Result, ensure};
use baton_ports::{MetricsAsk, SpanBatch, SpanStore as _};
use baton_spans::{EmbeddedSpans, Options};
use baton_traceql::{Mode, Steps, parse};
use columns::Columns;
use scan::Question;
use serde_json::{Value as Json, json};
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

const BATCH: u64 = 4_096;
/// How often everything is asked.
const TIMES: usize = 21;

/// Writes both, asks both the same, and compares what they say.
pub async fn compare(dir: &Path, count: u64) -> Result<Json> {
    std::fs::create_dir_all(dir)?;
    let parquet = dir.join("columns.parquet");
    let written = columns::write(&parquet, count)?;
    let columns = Columns::open(&parquet)?;
    let store = dir.join("store");
    let blocks = fill(&store, count).await?;
    let spans = EmbeddedSpans::open(&store, options())?;
    let steps = Steps::whole(Facts::of(0).start, Facts::of(count.div_ceil(PER_TRACE) * PER_TRACE).start);
    let mut rows = Vec::new();
    for question in Question::ALL {
        let (mut of_parquet, mut of_blocks) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let begun = Instant::now();
            let scanned = scan::scan(&columns, question)?;
            of_parquet.push(begun.elapsed().as_secs_f64() * 1e3);
            let query = Arc::new(parse(question.traceql, Mode::Strict).context(question.traceql)?.query);
            let begun = Instant::now();
            let answer = spans.metrics(MetricsAsk { query, steps, exemplars: 0, aliases: false }).await?;
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
            "question": question.traceql, "parquet_p50_ms": at(&mut of_parquet, 0.5), "blocks_p50_ms": at(&mut of_blocks, 0.5),
        }));
    }
    Ok(json!({ "spans": count, "parquet": written, "blocks": blocks, "questions": rows }))
}

fn label(value: &baton_types::Value) -> String {
    value.as_text().map_or_else(|| format!("{value:?}"), str::to_owned)
}

/// In one head if it fits, so that what it takes to make a block of it can be told; the log of a head has a bound.
async fn fill(dir: &Path, count: u64) -> Result<Json> {
    let all = usize::try_from(count)? + 1;
    let big = Options { head_spans: all, head_bytes: usize::MAX / 2, ..options() };
    let store = EmbeddedSpans::open(dir, big)?;
    let generator = Generator::new();
    for first in (0..count).step_by(BATCH as usize) {
        let spans = (first..(first + BATCH).min(count)).map(|index| generator.span(index)).collect();
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
