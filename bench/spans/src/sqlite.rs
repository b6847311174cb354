//! The same spans in SQLite: a table of spans, and an indexed row for each attribute.

use crate::{
    generate::{SpanFacts, SpanGenerator, service},
    queries::SelectiveQuery,
};
use anyhow::Result;
use baton_types::SpanValue;
use rusqlite::{Connection, params};
use std::{path::Path, time::Instant};

pub struct SqliteTable {
    connection: Connection,
}

impl SqliteTable {
    /// Ingests in transactions of 5,000 spans; returns the seconds.
    pub fn fill(path: &Path, spans: u64) -> Result<(Self, f64)> {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;
             CREATE TABLE span (id INTEGER PRIMARY KEY, trace INTEGER, start INTEGER, duration INTEGER, name TEXT,
                 service TEXT, error INTEGER, body TEXT);
             CREATE INDEX span_trace ON span (trace);
             CREATE TABLE attribute (key TEXT, value, span INTEGER);
             CREATE INDEX attribute_value ON attribute (key, value, span);",
        )?;
        let generator = SpanGenerator::new();
        let begun = Instant::now();
        for batch in (0..spans).step_by(5_000) {
            let transaction = connection.unchecked_transaction()?;
            {
                let mut span_row = transaction.prepare_cached("INSERT INTO span VALUES (?,?,?,?,?,?,?,?)")?;
                let mut attribute_row = transaction.prepare_cached("INSERT INTO attribute VALUES (?,?,?)")?;
                for index in batch..(batch + 5_000).min(spans) {
                    let (span, facts) = (generator.span(index), SpanFacts::from_index(index));
                    let id = i64::try_from(index)?;
                    let (start, duration) = (i64::try_from(facts.start)?, i64::try_from(facts.duration)?);
                    let trace = i64::try_from(facts.trace)?;
                    let (name, body) = (span.name.as_ref(), span.status_message.as_str());
                    span_row.execute(params![id, trace, start, duration, name, service(&span), facts.error, body])?;
                    for (key, value) in facts.attributes() {
                        match value {
                            SpanValue::Text(text) => attribute_row.execute(params![key, text.as_ref(), id])?,
                            SpanValue::Int(number) => attribute_row.execute(params![key, number, id])?,
                            SpanValue::Float(number) => attribute_row.execute(params![key, number, id])?,
                            SpanValue::Bool(yes) => attribute_row.execute(params![key, yes, id])?,
                            _ => 0,
                        };
                    }
                }
            }
            transaction.commit()?;
        }
        let took = begun.elapsed().as_secs_f64();
        Ok((Self { connection }, took))
    }

    /// Number of matching spans; `None` if the query has no SQL form.
    pub fn ask(&self, question: &SelectiveQuery) -> Result<Option<usize>> {
        if question.equal.is_empty() {
            return Ok(None);
        }
        let mut sql = "SELECT span.id, span.trace, span.start, span.duration, span.name FROM span".to_owned();
        for (number, (key, value)) in question.equal.iter().enumerate() {
            sql += &format!(
                " JOIN attribute a{number} ON a{number}.span = span.id AND a{number}.key = '{key}' AND a{number}.value = '{value}'"
            );
        }
        if let Some(tokens) = question.tokens {
            sql += &format!(" JOIN attribute t ON t.span = span.id AND t.key = 'app.tokens' AND t.value >= {tokens}");
        }
        sql += " ORDER BY span.start DESC LIMIT 200";
        let mut found = self.connection.prepare(&sql)?;
        let rows = found.query_map([], |row| row.get::<_, i64>(0))?;
        Ok(Some(rows.count()))
    }
}
