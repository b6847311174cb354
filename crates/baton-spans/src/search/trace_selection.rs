//! Selection of the traces whose attribute names and values are listed.

use super::{budget::QueryBudget, plan::TracePlan, window::window};
use crate::segment::Segment;
use baton_span_ports::{SpanStoreError, TagsRequest};
use baton_traceql::{Aliases, pushdown_predicate};
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Selected traces of a segment.
pub(super) enum TraceSelection {
    Everything,
    Nothing,
    Traces(RoaringBitmap),
}

impl TraceSelection {
    /// Per segment, the traces that may overlap the time range and have a span that may match according to the index.
    /// Empty for the remaining segments once the deadline has passed.
    pub(super) fn per_segment(
        segments: &[Arc<dyn Segment>],
        ask: &TagsRequest,
        budget: &QueryBudget,
    ) -> Result<Vec<Self>, SpanStoreError> {
        let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
        let plan = match &ask.query {
            Some(query) => TracePlan::new(&pushdown_predicate(query, aliases), segments, aliases, budget)?,
            None => TracePlan::Anything,
        };
        let drivers = (!matches!(plan, TracePlan::Anything)).then(|| plan.drivers(segments));
        let each = segments.iter().enumerate().map(|(index, segment)| {
            if budget.is_expired() {
                return Ok(Self::Nothing);
            }
            let summary = segment.summary();
            let all_time = ask.range.start <= summary.start && summary.end <= ask.range.end;
            Ok(match drivers.as_ref().map(|drivers| &drivers[index]) {
                None if all_time => Self::Everything,
                Some(driver) if all_time => Self::from_traces(driver.clone()),
                None => Self::from_traces(window(segment.as_ref(), ask.range)?),
                Some(driver) => Self::from_traces(window(segment.as_ref(), ask.range)? & driver),
            })
        });
        each.collect()
    }

    fn from_traces(traces: RoaringBitmap) -> Self {
        if traces.is_empty() { Self::Nothing } else { Self::Traces(traces) }
    }
}
