//! Search in a block.

use super::{SpanBlock, directory::FieldEntry, values::ValueCursor};
use crate::{
    codec::SpanParts,
    index::{
        Atom, IndexPredicate, Postings, RowCandidates, RowUnion, ValueCounts, ValueLocation, candidate_rows,
        field_locations,
    },
    segment::{AttributeNames, Segment, SegmentSummary, TableVisitor, TracePart},
};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, SpanPredicate};
use baton_types::{Span, SpanValue, TraceId};
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

impl Segment for SpanBlock {
    fn summary(&self) -> SegmentSummary {
        let manifest = &self.manifest;
        SegmentSummary {
            class: manifest.class,
            spans: u64::from(manifest.rows),
            start: manifest.start,
            end: manifest.end,
            bytes: manifest.index_len + manifest.raw_len,
        }
    }

    fn traces(&self) -> u32 {
        self.manifest.traces
    }

    fn newest_first(&self) -> bool {
        true
    }

    fn window(&self, range: TimeRange) -> Result<Range<u32>, SpanStoreError> {
        self.traces.window(&self.index, range)
    }

    fn matching_traces(&self, need: &SpanPredicate, aliases: Aliases) -> Result<RoaringBitmap, SpanStoreError> {
        Ok(match candidate_rows(self, need, aliases)? {
            RowCandidates::All => {
                let mut all = RoaringBitmap::new();
                all.insert_range(0..self.manifest.traces);
                all
            }
            RowCandidates::Rows(rows) => self.traces.ordinals_of_rows(&rows),
        })
    }

    fn part(&self, ordinal: u32) -> Result<TracePart, SpanStoreError> {
        self.traces.part(&self.index, ordinal)
    }

    fn ordinal(&self, trace: TraceId) -> Result<Option<u32>, SpanStoreError> {
        self.traces.ordinal(&self.index, trace)
    }

    fn each_span(
        &self,
        ordinal: u32,
        parts: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        self.read_spans(self.traces.rows(ordinal), parts, each)
    }

    fn table(&self, work: TableVisitor<'_>) -> Result<bool, SpanStoreError> {
        if self.row_columns.is_some() {
            work(self)?;
        }
        Ok(self.row_columns.is_some())
    }

    fn each_span_in(
        &self,
        rows: &RoaringBitmap,
        parts: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        let (mut read, mut flow) = (0, ControlFlow::Continue(()));
        let mut left = rows.iter().peekable();
        while let Some(first) = left.next().filter(|_| flow.is_continue()) {
            let mut end = first + 1;
            while left.next_if_eq(&end).is_some() {
                end += 1;
            }
            read += self.read_spans(first..end, parts, &mut |span| {
                flow = each(span);
                flow
            })?;
        }
        Ok(read)
    }

    fn names(&self) -> Result<AttributeNames, SpanStoreError> {
        let fields = self.directory.fields.iter();
        Ok(fields.filter_map(|field| Some((field.place.scope()?, field.key.clone()))).collect())
    }

    fn values(
        &self,
        field: &Field,
        of: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Result<Vec<(SpanValue, u64)>, SpanStoreError> {
        let (locations, key) = field_locations(field);
        let rows = of.map(|of| self.traces.rows_of(of));
        let mut counts = ValueCounts::default();
        for location in locations {
            let Some((number, field)) = self.field(*location, key) else { continue };
            for form in &field.forms {
                let mut values = ValueCursor::new(&self.index, self.fences(number, form)?, self.manifest.rows);
                while !counts.is_full() && values.advance()? {
                    let spans = match &rows {
                        Some(rows) => values.count_among(rows)?,
                        None => u64::from(values.count()),
                    };
                    counts.add(form.form, values.value(), spans);
                }
            }
        }
        Ok(counts.finish(key, locations.contains(&ValueLocation::Own), limit))
    }
}

impl SpanBlock {
    /// Passes the values for which a predicate may hold to the callback; without the decoded value if the byte range
    /// alone decides.
    pub(super) fn each_matching_value(
        &self,
        (number, field): (usize, &FieldEntry),
        test: &IndexPredicate,
        mut each: impl FnMut(Option<Atom<'_>>, &ValueCursor<'_>) -> Result<(), SpanStoreError>,
    ) -> Result<(), SpanStoreError> {
        for form in &field.forms {
            let Some((low, high)) = test.value_range(form.form) else { continue };
            let range = test.is_range(form.form);
            let mut values = ValueCursor::new(&self.index, self.fences(number, form)?, self.manifest.rows);
            if let Some(low) = &low {
                values = values.starting_at(low);
            }
            while values.advance()? {
                if high.as_deref().is_some_and(|high| values.value() > high) {
                    break;
                }
                if low.as_deref().is_some_and(|low| values.value() < low) {
                    continue;
                }
                let bound = low.as_deref() == Some(values.value()) || high.as_deref() == Some(values.value());
                if range && !bound {
                    each(None, &values)?;
                    continue;
                }
                let atom = Atom::read(form.form, values.value());
                let atom = atom.ok_or_else(|| self.index.corrupt("a value cannot be read"))?;
                if test.holds(atom) {
                    each(Some(atom), &values)?;
                }
            }
        }
        Ok(())
    }
}

impl Postings for SpanBlock {
    fn rows(&self) -> u32 {
        self.manifest.rows
    }

    fn find(&self, location: ValueLocation, key: &str, test: &IndexPredicate) -> Result<RoaringBitmap, SpanStoreError> {
        let Some((number, field)) = self.field(location, key) else { return Ok(RoaringBitmap::new()) };
        let mut union = RowUnion::new(self.manifest.rows);
        if let Some(odd) = field.odd {
            union.add_map(odd.read(&self.index, self.manifest.rows)?);
        }
        self.each_matching_value((number, field), test, |_, values| values.add_to(&mut union))?;
        Ok(union.finish())
    }

    fn present(&self, location: ValueLocation, key: &str) -> Result<RoaringBitmap, SpanStoreError> {
        match self.field(location, key) {
            Some((_, field)) => field.present.read(&self.index, self.manifest.rows),
            None => Ok(RoaringBitmap::new()),
        }
    }

    fn unindexed(&self) -> Result<RoaringBitmap, SpanStoreError> {
        match self.directory.unindexed {
            Some(rows) => rows.read(&self.index, self.manifest.rows),
            None => Ok(RoaringBitmap::new()),
        }
    }

    fn trace(&self, id: TraceId) -> Result<RoaringBitmap, SpanStoreError> {
        let mut rows = RoaringBitmap::new();
        if let Some(ordinal) = self.traces.ordinal(&self.index, id)? {
            rows.insert_range(self.traces.rows(ordinal));
        }
        Ok(rows)
    }

    fn max_cost(&self, location: ValueLocation, key: &str, test: &IndexPredicate) -> usize {
        if test.is_equality() {
            return 0;
        }
        let forms = self.field(location, key).map_or(&[][..], |(_, field)| &field.forms);
        let matching = forms.iter().filter(|form| test.value_range(form.form).is_some());
        matching.map(|form| form.chunks as usize).sum()
    }

    fn cost(&self, location: ValueLocation, key: &str, test: &IndexPredicate) -> Result<usize, SpanStoreError> {
        let Some((number, field)) = self.field(location, key) else { return Ok(0) };
        let mut cost = 0;
        for form in &field.forms {
            cost += match test.value_range(form.form) {
                Some((None, None)) => form.chunks as usize,
                Some((low, high)) => self.fences(number, form)?.count_chunks(low.as_deref(), high.as_deref()),
                None => 0,
            };
        }
        Ok(cost)
    }
}
