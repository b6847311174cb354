//! What an answer tells of a trace.

use baton_ports::{FoundSpan, FoundSpanset, FoundTrace, ServiceStats};
use baton_traceql::{Aliases, Prepared, Query, QueryError, Spanset, Trace};
use baton_types::{Span, SpanStatus, TraceId};
use std::collections::BTreeMap;

/// Asks traces one query and tells what they answer.
pub(super) struct Teller {
    query: Prepared,
    spans_per_spanset: usize,
}

impl Teller {
    pub(super) fn new(query: &Query, aliases: Aliases, spans_per_spanset: usize) -> Result<Self, QueryError> {
        Ok(Self { query: Prepared::new(query, aliases)?, spans_per_spanset })
    }

    /// What the trace answers, if anything; its spans are sorted by start time.
    pub(super) fn tell(&self, id: TraceId, trace: &Trace) -> Option<FoundTrace> {
        let spansets = self.query.evaluate(trace);
        if spansets.is_empty() {
            return None;
        }
        let root = root(&trace.spans);
        let start = trace.spans.first().map_or(0, |span| span.start);
        let end = trace.spans.iter().map(|span| span.end).max().unwrap_or(start);
        Some(FoundTrace {
            id,
            root_service: root.and_then(Span::service).unwrap_or_default().to_owned(),
            root_name: root.map(|span| span.name.to_string()).unwrap_or_default(),
            start,
            duration: end.saturating_sub(start),
            spansets: spansets.into_iter().map(|spanset| self.spanset(trace, spanset)).collect(),
            services: services(&trace.spans),
        })
    }

    fn spanset(&self, trace: &Trace, spanset: Spanset) -> FoundSpanset {
        let spans = spanset.spans.iter().take(self.spans_per_spanset).filter_map(|&index| {
            let span = trace.spans.get(index)?;
            Some(FoundSpan {
                id: span.id,
                name: span.name.clone(),
                start: span.start,
                duration: span.duration(),
                status: span.status,
                attributes: self.query.shown(trace, index).attributes,
            })
        });
        FoundSpanset {
            spans: spans.collect(),
            matched: u32::try_from(spanset.spans.len()).unwrap_or(u32::MAX),
            attributes: spanset.attributes,
        }
    }
}

/// The first span without a parent; while none is here, the first of all.
fn root(spans: &[Span]) -> Option<&Span> {
    spans.iter().find(|span| span.parent.is_none()).or(spans.first())
}

fn services(spans: &[Span]) -> Vec<(String, ServiceStats)> {
    let mut services: BTreeMap<&str, ServiceStats> = BTreeMap::new();
    for span in spans {
        let stats = services.entry(span.service().unwrap_or_default()).or_default();
        stats.spans += 1;
        stats.errors += u32::from(span.status == SpanStatus::Error);
    }
    services.into_iter().map(|(name, stats)| (name.to_owned(), stats)).collect()
}
