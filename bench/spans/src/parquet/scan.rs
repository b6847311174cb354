//! Queries answered by full column scans.

use super::columns::ParquetColumns;
use anyhow::{Context as _, Result};
use arrow_array::{
    Array as _, DictionaryArray, Int64Array, RecordBatch, StringArray,
    cast::AsArray as _,
    types::{Int32Type, Int64Type},
};
use std::collections::BTreeMap;

/// A query in both forms.
pub struct ScanQuery {
    pub traceql: &'static str,
    /// Text columns with their conditions.
    text: &'static [(&'static str, fn(&str) -> bool)],
    /// Numeric columns with their minimum values.
    least: &'static [(&'static str, i64)],
    by: &'static [&'static str],
    /// Column to sum; without it, spans are counted.
    sum: Option<&'static str>,
}

impl ScanQuery {
    pub const ALL: &'static [Self] = &[
        Self {
            traceql: "{ } | count_over_time() by (resource.service.name)",
            text: &[],
            least: &[],
            by: &["service"],
            sum: None,
        },
        Self {
            traceql: "{ status = error } | count_over_time() by (span.app.tool)",
            text: &[("status", |text| text == "error")],
            least: &[],
            by: &["app.tool"],
            sum: None,
        },
        Self {
            traceql: "{ } | count_over_time() by (span.app.model, span.app.region)",
            text: &[],
            least: &[],
            by: &["app.model", "app.region"],
            sum: None,
        },
        Self {
            traceql: r#"{ span.app.agent = "agent-7" && duration >= 1s } | count_over_time()"#,
            text: &[("app.agent", |text| text == "agent-7")],
            least: &[("duration", 1_000_000_000)],
            by: &[],
            sum: None,
        },
        Self {
            traceql: r#"{ span.app.user = "user-77" && span.app.tokens >= 5000 } | count_over_time() by (span.app.model)"#,
            text: &[("app.user", |text| text == "user-77")],
            least: &[("app.tokens", 5_000)],
            by: &["app.model"],
            sum: None,
        },
        Self {
            traceql: r#"{ span.app.tool =~ "tool-1.*" } | sum_over_time(span.app.tokens) by (span.app.model)"#,
            text: &[("app.tool", |text| text.starts_with("tool-1"))],
            least: &[],
            by: &["app.model"],
            sum: Some("app.tokens"),
        },
    ];
}

/// Counts or sums by group.
pub fn scan(columns: &ParquetColumns, question: &ScanQuery) -> Result<BTreeMap<String, f64>> {
    let mut names: Vec<&str> = question.text.iter().map(|(name, _)| *name).collect();
    names.extend(question.least.iter().map(|(name, _)| *name));
    names.extend(question.by);
    names.extend(question.sum);
    let mut groups = BTreeMap::new();
    for batch in columns.read(&names)? {
        add(&batch?, question, &mut groups)?;
    }
    Ok(groups)
}

fn add(batch: &RecordBatch, question: &ScanQuery, groups: &mut BTreeMap<String, f64>) -> Result<()> {
    let mut wanted = vec![true; batch.num_rows()];
    for (name, is) in question.text {
        let column = text(batch, name)?;
        let values: Vec<bool> = words(column).map(is).collect();
        for (wanted, key) in wanted.iter_mut().zip(column.keys().values()) {
            *wanted &= values[*key as usize];
        }
    }
    for (name, least) in question.least {
        for (wanted, number) in wanted.iter_mut().zip(numbers(batch, name)?.values()) {
            *wanted &= number >= least;
        }
    }
    let mut of_row = vec![0_usize; batch.num_rows()];
    let mut labels = vec![String::new()];
    for name in question.by {
        let column = text(batch, name)?;
        let values = column.values().len().max(1);
        for (group, key) in of_row.iter_mut().zip(column.keys().values()) {
            *group = *group * values + *key as usize;
        }
        let with = |label: &String| {
            words(column)
                .map(|word| if label.is_empty() { word.to_owned() } else { format!("{label} {word}") })
                .collect::<Vec<_>>()
        };
        labels = labels.iter().flat_map(with).collect();
    }
    let mut sums = vec![None; labels.len()];
    let summed = question.sum.map(|name| numbers(batch, name)).transpose()?;
    for (row, (wanted, group)) in wanted.iter().zip(&of_row).enumerate() {
        if *wanted {
            *sums[*group].get_or_insert(0_i64) += summed.map_or(1, |numbers| numbers.value(row));
        }
    }
    for (label, sum) in labels.into_iter().zip(sums) {
        let label = if label.is_empty() { "count_over_time".to_owned() } else { label };
        if let Some(sum) = sum {
            *groups.entry(label).or_default() += sum as f64;
        }
    }
    Ok(())
}

fn text<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a DictionaryArray<Int32Type>> {
    batch
        .column_by_name(name)
        .and_then(|column| column.as_dictionary_opt::<Int32Type>())
        .with_context(|| format!("{name} is no text"))
}

fn numbers<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Int64Array> {
    batch
        .column_by_name(name)
        .and_then(|column| column.as_primitive_opt::<Int64Type>())
        .with_context(|| format!("{name} has no numbers"))
}

fn words(column: &DictionaryArray<Int32Type>) -> impl Iterator<Item = &str> {
    let values: &StringArray = column.values().as_string();
    (0..values.len()).map(|index| values.value(index))
}
