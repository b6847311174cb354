//! Answers a metrics query.
//!
//! Most leaves count spans one by one: they are counted from the index, row by row, and only rows of which the index knows
//! too little are read. Everything else, and every trace in which a span may lie twice, is gathered whole.

mod groups;
mod intervals;
mod named;
mod numbers;
mod once;
mod rows;
mod shown;
mod traces;

use super::budget::Budget;
use crate::{codec::Parts, index::Sources, segment::Segment};
use baton_ports::{MetricsResult, SpanMetricsRequest, SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Direct, Limits, Measure, Tally};
use once::Once;
use std::sync::Arc;

/// Measures what a metrics query asks for.
///
/// What comes out does not depend on how spans are spread over segments, but for which spans stand for others.
pub(crate) fn metrics(
    segments: &[Arc<dyn Segment>],
    ask: &SpanMetricsRequest,
    budget: &Budget,
) -> Result<MetricsResult, SpanStoreError> {
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let limits =
        Limits { series: budget.series, exemplars: ask.exemplars, bytes: budget.measured, samples: budget.samples };
    let leaves = Measure::new(&ask.query, aliases, ask.steps, limits)?.leaves();
    // All of them share the room.
    let limits = Limits { bytes: budget.measured / leaves.max(1), ..limits };
    let measure = Measure::new(&ask.query, aliases, ask.steps, limits)?;
    let steps = measure.steps();
    let end = steps.end_of(steps.count() - 1);
    let time = TimeRange { start: steps.start(), end: end.saturating_sub(1) };
    let parts = Parts::of(&ask.query, aliases);
    let asked = Asked { segments, measure: &measure, parts: &parts, aliases, time, budget };
    let mut answer = MetricsResult::default();
    let mut tallies = Vec::with_capacity(leaves);
    let mut once = None;
    for leaf in 0..leaves {
        let mut counting = Counting { asked, leaf, tally: measure.tally(leaf), answer: &mut answer };
        match measure.direct(leaf).filter(|direct| is_indexed(direct, aliases)) {
            Some(direct) => {
                if once.is_none() {
                    once = Once::find(segments, time, budget)?;
                }
                match &once {
                    Some(once) => counting.by_rows(&direct, once)?,
                    None => counting.give_up(),
                }
            }
            None => counting.by_traces()?,
        }
        tallies.push(counting.tally);
    }
    let (series, whole) = measure.finish(tallies)?;
    answer.series = series;
    answer.partial |= !whole;
    Ok(answer)
}

/// Whether rows have what the leaf groups by and measures.
fn is_indexed(direct: &Direct<'_>, aliases: Aliases) -> bool {
    direct.by.iter().chain(direct.of).all(|field| Sources::of(field, aliases).is_some())
}

/// What is asked of what.
#[derive(Clone, Copy)]
struct Asked<'a> {
    segments: &'a [Arc<dyn Segment>],
    measure: &'a Measure,
    /// What of spans it looks at.
    parts: &'a Parts,
    aliases: Aliases,
    /// Spans that began in this time count.
    time: TimeRange,
    budget: &'a Budget,
}

/// One leaf of a query that is being counted.
struct Counting<'a> {
    asked: Asked<'a>,
    leaf: usize,
    tally: Tally,
    answer: &'a mut MetricsResult,
}

impl Counting<'_> {
    /// Whether there is no time left; then something is left out.
    fn is_late(&mut self) -> bool {
        let late = self.asked.budget.is_late();
        self.answer.partial |= late;
        late
    }

    fn give_up(&mut self) {
        self.answer.partial = true;
    }
}
