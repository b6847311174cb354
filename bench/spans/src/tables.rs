//! The same spans and queries for relational databases.

use crate::{
    figures::{quantile, size},
    generate::SpanFacts,
    queries, sqlite,
};
use anyhow::Result;
use serde_json::{Value as Json, json};
use std::{io::Write as _, path::Path, time::Instant};

/// Fills and queries SQLite.
pub fn relational(dir: &Path, count: u64) -> Result<Json> {
    std::fs::create_dir_all(dir)?;
    let (table, seconds) = sqlite::SqliteTable::fill(&dir.join("spans.db"), count)?;
    let mut took = Vec::new();
    for question in queries::selective(count, 100) {
        let asked = Instant::now();
        if table.ask(&question)?.is_some() {
            took.push(asked.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(json!({
        "spans": count, "seconds": seconds, "per_second": count as f64 / seconds, "bytes": size(dir)?,
        "p50_ms": quantile(&mut took, 0.5), "p99_ms": quantile(&mut took, 0.99),
    }))
}

/// Writes the same spans as CSV and returns the queries.
pub fn rows(file: &Path, count: u64) -> Result<Json> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    writeln!(
        out,
        "trace,span,start,duration,error,app_agent,app_project,app_tool,app_session,app_user,app_model,app_route,\
         app_region,app_phase,app_tokens,app_score,app_cached"
    )?;
    for index in 0..count {
        let f = SpanFacts::from_index(index);
        writeln!(
            out,
            "{},{},{},{},{},agent-{},project-{},tool-{},session-{},user-{},model-{},/v1/route-{},region-{},phase-{},{},{},{}",
            f.trace,
            index,
            f.start,
            f.duration,
            f.error,
            f.agent,
            f.project,
            f.tool,
            f.trace,
            f.user,
            f.model,
            f.route,
            f.region,
            f.phase,
            f.tokens,
            f.score,
            f.cached
        )?;
    }
    out.flush()?;
    let questions: Vec<Json> = queries::selective(count, 100)
        .iter()
        .filter(|question| !question.equal.is_empty())
        .map(|question| json!({ "equal": question.equal, "tokens": question.tokens }))
        .collect();
    Ok(json!({ "questions": questions }))
}
