//! A leaf: one pipeline that ends in a metrics function.

use super::{series::Exemplar, steps::Steps, tally::Tally};
use crate::{
    Aliases, CompareFunction, Field, FieldExpr, FirstStage, Intrinsic, Literal, MetricsQuery, PipelineExpr,
    PipelineStage, QueryError, SpansetExpr, TracePredicate,
    evaluate::{SelectedSpan, SpanSelector},
    pushdown::{SpansetPushdown, metrics_predicate},
    result_fields::{is_local, is_local_expr},
};
use baton_types::{Span, SpanValue};

/// A leaf that an index can aggregate span by span, without the rest of the trace.
#[derive(Clone, Copy, Debug)]
pub struct MetricsPushdown<'a> {
    /// Filter; none selects all spans.
    pub filter: Option<&'a FieldExpr>,
    /// Grouping fields, deduplicated.
    pub by: &'a [Field],
    /// Aggregated field; none if spans are only counted.
    pub of: Option<&'a Field>,
}

/// A leaf that an index can aggregate span by span, once the spans are selected by conditions on single spans and the
/// links between them.
#[derive(Clone, Debug)]
pub struct TracePushdown<'a> {
    /// Selection of spans.
    pub spans: SpansetPushdown<'a>,
    /// Grouping fields, deduplicated.
    pub by: &'a [Field],
    /// Aggregated field; none if spans are only counted.
    pub of: Option<&'a Field>,
}

#[derive(Debug)]
pub(super) struct MetricsLeaf {
    pub(super) first: FirstStage,
    pub(super) by: Vec<Field>,
    pub(super) of: Option<Field>,
    spans: PipelineExpr,
    selector: SpanSelector,
    aliases: Aliases,
}

impl MetricsLeaf {
    pub(super) fn new(query: &MetricsQuery, aliases: Aliases) -> Result<Self, QueryError> {
        let (of, by) = match &query.first {
            FirstStage::Rate { by } | FirstStage::CountOverTime { by } => (None, by.as_slice()),
            FirstStage::AggregateOverTime { of, by, .. }
            | FirstStage::QuantileOverTime { of, by, .. }
            | FirstStage::HistogramOverTime { of, by } => (Some(of), by.as_slice()),
            FirstStage::Compare(_) => (None, [].as_slice()),
        };
        let mut fields: Vec<Field> = Vec::new();
        for field in by {
            if !fields.contains(field) {
                fields.push(field.clone());
            }
        }
        let selection = match &query.first {
            FirstStage::Compare(compare) => Some(&compare.selection),
            _ => None,
        };
        Ok(Self {
            selector: SpanSelector::new(&query.spans, (&fields, of), selection, aliases)?,
            first: query.first.clone(),
            by: fields,
            of: of.cloned(),
            spans: query.spans.clone(),
            aliases,
        })
    }

    pub(super) fn compare(&self) -> Option<&CompareFunction> {
        match &self.first {
            FirstStage::Compare(compare) => Some(compare),
            _ => None,
        }
    }

    /// Divisor for results: durations are measured in nanoseconds and reported in seconds.
    pub(super) fn unit(&self) -> f64 {
        match self.of {
            Some(Field::Intrinsic(Intrinsic::Duration | Intrinsic::TraceDuration | Intrinsic::EventTimeSinceStart)) => {
                1e9
            }
            _ => 1.0,
        }
    }

    pub(super) fn predicate(&self) -> TracePredicate {
        metrics_predicate(&self.spans, self.of.as_ref(), self.aliases)
    }

    pub(super) fn pushdown(&self) -> Option<MetricsPushdown<'_>> {
        let PipelineExpr::Pipeline(stages) = &self.spans else { return None };
        let (PipelineStage::Spansets(SpansetExpr::Filter(filter)), rest) = stages.split_first()? else { return None };
        let filter = filter.as_ref().filter(|filter| **filter != FieldExpr::Literal(Literal::Bool(true)));
        let local = self.by.iter().chain(&self.of).all(is_local) && filter.is_none_or(is_local_expr);
        let plain = self.compare().is_none() && rest.iter().all(|stage| matches!(stage, PipelineStage::Select(_)));
        (plain && local).then_some(MetricsPushdown { filter, by: &self.by, of: self.of.as_ref() })
    }

    pub(super) fn trace_pushdown(&self) -> Option<TracePushdown<'_>> {
        if self.compare().is_some() || !self.by.iter().chain(&self.of).all(is_local) {
            return None;
        }
        let spans = SpansetPushdown::from_pipeline(&self.spans)?;
        Some(TracePushdown { spans, by: &self.by, of: self.of.as_ref() })
    }

    /// Adds a span that is known to be selected.
    pub(super) fn add_selected(&self, tally: &mut Tally, steps: Steps, span: &Span) {
        let Some(interval) = steps.index(span.start) else { return };
        let mut values = Vec::new();
        self.selector.with_single(span, &mut |chosen| self.add_span(tally, chosen, interval, &mut values));
    }

    /// Adds the selected spans of a trace; returns false if the deadline passed first.
    pub(super) fn add(&self, tally: &mut Tally, steps: Steps, spans: &[Span], late: &dyn Fn() -> bool) -> bool {
        let mut values = Vec::new();
        let in_time = self.selector.each(spans, late, &mut |chosen| {
            let Some(interval) = steps.index(chosen.span().start) else { return };
            match self.compare() {
                Some(compare) => tally.compare(compare, chosen, interval),
                None => self.add_span(tally, chosen, interval, &mut values),
            }
        });
        if !in_time {
            tally.is_complete = false;
        }
        in_time
    }

    fn add_span(
        &self,
        tally: &mut Tally,
        chosen: &SelectedSpan<'_>,
        interval: usize,
        values: &mut Vec<Option<SpanValue>>,
    ) {
        let span = chosen.span();
        let exemplar = |value: f64| Exemplar { trace: span.trace, span: span.id, at: span.start, value };
        chosen.group(values);
        if self.of.is_none() {
            if let Some(group) = tally.group(values) {
                tally.add(group, interval, 1.0);
                tally.add_exemplar(group, exemplar(1.0));
            }
            return;
        }
        chosen.numbers(&mut |number| {
            if let Some(group) = tally.group(values) {
                tally.add(group, interval, number);
                tally.add_exemplar(group, exemplar(number));
            }
        });
    }
}
