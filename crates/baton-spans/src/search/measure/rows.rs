//! Counts row by row, without reading the spans of most rows.

use super::{
    Asked, Counting,
    groups::{Groups, each_first},
    intervals::Intervals,
    named::Named,
    numbers::Numbers,
    once::Once,
    shown::{Choice, Shown},
};
use crate::{
    codec::Parts,
    index::{Atom, Sources, Table, Wanted, decide},
    search::budget::Budget,
};
use baton_ports::SpanStoreError;
use baton_traceql::{Direct, Exemplar, Field, Group, Intrinsic, Tally};
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// Maximum number of cells that are counted in a local array.
const CELLS: usize = 1 << 21;
/// Working memory per row in bytes: its interval, its group and its selection.
const BYTES_PER_ROW: usize = size_of::<u16>() + size_of::<u32>() + 1;
/// Working memory per row and grouping field, in bytes.
const BYTES_PER_LABEL: usize = size_of::<u32>();
/// Number of rows between two deadline checks.
const BETWEEN_LOOKS: usize = 4_096;

impl Counting<'_> {
    /// Counts single spans.
    pub(super) fn by_rows(&mut self, direct: &Direct<'_>, once: &Once) -> Result<(), SpanStoreError> {
        let asked = self.asked;
        for (number, segment) in asked.segments.iter().enumerate() {
            let Some(known) = once.rows[number] else { continue };
            if self.is_late() {
                return Ok(());
            }
            let window = segment.window(asked.time)?;
            let mut left = Left::default();
            segment.table(&mut |table| {
                let between = table.rows_between(window.clone());
                // Rows added since were not checked for duplicates.
                let rows = between.start.min(known)..between.end.min(known);
                let apart = table.rows_of(&once.apart[number]);
                left = Counted { asked, direct, table, tally: &mut self.tally }.count(rows, &apart)?;
                Ok(())
            })?;
            self.answer.inspected_spans += left.spans;
            self.answer.inspected_bytes += left.bytes;
            self.answer.partial |= left.partial;
            self.tally.check_room()?;
            self.read(number, &left)?;
            self.show(number, left)?;
            self.tally.check_room()?;
        }
        self.by_traces_of(once)
    }

    /// Reads the spans that the index cannot decide.
    fn read(&mut self, segment: usize, left: &Left) -> Result<(), SpanStoreError> {
        let Asked { segments, measure, parts, budget, .. } = self.asked;
        let (mut looked, mut late) = (0, false);
        let bytes = segments[segment].each_span_in(&left.unsure, parts, &mut |span| {
            looked += 1;
            let looks = looked % BETWEEN_LOOKS == 0;
            late = looks && budget.is_late();
            if late || looks && self.tally.check_room().is_err() {
                return ControlFlow::Break(());
            }
            measure.add_span(self.leaf, &mut self.tally, &span);
            ControlFlow::Continue(())
        })?;
        self.answer.inspected_bytes += bytes;
        self.answer.partial |= late;
        Ok(())
    }

    /// Reads the exemplars.
    fn show(&mut self, segment: usize, left: Left) -> Result<(), SpanStoreError> {
        let rows: RoaringBitmap = left.shown.iter().map(|(shown, _)| shown.row).collect();
        let mut shown = left.shown.into_iter().peekable();
        let mut row = rows.iter();
        let bytes = self.asked.segments[segment].each_span_in(&rows, &Parts::LEAST, &mut |span| {
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
struct Left {
    unsure: RoaringBitmap,
    shown: Vec<(Shown, Group)>,
    spans: u64,
    bytes: u64,
    partial: bool,
}

/// Counter for the rows of one segment.
struct Counted<'a> {
    asked: Asked<'a>,
    direct: &'a Direct<'a>,
    table: &'a dyn Table,
    tally: &'a mut Tally,
}

impl Counted<'_> {
    fn count(&mut self, rows: Range<u32>, apart: &RoaringBitmap) -> Result<Left, SpanStoreError> {
        let Asked { aliases, budget, measure, .. } = self.asked;
        let mut left = Left { spans: rows.len() as u64, ..Left::default() };
        let mut room = budget.reserve(rows.len() * BYTES_PER_ROW)?;
        let mut intervals = Intervals::new(rows.clone(), measure.steps());
        left.bytes =
            self.table.each_start(rows.clone(), intervals.time(), &mut |first, starts| intervals.set(first, starts))?;
        let mut wanted = match self.direct.filter {
            Some(filter) => {
                let decided = decide(self.table, filter, aliases)?;
                left.unsure = decided.perhaps;
                intervals.wanted(&decided.yes)
            }
            None => intervals.all(),
        };
        wanted.remove(apart);
        let by: Vec<_> =
            self.direct.by.iter().filter_map(|field| Some((field, Sources::of(field, aliases)?))).collect();
        let of = self.direct.of.and_then(|field| Some((field, Sources::of(field, aliases)?)));
        for (_, sources) in by.iter().chain(&of) {
            self.doubt(sources, &mut wanted, &mut left.unsure)?;
        }
        let mut groups = Groups::new(&wanted);
        for (field, sources) in &by {
            if wanted.is_empty() {
                break;
            }
            room.grow(rows.len() * BYTES_PER_LABEL)?;
            groups.divide(self.table, (field, sources), &mut wanted, &mut left.unsure, (budget, &mut room))?;
        }
        left.unsure -= apart;
        left.unsure = intervals.in_time(&left.unsure);
        left.partial = groups.partial;
        if wanted.is_empty() || groups.partial && budget.is_late() {
            return Ok(left);
        }
        let mut choice = Choice::new(groups.values.len(), measure.exemplars());
        let mut named = Named::new(groups.values.len());
        match &of {
            Some((field, sources)) if is_number(field) => {
                let mut numbers = Numbers::new(self.tally, &intervals, &groups, &mut named, &mut choice);
                left.partial |= !each_number(self.table, (field, sources), &wanted, budget, &mut numbers)?;
                numbers.finish();
            }
            Some(_) => {}
            None => self.add_counts(&wanted, &intervals, &groups, &mut named, &mut choice),
        }
        let group = |shown: Shown| Some((shown, named.known(shown.group)?));
        left.shown = choice.finish().into_iter().filter_map(group).collect();
        Ok(left)
    }

    /// Moves rows from `wanted` to `unsure` that do not have exactly one scalar value or may have an unindexed one.
    fn doubt(
        &self,
        sources: &Sources<'_>,
        wanted: &mut Wanted,
        unsure: &mut RoaringBitmap,
    ) -> Result<(), SpanStoreError> {
        let mut doubtful = if sources.may_be_unlisted() { self.table.unlisted()? } else { RoaringBitmap::new() };
        for (place, key) in &sources.places {
            doubtful |= self.table.unclear(*place, key)?;
        }
        for row in doubtful.range(wanted.rows.clone()) {
            if wanted.has(row) {
                wanted.set(row, false);
                unsure.insert(row);
            }
        }
        Ok(())
    }

    fn add_counts(
        &mut self,
        wanted: &Wanted,
        intervals: &Intervals,
        groups: &Groups,
        named: &mut Named,
        choice: &mut Choice,
    ) {
        let count = intervals.steps.count();
        if groups.values.len() * count > CELLS {
            wanted.each(|row| {
                let group = groups.of(row);
                if let Some(named) = named.get(self.tally, groups, group) {
                    self.tally.add(named, intervals.of(row), 1.0);
                    choice.offer(row, group, 1.0);
                }
            });
            return;
        }
        let mut cells = vec![0u32; groups.values.len() * count];
        wanted.each(|row| {
            let group = groups.of(row);
            cells[group * count + intervals.of(row)] += 1;
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
    table: &dyn Table,
    (field, sources): (&Field, &Sources<'_>),
    wanted: &Wanted,
    budget: &Budget,
    numbers: &mut Numbers<'_>,
) -> Result<bool, SpanStoreError> {
    let mut late = false;
    if *field == Field::Intrinsic(Intrinsic::Duration) {
        table.each_duration(wanted, &mut |rows, durations| {
            for (row, duration) in rows.iter().zip(durations) {
                // Saturated like indexed integers.
                numbers.add(*row, i64::try_from(*duration).unwrap_or(i64::MAX) as f64);
            }
            late = budget.is_late();
            if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        return Ok(!late);
    }
    let mut looked = 0;
    each_first(table, sources, wanted, &mut |_, _, atom, rows| {
        looked += 1;
        late = looked % BETWEEN_LOOKS == 0 && budget.is_late();
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
fn is_number(field: &Field) -> bool {
    !matches!(field, Field::Intrinsic(Intrinsic::Kind | Intrinsic::Status))
}
