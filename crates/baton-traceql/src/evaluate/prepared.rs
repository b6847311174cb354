//! A compiled search.

use super::{
    compile,
    expression::Expression,
    lookup::Lookup,
    plan::{Plan, Sets, Step},
    scene::Scene,
};
use crate::{
    Aliases, Field, Query, QueryError, Root, Shown, Spanset, Trace,
    check::{check, unsupported_metrics},
    shown::shown_fields,
};
use baton_types::{AttributeKey, Span};

/// A checked search with compiled regular expressions, for evaluation on many traces.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    shown: Vec<(AttributeKey, Expression)>,
}

impl Prepared {
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
            shown: shown_fields(pipeline).into_iter().map(field).collect(),
        })
    }

    /// The spansets of a complete trace; none of them is empty.
    pub fn evaluate(&self, trace: &Trace) -> Vec<Spanset> {
        self.run(&Scene::new(&trace.spans))
    }

    /// The spansets of a complete trace; none if the deadline or the memory limit is exceeded. `late` is called often.
    pub fn answer<'a>(&'a self, trace: &'a Trace, late: &'a dyn Fn() -> bool) -> Option<TraceAnswer<'a>> {
        let scene = Scene::until(&trace.spans, late);
        let spansets = self.run(&scene);
        (!scene.is_given_up()).then_some(TraceAnswer { query: self, scene, spansets })
    }

    fn run(&self, scene: &Scene<'_>) -> Vec<Spanset> {
        let mut sets = self.plan.run(scene);
        for set in &mut sets {
            scene.sort(&mut set.spans);
        }
        sets
    }

    /// Attributes of the span at this position that the result includes.
    pub fn shown(&self, trace: &Trace, span: usize) -> Shown {
        self.shown_in(&Scene::new(&trace.spans), span)
    }

    fn shown_in(&self, scene: &Scene<'_>, span: usize) -> Shown {
        if span >= scene.spans.len() {
            return Shown::default();
        }
        let value = |(key, of): &(AttributeKey, Expression)| of.value(scene, span).map(|value| (key.clone(), value));
        Shown { attributes: self.shown.iter().filter_map(value).collect() }
    }

    /// Whether a single span matches; [`crate::check_tail`] tells for which queries this is meaningful.
    pub fn matches_span(&self, span: &Span) -> bool {
        let scene = Scene::new(std::slice::from_ref(span));
        match &self.plan {
            Plan::Steps(steps) => match steps.as_slice() {
                [] | [Step::Keep(Sets::All)] => true,
                [Step::Keep(Sets::Filter(filter))] => filter.test(&scene, 0),
                _ => !self.plan.run(&scene).is_empty(),
            },
            Plan::Combined { .. } => !self.plan.run(&scene).is_empty(),
        }
    }
}

/// Result for one trace; properties of the whole trace are computed once for all spans.
pub struct TraceAnswer<'a> {
    query: &'a Prepared,
    scene: Scene<'a>,
    spansets: Vec<Spanset>,
}

impl TraceAnswer<'_> {
    /// The spansets; none of them is empty.
    pub fn spansets(&self) -> &[Spanset] {
        &self.spansets
    }

    /// Attributes of the span at this position that the result includes.
    pub fn shown(&self, span: usize) -> Shown {
        self.query.shown_in(&self.scene, span)
    }
}

/// Evaluates a query on a complete trace. For many traces, use [`SearchPlan`].
pub fn evaluate(query: &Query, trace: &Trace, aliases: Aliases) -> Result<Vec<Spanset>, QueryError> {
    Ok(Prepared::new(query, aliases)?.evaluate(trace))
}

/// Attributes of the span at this position that the result includes; none for a query that cannot be executed.
pub fn shown(query: &Query, trace: &Trace, span: usize, aliases: Aliases) -> Shown {
    Prepared::new(query, aliases).map(|prepared| prepared.shown(trace, span)).unwrap_or_default()
}

/// Whether a single span matches; always false for a query that [`crate::check_tail`] rejects.
pub fn matches_span(query: &Query, span: &Span, aliases: Aliases) -> bool {
    crate::check_tail(query).is_ok() && Prepared::new(query, aliases).is_ok_and(|query| query.matches_span(span))
}
