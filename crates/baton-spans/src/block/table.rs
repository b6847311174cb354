//! Row-level access to a block.

use super::{SpanBlock, directory::RowColumns, values::ValueCursor};
use crate::index::{
    Atom, DurationVisitor, IndexPredicate, PredicateRows, RowParents, RowSelection, RowTable, RowUnion, ValueLocation,
    may_be_truncated, own,
};
use baton_span_ports::SpanStoreError;
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// With more traces than this, all id hashes in their row range are read at once.
const MAX_SINGLE_READS: u64 = 256;

impl RowTable for SpanBlock {
    fn matching_rows(
        &self,
        location: ValueLocation,
        key: &str,
        test: &IndexPredicate,
    ) -> Result<PredicateRows, SpanStoreError> {
        let Some(field) = self.field(location, key) else { return Ok(PredicateRows::default()) };
        let rows = self.manifest.rows;
        let (mut surely, mut perhaps) = (RowUnion::new(rows), RowUnion::new(rows));
        if (location, key) == (ValueLocation::Own, own::DURATION) && !test.is_equality() {
            let mut found = Vec::new();
            let between = test.integer_range();
            self.durations(0..rows, &mut |first, durations| {
                found.resize(durations.len(), 0);
                let mut count = 0;
                for (row, duration) in (first..).zip(durations) {
                    let duration = duration_as_int(*duration);
                    let holds = match &between {
                        Some(between) => between.contains(&duration),
                        None => test.holds(Atom::Int(duration)),
                    };
                    found[count] = row;
                    count += usize::from(holds);
                }
                surely.add(&found[..count]);
                ControlFlow::Continue(())
            })?;
        } else {
            self.each_matching_value(field, test, |atom, values| {
                let cut = matches!(atom, Some(Atom::Text(text)) if may_be_truncated(text));
                values.add_to(if cut { &mut perhaps } else { &mut surely })
            })?;
        }
        Ok(PredicateRows { certain: surely.finish(), possible: perhaps.finish() })
    }

    fn not_single_valued(&self, location: ValueLocation, key: &str) -> Result<RoaringBitmap, SpanStoreError> {
        let Some((number, field)) = self.field(location, key) else { return Ok(RoaringBitmap::new()) };
        let mut unclear = RoaringBitmap::new();
        for rows in [field.odd, self.row_columns()?.not_single_valued(number)].into_iter().flatten() {
            unclear |= rows.read(&self.index, self.manifest.rows)?;
        }
        Ok(unclear)
    }

    fn each_value(
        &self,
        location: ValueLocation,
        key: &str,
        selection: &RowSelection,
        each: &mut dyn FnMut(Atom<'_>, &[u32]) -> ControlFlow<()>,
    ) -> Result<(), SpanStoreError> {
        if (location, key) == (ValueLocation::Own, own::DURATION) {
            return self.each_duration(selection, &mut |rows, durations| {
                rows.iter()
                    .zip(durations)
                    .try_for_each(|(row, duration)| each(Atom::Int(duration_as_int(*duration)), &[*row]))
            });
        }
        let Some((number, field)) = self.field(location, key) else { return Ok(()) };
        let mut rows = Vec::new();
        for form in &field.forms {
            let mut values = ValueCursor::new(&self.index, self.fences(number, form)?, self.manifest.rows);
            while values.advance()? {
                values.rows_into(&mut rows)?;
                selection.retain_selected(&mut rows);
                if rows.is_empty() {
                    continue;
                }
                let atom = Atom::read(form.form, values.value());
                if each(atom.ok_or_else(|| self.index.corrupt("a value cannot be read"))?, &rows).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn each_duration(&self, selection: &RowSelection, each: DurationVisitor<'_>) -> Result<(), SpanStoreError> {
        let (mut rows, mut selected_durations) = (Vec::new(), Vec::new());
        self.durations(selection.rows.clone(), &mut |first, durations| {
            rows.clear();
            rows.extend(first..first + durations.len() as u32);
            selection.retain_selected(&mut rows);
            if rows.len() == durations.len() {
                return each(&rows, durations);
            }
            selected_durations.clear();
            selected_durations.extend(rows.iter().map(|row| durations[(row - first) as usize]));
            each(&rows, &selected_durations)
        })
    }

    fn each_start(
        &self,
        rows: Range<u32>,
        time: Range<u64>,
        each: &mut dyn FnMut(u32, &[u64]),
    ) -> Result<u64, SpanStoreError> {
        let overlaps = |min: u64, max: u64| min < time.end && max >= time.start;
        self.row_columns()?.starts.each(&self.index, rows, overlaps, |first, starts| {
            each(first, starts);
            ControlFlow::Continue(())
        })
    }

    fn traces(&self) -> u32 {
        self.manifest.traces
    }

    fn rows_of(&self, traces: &RoaringBitmap) -> RoaringBitmap {
        self.traces.rows_of(traces)
    }

    fn rows_between(&self, ordinals: Range<u32>) -> Range<u32> {
        match ordinals.end.checked_sub(1) {
            Some(last) if ordinals.start <= last => self.traces.rows(ordinals.start).start..self.traces.rows(last).end,
            _ => 0..0,
        }
    }

    fn each_trace(&self, ordinals: Range<u32>, each: &mut dyn FnMut(u32, &[u32])) {
        let mut list = Vec::new();
        for (ordinal, rows) in self.traces.each(ordinals) {
            list.clear();
            list.extend(rows);
            each(ordinal, &list);
        }
    }

    fn has_parents(&self) -> bool {
        self.row_columns.as_ref().is_some_and(|columns| columns.parents.is_some())
    }

    fn parents(&self, ordinals: Range<u32>) -> Result<RowParents, SpanStoreError> {
        let column = self.row_columns()?.parents.as_ref();
        let column = column.ok_or_else(|| self.index.corrupt("the parents of its spans are missing"))?;
        let rows = self.rows_between(ordinals.clone());
        let mut parents = RowParents::new(rows.clone());
        let mut traces = self.traces.each(ordinals);
        let mut trace = traces.next();
        let mut codes: Vec<u64> = Vec::new();
        let mut valid = Some(());
        column.each(
            &self.index,
            rows,
            |_, _| true,
            |_, numbers| {
                let mut left = numbers;
                while let Some((_, rows)) = &trace {
                    // A trace may continue on the next page.
                    let (here, rest) = left.split_at(left.len().min(rows.len() - codes.len()));
                    left = rest;
                    let whole = if codes.is_empty() && here.len() == rows.len() {
                        here
                    } else {
                        codes.extend_from_slice(here);
                        &codes
                    };
                    if whole.len() < rows.len() {
                        break;
                    }
                    let first = rows.start;
                    valid = parents.set_trace(|position| first + position as u32, whole);
                    codes.clear();
                    trace = traces.next();
                    if valid.is_none() {
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            },
        )?;
        valid.map(|()| parents).ok_or_else(|| self.index.corrupt("the parents of its spans are inconsistent"))
    }

    fn traces_with_duplicates(&self) -> RoaringBitmap {
        RoaringBitmap::new()
    }

    fn each_id_hash(&self, traces: &RoaringBitmap, each: &mut dyn FnMut(u32, u32)) -> Result<(), SpanStoreError> {
        let known = self.row_columns()?;
        let (Some(first), Some(last)) = (traces.min(), traces.max()) else { return Ok(()) };
        let mut between = Vec::new();
        let rows = self.rows_between(first..last + 1);
        if traces.len() > MAX_SINGLE_READS {
            known.marks.each(
                &self.index,
                rows.clone(),
                |_, _| true,
                |_, marks| {
                    between.extend(marks.iter().map(|mark| *mark as u32));
                    ControlFlow::Continue(())
                },
            )?;
        }
        for ordinal in traces {
            let of_trace = self.traces.rows(ordinal);
            if traces.len() > MAX_SINGLE_READS {
                let (from, to) = (of_trace.start - rows.start, of_trace.end - rows.start);
                let marks = between.get(from as usize..to as usize).unwrap_or_default();
                marks.iter().for_each(|mark| each(ordinal, *mark));
            } else {
                known.marks.each(
                    &self.index,
                    of_trace,
                    |_, _| true,
                    |_, marks| {
                        marks.iter().for_each(|mark| each(ordinal, *mark as u32));
                        ControlFlow::Continue(())
                    },
                )?;
            }
        }
        Ok(())
    }
}

impl SpanBlock {
    fn row_columns(&self) -> Result<&RowColumns, SpanStoreError> {
        self.row_columns.as_ref().ok_or_else(|| self.index.corrupt("it has no row data"))
    }

    fn durations(
        &self,
        rows: Range<u32>,
        each: &mut dyn FnMut(u32, &[u64]) -> ControlFlow<()>,
    ) -> Result<(), SpanStoreError> {
        self.row_columns()?.durations.each(&self.index, rows, |_, _| true, each).map(drop)
    }
}

/// Duration as an indexed integer.
fn duration_as_int(duration: u64) -> i64 {
    i64::try_from(duration).unwrap_or(i64::MAX)
}
