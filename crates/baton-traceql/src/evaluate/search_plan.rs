//! A compiled search.

use super::{
    compile,
    context::EvaluationContext,
    expression::Expression,
    lookup::Lookup,
    plan::{PipelinePlan, PlanStep, SpansetPlan},
};
use crate::{
    Aliases, Field, Query, QueryError, Root, SelectedAttributes, Spanset, TraceSpans,
    check::{check, unsupported_metrics},
    result_fields::result_fields,
};
use baton_types::{AttributeKey, Span};

/// A checked search with compiled regular expressions, for evaluation on many traces.
#[derive(Debug)]
pub struct SearchPlan {
    plan: PipelinePlan,
    shown: Vec<(AttributeKey, Expression)>,
}

impl SearchPlan {
    /// Checks and compiles a query.
    pub fn new(query: &Query, aliases: Aliases) -> Result<Self, QueryError> {
        check(query)?;
        let pipeline = match &query.root {
            Root::Search(pipeline) => pipeline,
            Root::Metrics(metrics) => return Err(unsupported_metrics(metrics)),
        };
        let field = |(key, field): (AttributeKey, Field)| (key, Expression::Field(Lookup::new(&field, aliases)));
        Ok(Self {
            plan: compile::plan(pipeline, aliases)?,
            shown: result_fields(pipeline).into_iter().map(field).collect(),
        })
    }

    /// The spansets of a complete trace; none of them is empty.
    pub fn evaluate(&self, trace: &TraceSpans) -> Vec<Spanset> {
        self.run(&EvaluationContext::new(&trace.spans))
    }

    /// The spansets of a complete trace; none if the deadline or the memory limit is exceeded. `late` is called often.
    pub fn answer<'a>(&'a self, trace: &'a TraceSpans, late: &'a dyn Fn() -> bool) -> Option<TraceAnswer<'a>> {
        let scene = EvaluationContext::with_deadline(&trace.spans, late);
        let spansets = self.run(&scene);
        (!scene.is_cancelled()).then_some(TraceAnswer { query: self, scene, spansets })
    }

    fn run(&self, scene: &EvaluationContext<'_>) -> Vec<Spanset> {
        let mut sets = self.plan.run(scene);
        for set in &mut sets {
            scene.sort(&mut set.spans);
        }
        sets
    }

    /// Attributes of the span at this position that the result includes.
    pub fn selected_attributes(&self, trace: &TraceSpans, span: usize) -> SelectedAttributes {
        self.attributes_in(&EvaluationContext::new(&trace.spans), span)
    }

    fn attributes_in(&self, scene: &EvaluationContext<'_>, span: usize) -> SelectedAttributes {
        if span >= scene.spans.len() {
            return SelectedAttributes::default();
        }
        let value = |(key, of): &(AttributeKey, Expression)| of.value(scene, span).map(|value| (key.clone(), value));
        SelectedAttributes { attributes: self.shown.iter().filter_map(value).collect() }
    }

    /// Whether a single span matches; [`crate::check_tail`] tells for which queries this is meaningful.
    pub fn matches_span(&self, span: &Span) -> bool {
        let scene = EvaluationContext::new(std::slice::from_ref(span));
        match &self.plan {
            PipelinePlan::Steps(steps) => match steps.as_slice() {
                [] | [PlanStep::Keep(SpansetPlan::All)] => true,
                [PlanStep::Keep(SpansetPlan::Filter(filter))] => filter.test(&scene, 0),
                _ => !self.plan.run(&scene).is_empty(),
            },
            PipelinePlan::Combined { .. } => !self.plan.run(&scene).is_empty(),
        }
    }
}

/// Result for one trace; properties of the whole trace are computed once for all spans.
pub struct TraceAnswer<'a> {
    query: &'a SearchPlan,
    scene: EvaluationContext<'a>,
    spansets: Vec<Spanset>,
}

impl TraceAnswer<'_> {
    /// The spansets; none of them is empty.
    pub fn spansets(&self) -> &[Spanset] {
        &self.spansets
    }

    /// Attributes of the span at this position that the result includes.
    pub fn selected_attributes(&self, span: usize) -> SelectedAttributes {
        self.query.attributes_in(&self.scene, span)
    }
}

/// Evaluates a query on a complete trace. For many traces, use [`SearchPlan`].
pub fn evaluate(query: &Query, trace: &TraceSpans, aliases: Aliases) -> Result<Vec<Spanset>, QueryError> {
    Ok(SearchPlan::new(query, aliases)?.evaluate(trace))
}

/// Attributes of the span at this position that the result includes; none for a query that cannot be executed.
pub fn selected_attributes(query: &Query, trace: &TraceSpans, span: usize, aliases: Aliases) -> SelectedAttributes {
    SearchPlan::new(query, aliases).map(|prepared| prepared.selected_attributes(trace, span)).unwrap_or_default()
}

/// Whether a single span matches; always false for a query that [`crate::check_tail`] rejects.
pub fn matches_span(query: &Query, span: &Span, aliases: Aliases) -> bool {
    crate::check_tail(query).is_ok() && SearchPlan::new(query, aliases).is_ok_and(|query| query.matches_span(span))
}
