//! Search in a head.

use super::{
    SpanHead,
    columns::{HeadColumn, HeadColumns},
    content::HeadContent,
};
use crate::{
    codec::{self, SpanParts},
    index::{
        Atom, AtomKind, IndexPredicate, Postings, RowCandidates, RowUnion, ValueCounts, ValueLocation, candidate_rows,
        field_locations,
    },
    segment::{AttributeNames, Segment, SegmentSummary, TableVisitor, TracePart},
};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, SpanPredicate};
use baton_types::{Span, SpanValue, TraceId};
use roaring::RoaringBitmap;
use std::{
    ops::{ControlFlow, Range},
    sync::Arc,
};

impl Segment for SpanHead {
    fn summary(&self) -> SegmentSummary {
        let times = self.times();
        SegmentSummary {
            class: self.class,
            spans: self.spans_len() as u64,
            start: times.start.min(times.end),
            end: times.end,
            bytes: 0,
        }
    }

    fn traces(&self) -> u32 {
        self.content().traces.len() as u32
    }

    fn newest_first(&self) -> bool {
        false
    }

    fn window(&self, range: TimeRange) -> Result<Range<u32>, SpanStoreError> {
        let content = self.content();
        let touches = |trace: &super::content::HeadTrace| range.overlaps(trace.start, trace.end);
        let first = content.traces.iter().position(touches);
        let last = content.traces.iter().rposition(touches);
        Ok(match (first, last) {
            (Some(first), Some(last)) => first as u32..last as u32 + 1,
            _ => 0..0,
        })
    }

    fn matching_traces(&self, need: &SpanPredicate, aliases: Aliases) -> Result<RoaringBitmap, SpanStoreError> {
        let content = self.content();
        let mut ordinals = RowUnion::new(content.traces.len() as u32);
        match candidate_rows(&*content, need, aliases)? {
            RowCandidates::All => {
                let mut all = RoaringBitmap::new();
                all.insert_range(0..content.traces.len() as u32);
                return Ok(all);
            }
            RowCandidates::Rows(rows) => {
                for row in rows {
                    if let Some(ordinal) = content.trace_of.get(row as usize) {
                        ordinals.add(&[*ordinal]);
                    }
                }
            }
        }
        Ok(ordinals.finish())
    }

    fn part(&self, ordinal: u32) -> Result<TracePart, SpanStoreError> {
        let content = self.indexed();
        let trace = content.traces.get(ordinal as usize).ok_or_else(unknown_trace)?;
        Ok(TracePart { id: trace.id, start: trace.start, end: trace.end })
    }

    fn ordinal(&self, trace: TraceId) -> Result<Option<u32>, SpanStoreError> {
        Ok(self.content().ordinal(trace))
    }

    fn each_span(
        &self,
        ordinal: u32,
        parts: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        let content = self.indexed();
        let mut bytes = 0;
        for row in content.rows_of(ordinal) {
            let (resource, scope) = &content.shared[content.shared_of[row as usize] as usize];
            let body = content.body(row);
            bytes += body.len() as u64;
            if each(codec::read_parts(body, parts, Arc::clone(resource), Arc::clone(scope))?).is_break() {
                break;
            }
        }
        Ok(bytes)
    }

    fn table(&self, work: TableVisitor<'_>) -> Result<bool, SpanStoreError> {
        work(&*self.content())?;
        Ok(true)
    }

    fn each_span_in(
        &self,
        rows: &RoaringBitmap,
        parts: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        let mut bytes = 0;
        for row in rows {
            // Locked per row, so that spans can be added meanwhile.
            let content = self.indexed();
            let Some(shared) = content.shared_of.get(row as usize) else { continue };
            let (resource, scope) = content.shared[*shared as usize].clone();
            let body = content.body(row);
            bytes += body.len() as u64;
            let span = codec::read_parts(body, parts, resource, scope)?;
            drop(content);
            if each(span).is_break() {
                break;
            }
        }
        Ok(bytes)
    }

    fn names(&self) -> Result<AttributeNames, SpanStoreError> {
        let content = self.content();
        let columns = content.own.columns.iter().chain(&content.common.columns);
        Ok(columns.filter_map(|column| Some((column.location.scope()?, column.key.to_string()))).collect())
    }

    fn values(
        &self,
        field: &Field,
        of: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Result<Vec<(SpanValue, u64)>, SpanStoreError> {
        let content = self.content();
        let (locations, key) = field_locations(field);
        let mut counts = ValueCounts::default();
        let within =
            |row: usize| of.is_none_or(|of| content.trace_of.get(row).is_some_and(|trace| of.contains(*trace)));
        for location in locations {
            let Some(column) = content.columns(*location).get(*location, key) else { continue };
            if location.is_shared() {
                let mut rows = vec![0; content.shared.len()];
                for (row, shared) in content.shared_of.iter().enumerate() {
                    rows[*shared as usize] += u64::from(within(row));
                }
                count(column, &mut counts, |entry| rows[entry as usize]);
            } else {
                count(column, &mut counts, |entry| u64::from(within(entry as usize)));
            }
        }
        Ok(counts.finish(key, locations.contains(&ValueLocation::Own), limit))
    }
}

/// Counts the values of a column, each once per entry.
fn count(column: &HeadColumn, counts: &mut ValueCounts, weight: impl Fn(u32) -> u64) {
    let mut texts = vec![(0u64, None); column.dictionary.len()];
    for (entry, number) in column.texts.entries.iter().zip(&column.texts.values) {
        let (count, last) = &mut texts[*number as usize];
        if *last != Some(*entry) {
            *count += weight(*entry);
            *last = Some(*entry);
        }
    }
    for (number, (spans, _)) in texts.into_iter().enumerate() {
        counts.add(AtomKind::Text, column.dictionary.text(number as u32).as_bytes(), spans);
    }
    let ints = column.ints.entries.iter().zip(&column.ints.values).map(|(entry, value)| (*entry, Atom::Int(*value)));
    let floats =
        column.floats.entries.iter().zip(&column.floats.values).map(|(entry, value)| (*entry, Atom::Float(*value)));
    let bools =
        column.bools.entries.iter().zip(&column.bools.values).map(|(entry, value)| (*entry, Atom::Bool(*value)));
    // Values are equal if their bytes are, as in blocks: 0.0 and -0.0 differ, NaN equals NaN.
    let mut of_entry: (Option<u32>, Vec<(AtomKind, u64)>) = (None, Vec::new());
    for (entry, atom) in ints.chain(floats).chain(bools) {
        if of_entry.0 != Some(entry) {
            of_entry = (Some(entry), Vec::new());
        }
        let value = (atom.form(), atom.ordered());
        if !of_entry.1.contains(&value) {
            of_entry.1.push(value);
            counts.add(atom.form(), &atom.bytes(), weight(entry));
        }
    }
}

impl HeadContent {
    /// The columns of a location.
    pub(super) fn columns(&self, location: ValueLocation) -> &HeadColumns {
        if location.is_shared() { &self.common } else { &self.own }
    }

    /// The rows of entries in the columns of a location.
    pub(super) fn rows_of_entries(&self, location: ValueLocation, entries: &[u32]) -> RoaringBitmap {
        let mut rows = RowUnion::new(self.rows.len() as u32);
        if location.is_shared() {
            self.add_rows_of_shared(&mut rows, entries);
        } else {
            rows.add(entries);
        }
        rows.finish()
    }

    fn add_rows_of_shared(&self, rows: &mut RowUnion, shared: &[u32]) {
        if shared.is_empty() {
            return;
        }
        let mut found = vec![false; self.shared.len()];
        for number in shared {
            found[*number as usize] = true;
        }
        for (row, number) in self.shared_of.iter().enumerate() {
            if found[*number as usize] {
                rows.add(&[row as u32]);
            }
        }
    }
}

impl Postings for HeadContent {
    fn rows(&self) -> u32 {
        self.rows.len() as u32
    }

    fn find(&self, location: ValueLocation, key: &str, test: &IndexPredicate) -> Result<RoaringBitmap, SpanStoreError> {
        let columns = self.columns(location);
        let entries = columns.get(location, key).map(|column| column.find(test, columns.state())).unwrap_or_default();
        Ok(self.rows_of_entries(location, &entries))
    }

    fn present(&self, location: ValueLocation, key: &str) -> Result<RoaringBitmap, SpanStoreError> {
        let entries = self.columns(location).get(location, key).map(HeadColumn::present).unwrap_or_default();
        Ok(self.rows_of_entries(location, &entries))
    }

    fn unindexed(&self) -> Result<RoaringBitmap, SpanStoreError> {
        let mut rows = RowUnion::new(self.rows.len() as u32);
        rows.add(&self.own.unindexed);
        self.add_rows_of_shared(&mut rows, &self.common.unindexed);
        Ok(rows.finish())
    }

    fn trace(&self, id: TraceId) -> Result<RoaringBitmap, SpanStoreError> {
        Ok(self.ordinal(id).map(|ordinal| self.rows_of(ordinal).collect()).unwrap_or_default())
    }

    fn max_cost(&self, _place: ValueLocation, _key: &str, _test: &IndexPredicate) -> usize {
        0
    }

    fn cost(&self, _place: ValueLocation, _key: &str, _test: &IndexPredicate) -> Result<usize, SpanStoreError> {
        Ok(0)
    }
}

fn unknown_trace() -> SpanStoreError {
    SpanStoreError::Unavailable("the head has no trace with that number".to_owned())
}
