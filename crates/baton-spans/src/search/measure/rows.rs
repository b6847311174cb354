//! Counts row by row, without reading the spans of most rows.

use super::{
    LeafCounter, LeafFields, MetricsContext,
    duplicates::{DuplicateTraces, WholeTraces},
    exemplars::{ExemplarRow, ExemplarSampler},
    groups::{RowGroups, each_first_value},
    intervals::RowIntervals,
    numbers::NumberSorter,
    tally_groups::TallyGroups,
};
use crate::{
    codec::SpanParts,
    index::{Atom, FieldSources, RowSelection, RowTable, evaluate_filter},
    search::budget::QueryBudget,
};
use baton_span_ports::SpanStoreError;
use baton_traceql::{Exemplar, Field, FieldExpr, GroupIndex, Intrinsic, Tally};
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// Maximum number of cells that are counted in a local array.
const MAX_LOCAL_CELLS: usize = 1 << 21;
/// Working memory per row in bytes: its interval, its group and its selection.
const BYTES_PER_ROW: usize = size_of::<u16>() + size_of::<u32>() + 1;
/// Working memory per row and grouping field, in bytes.
const BYTES_PER_LABEL: usize = size_of::<u32>();
/// Number of rows between two deadline checks.
const DEADLINE_CHECK_INTERVAL: usize = 4_096;

/// Rows of a segment to count.
#[derive(Clone, Copy)]
pub(super) enum RowSource<'a> {
    /// The rows that match a filter; none matches all.
    Filter(Option<&'a FieldExpr>),
    /// Selected rows.
    Selected(&'a RowSelection),
}

impl LeafCounter<'_> {
    /// Counts single spans.
    pub(super) fn count_single_spans(
        &mut self,
        filter: Option<&FieldExpr>,
        fields: LeafFields<'_>,
        once: &DuplicateTraces,
    ) -> Result<(), SpanStoreError> {
        let context = self.context;
        for (number, segment) in context.segments.iter().enumerate() {
            let Some(known) = once.rows[number] else { continue };
            if self.is_late() {
                return Ok(());
            }
            let window = segment.window(context.time)?;
            let rows = |table: &dyn RowTable| {
                let between = table.rows_between(window.clone());
                // Rows added since were not checked for duplicates.
                between.start.min(known)..between.end.min(known)
            };
            self.count_rows(number, &rows, RowSource::Filter(filter), fields, &once.whole)?;
        }
        if once.whole.traces.is_empty() {
            return Ok(());
        }
        let plan = self.plan()?;
        self.count_whole_traces(&plan, &once.whole)
    }

    /// Counts rows of a segment, except for those of traces that are read as a whole.
    pub(super) fn count_rows(
        &mut self,
        number: usize,
        rows: &dyn Fn(&dyn RowTable) -> Range<u32>,
        source: RowSource<'_>,
        fields: LeafFields<'_>,
        whole: &WholeTraces,
    ) -> Result<(), SpanStoreError> {
        let context = self.context;
        let mut left = SegmentRemainder::default();
        context.segments[number].table(&mut |table| {
            let apart = table.rows_of(&whole.excluded[number]);
            let mut counter = SegmentCounter { context, source, fields, table, tally: &mut self.tally };
            left = counter.count(rows(table), &apart)?;
            Ok(())
        })?;
        self.answer.inspected_spans += left.spans;
        self.answer.inspected_bytes += left.bytes;
        self.answer.partial |= left.partial;
        self.tally.check_room()?;
        self.count_undecided(number, source, &left)?;
        self.add_exemplars(number, left)?;
        Ok(self.tally.check_room()?)
    }

    /// Reads the spans that the index cannot decide.
    fn count_undecided(
        &mut self,
        segment: usize,
        source: RowSource<'_>,
        left: &SegmentRemainder,
    ) -> Result<(), SpanStoreError> {
        let MetricsContext { segments, measure, parts, budget, .. } = self.context;
        let (mut looked, mut late) = (0, false);
        let bytes = segments[segment].each_span_in(&left.undecided, parts, &mut |span| {
            looked += 1;
            let looks = looked % DEADLINE_CHECK_INTERVAL == 0;
            late = looks && budget.is_expired();
            if late || looks && self.tally.check_room().is_err() {
                return ControlFlow::Break(());
            }
            match source {
                RowSource::Filter(_) => measure.add_span(self.leaf, &mut self.tally, &span),
                RowSource::Selected(_) => measure.add_selected_span(self.leaf, &mut self.tally, &span),
            }
            ControlFlow::Continue(())
        })?;
        self.answer.inspected_bytes += bytes;
        self.answer.partial |= late;
        Ok(())
    }

    /// Reads the exemplars.
    fn add_exemplars(&mut self, segment: usize, left: SegmentRemainder) -> Result<(), SpanStoreError> {
        let rows: RoaringBitmap = left.exemplars.iter().map(|(shown, _)| shown.row).collect();
        let mut shown = left.exemplars.into_iter().peekable();
        let mut row = rows.iter();
        let bytes = self.context.segments[segment].each_span_in(&rows, &SpanParts::MINIMAL, &mut |span| {
            let Some(row) = row.next() else { return ControlFlow::Break(()) };
            while let Some((shown, group)) = shown.next_if(|(shown, _)| shown.row <= row) {
                let exemplar = Exemplar { trace: span.trace, span: span.id, at: span.start, value: shown.value };
                self.tally.add_exemplar(group, exemplar);
            }
            ControlFlow::Continue(())
        })?;
        self.answer.inspected_bytes += bytes;
        Ok(())
    }
}

/// Remaining work after the rows of a segment were counted.
#[derive(Default)]
struct SegmentRemainder {
    undecided: RoaringBitmap,
    exemplars: Vec<(ExemplarRow, GroupIndex)>,
    spans: u64,
    bytes: u64,
    partial: bool,
}

/// Counter for the rows of one segment.
struct SegmentCounter<'a> {
    context: MetricsContext<'a>,
    source: RowSource<'a>,
    fields: LeafFields<'a>,
    table: &'a dyn RowTable,
    tally: &'a mut Tally,
}

impl SegmentCounter<'_> {
    fn count(&mut self, rows: Range<u32>, apart: &RoaringBitmap) -> Result<SegmentRemainder, SpanStoreError> {
        let MetricsContext { aliases, budget, measure, .. } = self.context;
        let mut left = SegmentRemainder { spans: rows.len() as u64, ..SegmentRemainder::default() };
        let mut room = budget.reserve(rows.len() * BYTES_PER_ROW)?;
        let mut intervals = RowIntervals::new(rows.clone(), measure.steps());
        left.bytes =
            self.table.each_start(rows.clone(), intervals.time(), &mut |first, starts| intervals.set(first, starts))?;
        let mut selection = match self.source {
            RowSource::Filter(None) => intervals.all_rows(),
            RowSource::Selected(selected) => intervals.all_rows().intersection(selected),
            RowSource::Filter(Some(filter)) => {
                let decided = evaluate_filter(self.table, filter, aliases)?;
                left.undecided = decided.possible;
                intervals.select(&decided.certain)
            }
        };
        selection.remove(apart);
        let LeafFields { by, of } = self.fields;
        let by: Vec<_> =
            by.iter().filter_map(|field| Some((field, FieldSources::from_field(field, aliases)?))).collect();
        let of = of.and_then(|field| Some((field, FieldSources::from_field(field, aliases)?)));
        for (_, sources) in by.iter().chain(&of) {
            self.defer_undecided(sources, &mut selection, &mut left.undecided)?;
        }
        let mut groups = RowGroups::new(&selection);
        for (field, sources) in &by {
            if selection.is_empty() {
                break;
            }
            room.grow(rows.len() * BYTES_PER_LABEL)?;
            groups.split_by_field(
                self.table,
                (field, sources),
                &mut selection,
                &mut left.undecided,
                (budget, &mut room),
            )?;
        }
        left.undecided -= apart;
        left.undecided = intervals.in_time(&left.undecided);
        left.partial = groups.partial;
        if selection.is_empty() || groups.partial && budget.is_expired() {
            return Ok(left);
        }
        let mut choice = ExemplarSampler::new(groups.values.len(), measure.exemplars());
        let mut named = TallyGroups::new(groups.values.len());
        match &of {
            Some((field, sources)) if is_numeric(field) => {
                let mut numbers = NumberSorter::new(self.tally, &intervals, &groups, &mut named, &mut choice);
                left.partial |= !each_number(self.table, (field, sources), &selection, budget, &mut numbers)?;
                numbers.finish();
            }
            Some(_) => {}
            None => self.add_counts(&selection, &intervals, &groups, &mut named, &mut choice),
        }
        let group = |shown: ExemplarRow| Some((shown, named.known(shown.group)?));
        left.exemplars = choice.finish().into_iter().filter_map(group).collect();
        Ok(left)
    }

    /// Moves rows from `wanted` to `unsure` that do not have exactly one scalar value or may have an unindexed one.
    fn defer_undecided(
        &self,
        sources: &FieldSources<'_>,
        selection: &mut RowSelection,
        unsure: &mut RoaringBitmap,
    ) -> Result<(), SpanStoreError> {
        let mut doubtful = if sources.may_be_unindexed() { self.table.unindexed()? } else { RoaringBitmap::new() };
        for (location, key) in &sources.locations {
            doubtful |= self.table.not_single_valued(*location, key)?;
        }
        for row in doubtful.range(selection.rows.clone()) {
            if selection.has(row) {
                selection.set(row, false);
                unsure.insert(row);
            }
        }
        Ok(())
    }

    fn add_counts(
        &mut self,
        selection: &RowSelection,
        intervals: &RowIntervals,
        groups: &RowGroups,
        named: &mut TallyGroups,
        choice: &mut ExemplarSampler,
    ) {
        let count = intervals.steps.count();
        if groups.values.len() * count > MAX_LOCAL_CELLS {
            selection.each(|row| {
                let group = groups.group_of(row);
                if let Some(named) = named.get(self.tally, groups, group) {
                    self.tally.add(named, intervals.interval_of(row), 1.0);
                    choice.offer(row, group, 1.0);
                }
            });
            return;
        }
        let mut cells = vec![0u32; groups.values.len() * count];
        selection.each(|row| {
            let group = groups.group_of(row);
            cells[group * count + intervals.interval_of(row)] += 1;
            choice.offer(row, group, 1.0);
        });
        for (group, cells) in cells.chunks(count).enumerate() {
            for (interval, times) in cells.iter().enumerate().filter(|(_, times)| **times > 0) {
                let Some(named) = named.get(self.tally, groups, group) else { break };
                self.tally.add_many(named, interval, 1.0, u64::from(*times));
            }
        }
    }
}

/// Adds the numbers of the selected rows; false if the deadline passed.
fn each_number(
    table: &dyn RowTable,
    (field, sources): (&Field, &FieldSources<'_>),
    selection: &RowSelection,
    budget: &QueryBudget,
    numbers: &mut NumberSorter<'_>,
) -> Result<bool, SpanStoreError> {
    let mut late = false;
    if *field == Field::Intrinsic(Intrinsic::Duration) {
        table.each_duration(selection, &mut |rows, durations| {
            for (row, duration) in rows.iter().zip(durations) {
                // Saturated like indexed integers.
                numbers.add(*row, i64::try_from(*duration).unwrap_or(i64::MAX) as f64);
            }
            late = budget.is_expired();
            if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        return Ok(!late);
    }
    let mut looked = 0;
    each_first_value(table, sources, selection, &mut |_, _, atom, rows| {
        looked += 1;
        late = looked % DEADLINE_CHECK_INTERVAL == 0 && budget.is_expired();
        let number = match atom {
            Atom::Int(number) => number as f64,
            Atom::Float(number) => number,
            Atom::Text(_) | Atom::Bool(_) => return ControlFlow::Continue(()),
        };
        rows.iter().for_each(|row| numbers.add(*row, number));
        if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(!late)
}

/// Kinds and statuses are indexed as numbers, but are not numeric.
fn is_numeric(field: &Field) -> bool {
    !matches!(field, Field::Intrinsic(Intrinsic::Kind | Intrinsic::Status))
}
