//! Query plan: the need of a query as sets of traces per segment.

use super::budget::QueryBudget;
use crate::segment::Segment;
use baton_span_ports::SpanStoreError;
use baton_traceql::{Aliases, SpanPredicate, TracePredicate};
use roaring::RoaringBitmap;
use std::sync::Arc;

/// A need with the results of index lookups.
#[derive(Debug)]
pub(super) enum TracePlan {
    Anything,
    All(Vec<TracePlan>),
    Any(Vec<TracePlan>),
    /// Per segment, the traces with a span that may meet the need.
    Span(Vec<RoaringBitmap>),
}

impl TracePlan {
    /// Looks the need up in the indexes; becomes `Anything` if the deadline passes.
    pub(super) fn new(
        need: &TracePredicate,
        segments: &[Arc<dyn Segment>],
        aliases: Aliases,
        budget: &QueryBudget,
    ) -> Result<Self, SpanStoreError> {
        let each = |needs: &[TracePredicate]| -> Result<Vec<Self>, SpanStoreError> {
            needs.iter().map(|need| Self::new(need, segments, aliases, budget)).collect()
        };
        Ok(match need {
            TracePredicate::Anything | TracePredicate::Span(SpanPredicate::Anything) => Self::Anything,
            TracePredicate::All(needs) => Self::All(each(needs)?),
            TracePredicate::Any(needs) => Self::Any(each(needs)?),
            TracePredicate::Span(need) => {
                let mut sets = Vec::with_capacity(segments.len());
                for segment in segments {
                    if budget.is_expired() {
                        return Ok(Self::Anything);
                    }
                    sets.push(segment.matching_traces(need, aliases)?);
                }
                Self::Span(sets)
            }
        })
    }

    /// Per segment, traces such that each trace that meets the plan is in at least one of the sets, with few others.
    ///
    /// The spans that together meet a plan may be in different segments, so sets of different needs must not be
    /// intersected within a segment: the smallest of them is used instead.
    pub(super) fn drivers(&self, segments: &[Arc<dyn Segment>]) -> Vec<RoaringBitmap> {
        match self {
            Self::Anything => segments.iter().map(|segment| everything(segment.as_ref())).collect(),
            Self::Span(sets) => sets.clone(),
            Self::All(plans) => {
                let smallest = plans.iter().map(|plan| plan.drivers(segments)).min_by_key(|sets| size(sets));
                smallest.unwrap_or_else(|| Self::Anything.drivers(segments))
            }
            Self::Any(plans) => {
                let mut union = vec![RoaringBitmap::new(); segments.len()];
                for plan in plans {
                    for (set, more) in union.iter_mut().zip(plan.drivers(segments)) {
                        *set |= more;
                    }
                }
                union
            }
        }
    }

    /// Whether a trace with these ordinals per segment may meet the plan.
    pub(super) fn may_match(&self, ordinals: &[Option<u32>]) -> bool {
        match self {
            Self::Anything => true,
            Self::All(plans) => plans.iter().all(|plan| plan.may_match(ordinals)),
            Self::Any(plans) => plans.iter().any(|plan| plan.may_match(ordinals)),
            Self::Span(sets) => in_any(sets, ordinals),
        }
    }
}

/// Whether a trace is in one of the sets, given one set per segment.
pub(super) fn in_any(sets: &[RoaringBitmap], ordinals: &[Option<u32>]) -> bool {
    sets.iter().zip(ordinals).any(|(set, ordinal)| ordinal.is_some_and(|ordinal| set.contains(ordinal)))
}

/// Total number of traces in the sets.
pub(super) fn size(sets: &[RoaringBitmap]) -> u64 {
    sets.iter().map(RoaringBitmap::len).sum()
}

fn everything(segment: &dyn Segment) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    all.insert_range(0..segment.traces());
    all
}
