//! Merges trace matches of two sources.

use baton_span_ports::{ServiceStats, SpansetMatch, TraceMatch};
use baton_types::{SpanId, TraceId};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet, hash_map::Entry},
};

/// Trace matches, deduplicated by id.
#[derive(Default)]
pub(crate) struct TraceMatchSet(HashMap<TraceId, TraceMatch>);

impl TraceMatchSet {
    /// Adds a match, merging it with an existing match of the same trace.
    pub(crate) fn add(&mut self, found: TraceMatch) {
        match self.0.entry(found.id) {
            Entry::Vacant(entry) => {
                entry.insert(found);
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                let before = std::mem::replace(known, empty(found.id));
                *known = merge_matches(before, found);
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The matches with the latest start; ties are sorted by id.
    pub(crate) fn newest(self, limit: usize) -> Vec<TraceMatch> {
        let mut traces: Vec<TraceMatch> = self.0.into_values().collect();
        traces.sort_by_key(|found| (Reverse(found.start), found.id));
        traces.truncate(limit);
        traces
    }
}

fn empty(id: TraceId) -> TraceMatch {
    TraceMatch {
        id,
        root_service: String::new(),
        root_name: String::new(),
        start: 0,
        duration: 0,
        spansets: Vec::new(),
        services: Vec::new(),
    }
}

/// Merges two matches of a trace, as far as possible without its spans.
pub(crate) fn merge_matches(left: TraceMatch, right: TraceMatch) -> TraceMatch {
    let end = |found: &TraceMatch| found.start.saturating_add(found.duration);
    let (start, end) = (left.start.min(right.start), end(&left).max(end(&right)));
    let root = |found: &TraceMatch| (found.root_service.clone(), found.root_name.clone());
    let has_root = |found: &TraceMatch| !found.root_name.is_empty();
    let (root_service, root_name) =
        if has_root(&left) && (left.start <= right.start || !has_root(&right)) { root(&left) } else { root(&right) };
    let mut services: BTreeMap<String, ServiceStats> = left.services.into_iter().collect();
    for (name, stats) in right.services {
        let known = services.entry(name).or_default();
        known.spans = known.spans.max(stats.spans);
        known.errors = known.errors.max(stats.errors);
    }
    let mut spansets = left.spansets;
    for set in right.spansets {
        match spansets.iter_mut().find(|known| known.attributes == set.attributes) {
            Some(known) => add_spans(known, set),
            None => spansets.push(set),
        }
    }
    TraceMatch {
        id: left.id,
        root_service,
        root_name,
        start,
        duration: end.saturating_sub(start),
        spansets,
        services: services.into_iter().collect(),
    }
}

fn add_spans(known: &mut SpansetMatch, more: SpansetMatch) {
    let max_spans = known.spans.len().max(more.spans.len());
    for span in more.spans {
        if !known.spans.iter().any(|other| other.id == span.id) {
            known.spans.push(span);
        }
    }
    let shown = u32::try_from(known.spans.len()).unwrap_or(u32::MAX);
    known.matched = known.matched.max(more.matched).max(shown);
    known.spans.sort_by_key(|span| (span.start, span.id));
    known.spans.truncate(max_spans);
}

/// Whether `known` shows every span that `other` shows of the same trace.
pub(crate) fn shows_all_spans(known: &TraceMatch, other: &TraceMatch) -> bool {
    let spans = |found: &TraceMatch| -> HashSet<SpanId> {
        found.spansets.iter().flat_map(|set| set.spans.iter().map(|span| span.id)).collect()
    };
    spans(other).is_subset(&spans(known))
}

/// Whether the span counts of `known` are at least those of `others` for every service.
pub(crate) fn covers(known: &[(String, ServiceStats)], others: &[(String, ServiceStats)]) -> bool {
    others.iter().all(|(service, stats)| {
        let here = known.iter().find(|(name, _)| name == service);
        here.is_some_and(|(_, here)| here.spans >= stats.spans)
    })
}
