//! Selection of the traces whose attribute names and values are listed.

use super::{budget::Budget, plan::Plan, window::window};
use crate::segment::Segment;
use baton_ports::{SpanStoreError, TagsRequest};
use baton_traceql::{Aliases, need};
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Selected traces of a segment.
pub(super) enum Among {
    Everything,
    Nothing,
    Traces(RoaringBitmap),
}

impl Among {
    /// Per segment, the traces that may overlap the time range and have a span that may match according to the index.
    /// Empty for the remaining segments once the deadline has passed.
    pub(super) fn each(
        segments: &[Arc<dyn Segment>],
        ask: &TagsRequest,
        budget: &Budget,
    ) -> Result<Vec<Self>, SpanStoreError> {
        let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
        let plan = match &ask.query {
            Some(query) => Plan::new(&need(query, aliases), segments, aliases, budget)?,
            None => Plan::Anything,
        };
        let drivers = (!matches!(plan, Plan::Anything)).then(|| plan.drivers(segments));
        let each = segments.iter().enumerate().map(|(index, segment)| {
            if budget.is_late() {
                return Ok(Self::Nothing);
            }
            let summary = segment.summary();
            let all_time = ask.range.start <= summary.start && summary.end <= ask.range.end;
            Ok(match drivers.as_ref().map(|drivers| &drivers[index]) {
                None if all_time => Self::Everything,
                Some(driver) if all_time => Self::of(driver.clone()),
                None => Self::of(window(segment.as_ref(), ask.range)?),
                Some(driver) => Self::of(window(segment.as_ref(), ask.range)? & driver),
            })
        });
        each.collect()
    }

    fn of(traces: RoaringBitmap) -> Self {
        if traces.is_empty() { Self::Nothing } else { Self::Traces(traces) }
    }
}
