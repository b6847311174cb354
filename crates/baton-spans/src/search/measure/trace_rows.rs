//! Selects rows by conditions on single spans and the links between them, without reading any span.

use crate::index::{RowParents, RowSelection, RowTable, ValueLocation, evaluate_filter, own};
use baton_span_ports::SpanStoreError;
use baton_traceql::{Aliases, FieldExpr, RelationMode, SpanCondition, SpanRelation, SpansetOp, SpansetPushdown};
use std::ops::Range;

/// Selected rows of traces.
#[derive(Clone)]
pub(super) struct SelectedRows {
    /// The selected rows, if every trace is complete and all its rows are decided.
    pub(super) exact: RowSelection,
    /// Rows that may be selected in any trace, complete or not.
    pub(super) bound: RowSelection,
}

/// Evaluates a selection on the traces of one segment.
pub(super) struct TraceRowEvaluator<'a> {
    table: &'a dyn RowTable,
    aliases: Aliases,
    ordinals: Range<u32>,
    rows: Range<u32>,
    /// Only loaded for selections that depend on links.
    parents: Option<RowParents>,
    /// The root of each trace; loaded on first use.
    roots: Option<RowSelection>,
    /// Rows that a condition does not decide; their traces must be read.
    pub(super) undecided: RowSelection,
    /// Whether the time is over.
    is_late: &'a dyn Fn() -> bool,
}

impl<'a> TraceRowEvaluator<'a> {
    /// Working memory per row in bytes: parents, counts of siblings, start times and sets.
    pub(super) const BYTES_PER_ROW: usize = RowParents::BYTES_PER_ROW + 2 + size_of::<u64>() + 4;

    pub(super) fn new(
        table: &'a dyn RowTable,
        aliases: Aliases,
        (ordinals, rows): (Range<u32>, Range<u32>),
        is_late: &'a dyn Fn() -> bool,
    ) -> Self {
        let undecided = RowSelection::none(rows.clone());
        Self { table, aliases, ordinals, rows, parents: None, roots: None, undecided, is_late }
    }

    /// The selected rows; `None` if the time is over.
    pub(super) fn select(&mut self, spans: &SpansetPushdown<'_>) -> Result<Option<SelectedRows>, SpanStoreError> {
        if spans.has_relations() {
            self.parents = Some(self.table.parents(self.ordinals.clone())?);
        }
        let all = RowSelection::all(self.rows.clone());
        self.spanset(spans, &SelectedRows { exact: all.clone(), bound: all })
    }

    fn spanset(
        &mut self,
        spans: &SpansetPushdown<'_>,
        of: &SelectedRows,
    ) -> Result<Option<SelectedRows>, SpanStoreError> {
        if (self.is_late)() {
            return Ok(None);
        }
        Ok(Some(match spans {
            SpansetPushdown::All => of.clone(),
            SpansetPushdown::Filter(condition) => self.condition(condition)?.intersection(of),
            SpansetPushdown::Stages(stages) => {
                let mut selected = of.clone();
                for stage in stages {
                    let Some(next) = self.spanset(stage, &selected)? else { return Ok(None) };
                    selected = next;
                }
                selected
            }
            SpansetPushdown::Combined { op, left, right } => {
                let (Some(left), Some(right)) = (self.spanset(left, of)?, self.spanset(right, of)?) else {
                    return Ok(None);
                };
                self.combine(*op, left, right)
            }
        }))
    }

    fn condition(&mut self, condition: &SpanCondition<'_>) -> Result<SelectedRows, SpanStoreError> {
        Ok(match condition {
            SpanCondition::Span(expr) => {
                let decided = evaluate_filter(self.table, expr, self.aliases)?;
                let exact = RowSelection::from_bitmap(self.rows.clone(), &decided.certain);
                let possible = RowSelection::from_bitmap(self.rows.clone(), &decided.possible);
                let bound = exact.clone().union(&possible);
                self.mark_undecided(&possible);
                SelectedRows { exact, bound }
            }
            SpanCondition::Root(expr) => self.root_condition(expr)?,
            SpanCondition::And(left, right) => self.condition(left)?.intersection(&self.condition(right)?),
            SpanCondition::Or(left, right) => self.condition(left)?.union(&self.condition(right)?),
            SpanCondition::Not(of) => {
                let exact = self.condition(of)?.exact.complement();
                SelectedRows { exact, bound: RowSelection::all(self.rows.clone()) }
            }
        })
    }

    /// Selects all rows of the traces whose root satisfies an expression.
    fn root_condition(&mut self, expr: &FieldExpr) -> Result<SelectedRows, SpanStoreError> {
        let roots = match self.roots.take() {
            Some(roots) => roots,
            None => self.find_roots()?,
        };
        let decided = evaluate_filter(self.table, expr, Aliases::NONE)?;
        self.mark_undecided(&RowSelection::from_bitmap(self.rows.clone(), &decided.possible).intersection(&roots));
        let found = RowSelection::from_bitmap(self.rows.clone(), &decided.certain).intersection(&roots);
        self.roots = Some(roots);
        let mut exact = RowSelection::none(self.rows.clone());
        self.table.each_trace(self.ordinals.clone(), &mut |_, rows| {
            if rows.iter().any(|row| found.has(*row)) {
                rows.iter().for_each(|row| exact.set(*row, true));
            }
        });
        Ok(SelectedRows { exact, bound: RowSelection::all(self.rows.clone()) })
    }

    /// The earliest row without a parent of each trace; if there is none, its earliest row. Traces in which two rows
    /// are equally early are undecided.
    fn find_roots(&mut self) -> Result<RowSelection, SpanStoreError> {
        let without_parent = self.table.present(ValueLocation::Own, own::ROOT_NAME)?;
        let without_parent = RowSelection::from_bitmap(self.rows.clone(), &without_parent);
        let mut roots = RowSelection::none(self.rows.clone());
        let mut several = Vec::new();
        self.table.each_trace(self.ordinals.clone(), &mut |ordinal, rows| {
            let mut candidates = rows.iter().filter(|row| without_parent.has(**row));
            match (candidates.next(), candidates.next()) {
                (Some(root), None) => roots.set(*root, true),
                _ => several.push(ordinal),
            }
        });
        if several.is_empty() {
            return Ok(roots);
        }
        let mut starts = vec![0; self.rows.len()];
        self.table.each_start(self.rows.clone(), 0..u64::MAX, &mut |first, some| {
            let at = (first - self.rows.start) as usize;
            if let Some(starts) = starts.get_mut(at..at + some.len()) {
                starts.copy_from_slice(some);
            }
        })?;
        let start = |row: u32| starts.get((row - self.rows.start) as usize).copied().unwrap_or_default();
        let mut several = several.into_iter().peekable();
        let mut undecided = Vec::new();
        self.table.each_trace(self.ordinals.clone(), &mut |ordinal, rows| {
            if several.next_if_eq(&ordinal).is_none() {
                return;
            }
            let any = rows.iter().any(|row| without_parent.has(*row));
            let candidates = || rows.iter().copied().filter(|row| !any || without_parent.has(*row));
            let Some(first) = candidates().min_by_key(|row| start(*row)) else { return };
            if candidates().filter(|row| start(*row) == start(first)).nth(1).is_some() {
                undecided.push(first);
            } else {
                roots.set(first, true);
            }
        });
        undecided.into_iter().for_each(|row| self.undecided.set(row, true));
        Ok(roots)
    }

    fn mark_undecided(&mut self, rows: &RowSelection) {
        rows.each(|row| self.undecided.set(row, true));
    }

    fn combine(&self, op: SpansetOp, left: SelectedRows, right: SelectedRows) -> SelectedRows {
        match op.relation() {
            None if op == SpansetOp::And => {
                let mut exact = left.exact.clone().union(&right.exact);
                self.table.each_trace(self.ordinals.clone(), &mut |_, rows| {
                    let any = |of: &RowSelection| rows.iter().any(|row| of.has(*row));
                    if !(any(&left.exact) && any(&right.exact)) {
                        rows.iter().for_each(|row| exact.set(*row, false));
                    }
                });
                SelectedRows { exact, bound: left.bound.union(&right.bound) }
            }
            None => left.union(&right),
            Some((relation, mode)) => {
                let matching = self.related(relation, &left.exact, &right.exact);
                match mode {
                    RelationMode::Plain => SelectedRows { exact: matching, bound: right.bound },
                    RelationMode::Negated => {
                        SelectedRows { exact: right.exact.difference(&matching), bound: right.bound }
                    }
                    RelationMode::Union => {
                        let others = self.related(relation.inverse(), &right.exact, &left.exact);
                        SelectedRows { exact: matching.union(&others), bound: left.bound.union(&right.bound) }
                    }
                }
            }
        }
    }

    /// Those of the rows with a relation to any marked row.
    fn related(&self, relation: SpanRelation, marked: &RowSelection, rows: &RowSelection) -> RowSelection {
        let Some(parents) = &self.parents else { return RowSelection::none(self.rows.clone()) };
        match relation {
            SpanRelation::Child => parents.children(marked, rows),
            SpanRelation::Parent => parents.parents_of(marked).intersection(rows),
            SpanRelation::Descendant => parents.below(marked, rows),
            SpanRelation::Ancestor => parents.above(marked).intersection(rows),
            SpanRelation::Sibling => parents.siblings(marked, rows),
        }
    }
}

impl SelectedRows {
    fn intersection(self, other: &Self) -> Self {
        Self { exact: self.exact.intersection(&other.exact), bound: self.bound.intersection(&other.bound) }
    }

    fn union(self, other: &Self) -> Self {
        Self { exact: self.exact.union(&other.exact), bound: self.bound.union(&other.bound) }
    }
}
