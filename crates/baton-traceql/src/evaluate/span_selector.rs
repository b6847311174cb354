//! Selection of the spans of a trace for a metrics query.

use super::{
    comparable_value::{ComparableValue, Flow},
    compile,
    context::EvaluationContext,
    expression::Expression,
    lookup::Lookup,
    plan::{PipelinePlan, SpansetPlan},
};
use crate::{Aliases, Field, PipelineExpr, QueryError, SpansetExpr};
use baton_types::{Span, SpanValue};

/// A compiled pipeline with grouping fields and an aggregated field.
#[derive(Debug)]
pub(crate) struct SpanSelector {
    plan: PipelinePlan,
    by: Vec<Expression>,
    of: Option<Expression>,
    selection: Option<SpansetPlan>,
}

/// A selected span in its trace.
pub(crate) struct SelectedSpan<'a> {
    chosen: &'a SpanSelector,
    scene: &'a EvaluationContext<'a>,
    at: usize,
    /// Whether it belongs to the selection of `compare`.
    pub(crate) is_selected: bool,
}

impl SpanSelector {
    /// Compiles the pipeline and the fields.
    pub(crate) fn new(
        spans: &PipelineExpr,
        (by, of): (&[Field], Option<&Field>),
        selection: Option<&SpansetExpr>,
        aliases: Aliases,
    ) -> Result<Self, QueryError> {
        let field = |field: &Field| Expression::Field(Lookup::new(field, aliases));
        Ok(Self {
            plan: compile::plan(spans, aliases)?,
            by: by.iter().map(field).collect(),
            of: of.map(field),
            selection: selection.map(|selection| compile::sets(selection, aliases)).transpose()?,
        })
    }

    /// Visits every selected span once; returns false if the deadline passed first.
    pub(crate) fn each(
        &self,
        spans: &[Span],
        late: &dyn Fn() -> bool,
        seen: &mut dyn FnMut(&SelectedSpan<'_>),
    ) -> bool {
        let scene = EvaluationContext::with_deadline(spans, late);
        let sets = self.plan.run(&scene);
        if sets.is_empty() || scene.is_cancelled() {
            return !scene.is_cancelled();
        }
        let mut selected = vec![false; spans.len()];
        if let Some(selection) = &self.selection {
            let all: Vec<usize> = (0..spans.len()).collect();
            selection.run(&scene, &all).into_iter().for_each(|at| selected[at] = true);
        }
        for (number, at) in sets.iter().flat_map(|set| &set.spans).copied().enumerate() {
            if !scene.has_time_at(number) {
                break;
            }
            seen(&SelectedSpan { chosen: self, scene: &scene, at, is_selected: selected[at] });
        }
        !scene.is_cancelled()
    }
}

impl SpanSelector {
    /// Passes a span to the callback as if it were selected.
    pub(crate) fn with_single(&self, span: &Span, seen: &mut dyn FnMut(&SelectedSpan<'_>)) {
        let scene = EvaluationContext::new(std::slice::from_ref(span));
        seen(&SelectedSpan { chosen: self, scene: &scene, at: 0, is_selected: false });
    }
}

impl<'a> SelectedSpan<'a> {
    pub(crate) fn span(&self) -> &'a Span {
        &self.scene.spans[self.at]
    }

    /// The root of its trace.
    pub(crate) fn root(&self) -> Option<&'a Span> {
        self.scene.extent().root.map(|root| &self.scene.spans[root])
    }

    /// The values of the grouping fields.
    pub(crate) fn group(&self, values: &mut Vec<Option<SpanValue>>) {
        values.clear();
        values.extend(self.chosen.by.iter().map(|by| by.value(self.scene, self.at)));
    }

    /// Every number of the aggregated field; durations in nanoseconds.
    pub(crate) fn numbers(&self, seen: &mut dyn FnMut(f64)) {
        let Some(of) = &self.chosen.of else { return };
        let _ = of.visit(self.scene, self.at, &mut |item: ComparableValue<'_>| {
            if let Some(number) = item.as_float() {
                seen(number);
            }
            Flow::Continue(())
        });
    }
}
