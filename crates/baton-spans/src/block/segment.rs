//! Search in a block.

use super::{Block, directory::FieldAt, values::Values};
use crate::{
    codec::Parts,
    index::{Atom, Counts, Found, Place, Postings, Test, Union, field_places, rows_meeting},
    segment::{Names, Segment, Summary, TracePart, Work},
};
use baton_ports::{SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, SpanNeed};
use baton_types::{Span, SpanValue, TraceId};
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

impl Segment for Block {
    fn summary(&self) -> Summary {
        let manifest = &self.manifest;
        Summary {
            class: manifest.class,
            spans: u64::from(manifest.rows),
            traces: manifest.traces,
            start: manifest.start,
            end: manifest.end,
            bytes: manifest.index_len + manifest.raw_len,
        }
    }

    fn newest_first(&self) -> bool {
        true
    }

    fn window(&self, range: TimeRange) -> Result<Range<u32>, SpanStoreError> {
        self.traces.window(&self.index, range)
    }

    fn meeting(&self, need: &SpanNeed, aliases: Aliases) -> Result<RoaringBitmap, SpanStoreError> {
        Ok(match rows_meeting(self, need, aliases)? {
            Found::All => {
                let mut all = RoaringBitmap::new();
                all.insert_range(0..self.manifest.traces);
                all
            }
            Found::Rows(rows) => self.traces.of_rows(&rows),
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
        parts: &Parts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        self.read_spans(self.traces.rows(ordinal), parts, each)
    }

    fn table(&self, work: Work<'_>) -> Result<bool, SpanStoreError> {
        if self.known.is_some() {
            work(self)?;
        }
        Ok(self.known.is_some())
    }

    fn each_span_in(
        &self,
        rows: &RoaringBitmap,
        parts: &Parts,
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

    fn names(&self) -> Result<Names, SpanStoreError> {
        let fields = self.directory.fields.iter();
        Ok(fields.filter_map(|field| Some((field.place.scope()?, field.key.clone()))).collect())
    }

    fn values(
        &self,
        field: &Field,
        of: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Result<Vec<(SpanValue, u64)>, SpanStoreError> {
        let (places, key) = field_places(field);
        let rows = of.map(|of| self.traces.rows_of(of));
        let mut counts = Counts::default();
        for place in places {
            let Some((number, field)) = self.field(*place, key) else { continue };
            for form in &field.forms {
                let mut values = Values::new(&self.index, self.fences(number, form)?, self.manifest.rows);
                while !counts.is_full() && values.advance()? {
                    let spans = match &rows {
                        Some(rows) => values.count_among(rows)?,
                        None => u64::from(values.count()),
                    };
                    counts.add(form.form, values.value(), spans);
                }
            }
        }
        Ok(counts.finish(key, places.contains(&Place::Own), limit))
    }
}

impl Block {
    /// Passes the values for which a predicate may hold to the callback; without the decoded value if the byte range
    /// alone decides.
    pub(super) fn each_matching(
        &self,
        (number, field): (usize, &FieldAt),
        test: &Test,
        mut each: impl FnMut(Option<Atom<'_>>, &Values<'_>) -> Result<(), SpanStoreError>,
    ) -> Result<(), SpanStoreError> {
        for form in &field.forms {
            let Some((low, high)) = test.within(form.form) else { continue };
            let range = test.is_range(form.form);
            let mut values = Values::new(&self.index, self.fences(number, form)?, self.manifest.rows);
            if let Some(low) = &low {
                values = values.from(low);
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

impl Postings for Block {
    fn rows(&self) -> u32 {
        self.manifest.rows
    }

    fn find(&self, place: Place, key: &str, test: &Test) -> Result<RoaringBitmap, SpanStoreError> {
        let Some((number, field)) = self.field(place, key) else { return Ok(RoaringBitmap::new()) };
        let mut union = Union::new(self.manifest.rows);
        if let Some(odd) = field.odd {
            union.add_map(odd.read(&self.index, self.manifest.rows)?);
        }
        self.each_matching((number, field), test, |_, values| values.add_to(&mut union))?;
        Ok(union.finish())
    }

    fn present(&self, place: Place, key: &str) -> Result<RoaringBitmap, SpanStoreError> {
        match self.field(place, key) {
            Some((_, field)) => field.present.read(&self.index, self.manifest.rows),
            None => Ok(RoaringBitmap::new()),
        }
    }

    fn unlisted(&self) -> Result<RoaringBitmap, SpanStoreError> {
        match self.directory.unlisted {
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

    fn at_most(&self, place: Place, key: &str, test: &Test) -> usize {
        if test.is_equality() {
            return 0;
        }
        let forms = self.field(place, key).map_or(&[][..], |(_, field)| &field.forms);
        let asked = forms.iter().filter(|form| test.within(form.form).is_some());
        asked.map(|form| form.chunks as usize).sum()
    }

    fn cost(&self, place: Place, key: &str, test: &Test) -> Result<usize, SpanStoreError> {
        let Some((number, field)) = self.field(place, key) else { return Ok(0) };
        let mut cost = 0;
        for form in &field.forms {
            cost += match test.within(form.form) {
                Some((None, None)) => form.chunks as usize,
                Some((low, high)) => self.fences(number, form)?.between(low.as_deref(), high.as_deref()),
                None => 0,
            };
        }
        Ok(cost)
    }
}
