//! `compare`: differences between a selection and all other spans.
//!
//! Counts how often each value of each attribute occurs in the selection and in the rest. Ids and times of spans are
//! not compared; lists, maps, bytes and long text count only in the totals of their attribute.

use super::{
    key,
    limits::SampleBudget,
    series::{Series, by_value},
    tally::Tally,
};
use crate::{AttributeRef, AttributeScope, CompareFunction, Field, Literal, QueryError, evaluate::SelectedSpan};
use baton_types::SpanValue;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

/// Maximum number of compared attributes.
const MAX_FIELDS: usize = 1_000;
/// Maximum number of values per attribute; with more, only the totals are reported.
const MAX_VALUES_PER_FIELD: usize = 1_000;
/// Maximum length of a counted text value in bytes; longer text is content.
const MAX_VALUE_LEN: usize = 256;
/// Default number of reported values per attribute.
const DEFAULT_TOP_VALUES: usize = 10;

/// Source of a key.
#[derive(Clone, Copy)]
enum FieldSource {
    Intrinsic,
    Resource,
    Span,
}

/// Whether the interval already had a count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IntervalEntry {
    Existing,
    New,
}

/// Counts by attribute and value.
#[derive(Clone, Debug)]
pub(super) struct ComparisonTally {
    intervals: usize,
    fields: [HashMap<String, AttributeCounts>; 3],
    bytes: usize,
}

/// Counts of one attribute.
#[derive(Clone, Debug, Default)]
struct AttributeCounts {
    totals: IntervalCounts,
    values: HashMap<Vec<u8>, (SpanValue, IntervalCounts)>,
    too_many: bool,
}

/// Number of spans in the rest and in the selection, by interval; empty intervals are omitted.
#[derive(Clone, Debug, Default)]
struct IntervalCounts(BTreeMap<usize, [u64; 2]>);

impl IntervalCounts {
    fn add(&mut self, interval: usize, is_selected: bool) -> IntervalEntry {
        let before = self.0.len();
        self.0.entry(interval).or_default()[usize::from(is_selected)] += 1;
        if self.0.len() == before { IntervalEntry::Existing } else { IntervalEntry::New }
    }

    fn merge(&mut self, other: Self) {
        for (interval, counts) in other.0 {
            let known = self.0.entry(interval).or_default();
            known.iter_mut().zip(counts).for_each(|(known, count)| *known += count);
        }
    }

    fn total(&self, side: usize) -> u64 {
        self.0.values().map(|counts| counts[side]).sum()
    }

    fn samples(&self, side: usize, intervals: usize) -> Vec<Option<f64>> {
        let mut samples = vec![Some(0.0); intervals];
        for (interval, counts) in &self.0 {
            if let Some(sample) = samples.get_mut(*interval) {
                *sample = Some(counts[side] as f64);
            }
        }
        samples
    }
}

impl Tally {
    /// Counts a span in the selection or in the rest.
    pub(super) fn compare(&mut self, compare: &CompareFunction, chosen: &SelectedSpan<'_>, interval: usize) {
        let Some((compared, max_bytes)) = self.comparison() else { return };
        let start = i64::try_from(chosen.span().start).unwrap_or(i64::MAX);
        let in_time = compare.start.is_none_or(|begins| begins <= start) && compare.end.is_none_or(|ends| start < ends);
        let is_complete = compared.add(chosen, interval, chosen.is_selected && in_time, max_bytes);
        let is_full = compared.bytes > max_bytes;
        self.is_complete &= is_complete;
        if is_full {
            self.set_full();
        }
    }
}

impl ComparisonTally {
    pub(super) fn new(intervals: usize) -> Self {
        Self { intervals, fields: Default::default(), bytes: 0 }
    }

    /// Counts all attributes of a span; returns false if a limit was reached.
    fn add(&mut self, chosen: &SelectedSpan<'_>, interval: usize, is_selected: bool, max_bytes: usize) -> bool {
        let span = chosen.span();
        let mut fits = true;
        let mut see = |from: FieldSource, name: &str, value: &SpanValue| {
            fits &= self.count_value(from, name, value, (interval, is_selected), max_bytes);
        };
        see(FieldSource::Intrinsic, "name", &SpanValue::Text(span.name.clone()));
        see(FieldSource::Intrinsic, "kind", &SpanValue::from(Literal::Kind(span.kind).to_string()));
        see(FieldSource::Intrinsic, "status", &SpanValue::from(Literal::Status(span.status).to_string()));
        if !span.status_message.is_empty() {
            see(FieldSource::Intrinsic, "statusMessage", &SpanValue::from(span.status_message.clone()));
        }
        if let Some(root) = chosen.root() {
            see(FieldSource::Intrinsic, "rootName", &SpanValue::Text(root.name.clone()));
            if let Some(service) = root.service() {
                see(FieldSource::Intrinsic, "rootServiceName", &SpanValue::from(service.to_owned()));
            }
        }
        span.resource.attributes.iter().for_each(|(name, value)| see(FieldSource::Resource, name, value));
        span.attributes.iter().for_each(|(name, value)| see(FieldSource::Span, name, value));
        fits
    }

    fn count_value(
        &mut self,
        from: FieldSource,
        name: &str,
        value: &SpanValue,
        at: (usize, bool),
        max_bytes: usize,
    ) -> bool {
        let (interval, is_selected) = at;
        let fields = &mut self.fields[from as usize];
        if !fields.contains_key(name) {
            if fields.len() >= MAX_FIELDS || self.bytes > max_bytes {
                return false;
            }
            self.bytes += name.len() + size_of::<AttributeCounts>();
            fields.insert(name.to_owned(), AttributeCounts::default());
        }
        let Some(counted) = fields.get_mut(name) else { return false };
        if counted.totals.add(interval, is_selected) == IntervalEntry::New {
            self.bytes += size_of::<(usize, [u64; 2])>();
        }
        let has_values = match value {
            SpanValue::Text(text) => text.len() <= MAX_VALUE_LEN,
            SpanValue::Bool(_) | SpanValue::Int(_) | SpanValue::Float(_) => true,
            SpanValue::List(_) | SpanValue::Map(_) | SpanValue::Bytes(_) | SpanValue::Empty => false,
        };
        if !has_values || counted.too_many {
            return true;
        }
        if self.bytes > max_bytes {
            return false;
        }
        let mut key = Vec::with_capacity(32);
        key::write(Some(value), &mut key);
        self.bytes += size_of::<(usize, [u64; 2])>();
        if let Some((_, counts)) = counted.values.get_mut(&key) {
            if counts.add(interval, is_selected) == IntervalEntry::Existing {
                self.bytes -= size_of::<(usize, [u64; 2])>();
            }
            return true;
        }
        self.bytes += 2 * key.len() + size_of::<(SpanValue, IntervalCounts)>();
        let mut counts = IntervalCounts::default();
        counts.add(interval, is_selected);
        counted.values.insert(key, (value.clone(), counts));
        counted.enforce_limit();
        true
    }

    /// Approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Merges other counts; returns false if the limit of attributes was reached.
    pub(super) fn merge(&mut self, other: Self) -> bool {
        self.bytes = self.bytes.saturating_add(other.bytes);
        let mut fits = true;
        for (fields, others) in self.fields.iter_mut().zip(other.fields) {
            for (name, counted) in others {
                if fields.len() < MAX_FIELDS || fields.contains_key(&name) {
                    fields.entry(name).or_default().merge(counted);
                } else {
                    fits = false;
                }
            }
        }
        fits
    }

    /// Totals of every attribute, and the most frequent values on each side.
    pub(super) fn series(
        self,
        compare: &CompareFunction,
        budget: &mut SampleBudget,
        series: &mut Vec<Series>,
    ) -> Result<(), QueryError> {
        let shown = compare.top.map_or(DEFAULT_TOP_VALUES, |top| usize::try_from(top).unwrap_or_default());
        let intervals = self.intervals;
        for (from, fields) in
            [FieldSource::Intrinsic, FieldSource::Resource, FieldSource::Span].into_iter().zip(self.fields)
        {
            for (name, counted) in fields {
                counted.series(&label(from, name), (intervals, shown), budget, series)?;
            }
        }
        Ok(())
    }
}

impl AttributeCounts {
    /// Drops the values once there are too many.
    fn enforce_limit(&mut self) {
        if self.values.len() > MAX_VALUES_PER_FIELD {
            self.values = HashMap::new();
            self.too_many = true;
        }
    }

    fn merge(&mut self, other: Self) {
        self.totals.merge(other.totals);
        if self.too_many || other.too_many {
            self.values = HashMap::new();
            self.too_many = true;
            return;
        }
        for (key, (value, counts)) in other.values {
            self.values.entry(key).or_insert_with(|| (value, IntervalCounts::default())).1.merge(counts);
        }
        self.enforce_limit();
    }

    fn series(
        self,
        name: &str,
        (intervals, shown): (usize, usize),
        budget: &mut SampleBudget,
        series: &mut Vec<Series>,
    ) -> Result<(), QueryError> {
        let mut values: Vec<(SpanValue, IntervalCounts)> = self.values.into_values().collect();
        values.sort_by(|left, right| by_value(&left.0, &right.0));
        for (side, kind, kind_of_totals) in [(0, "baseline", "baseline_total"), (1, "selection", "selection_total")] {
            let mut push = |kind: &'static str, value: SpanValue, counts: &IntervalCounts| {
                budget.take(intervals)?;
                let labels = vec![("__meta_type".to_owned(), SpanValue::from(kind)), (name.to_owned(), value)];
                series.push(Series { labels, samples: counts.samples(side, intervals), exemplars: Vec::new() });
                Ok::<_, QueryError>(())
            };
            if self.totals.total(side) > 0 {
                push(kind_of_totals, SpanValue::from("nil"), &self.totals)?;
            }
            let mut occurring: Vec<&(SpanValue, IntervalCounts)> =
                values.iter().filter(|(_, of)| of.total(side) > 0).collect();
            occurring.sort_by_key(|(_, counts)| Reverse(counts.total(side)));
            occurring.iter().take(shown).try_for_each(|(value, counts)| push(kind, value.clone(), counts))?;
        }
        Ok(())
    }
}

/// Name of a field in query syntax.
fn label(from: FieldSource, name: String) -> String {
    let attribute = |scope| Field::Attribute(AttributeRef { scope, of_parent: false, name: name.clone() }).to_string();
    match from {
        FieldSource::Intrinsic => name,
        FieldSource::Resource => attribute(AttributeScope::Resource),
        FieldSource::Span => attribute(AttributeScope::Span),
    }
}
