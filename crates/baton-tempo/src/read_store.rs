//! Span store that writes to the local store and queries a Tempo.

use baton_ports::BoxFuture;
use baton_span_ports::{
    ForwardTarget, HopList, MetricsResult, SpanBatch, SpanFeed, SpanMetricsRequest, SpanReadRequest, SpanReader,
    SpanStats, SpanStore, SpanStoreError, TagNames, TagsRequest, TraceSearchRequest, TraceSearchResult,
};
use baton_traceql::Field;
use baton_types::{Span, SpanValue, TraceId};
use std::sync::Arc;

/// Stores spans locally, from where they are exported, and sends all queries to a Tempo.
pub struct TempoReadStore {
    local: Arc<dyn SpanStore>,
    tempo: Arc<dyn SpanStore>,
}

impl TempoReadStore {
    /// Combines a local store for writes with a Tempo for queries.
    pub fn new(local: Arc<dyn SpanStore>, tempo: Arc<dyn SpanStore>) -> Self {
        Self { local, tempo }
    }
}

impl SpanStore for TempoReadStore {
    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        self.local.ingest(batch)
    }

    fn search(&self, ask: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        self.tempo.search(ask)
    }

    fn metrics(&self, ask: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        self.tempo.metrics(ask)
    }

    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        self.tempo.trace(id)
    }

    fn tags(&self, ask: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        self.tempo.tags(ask)
    }

    fn tag_values(&self, field: Field, ask: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        self.tempo.tag_values(field, ask)
    }

    fn subscribe(&self) -> Box<dyn SpanFeed> {
        self.local.subscribe()
    }

    fn mark(&self, name: &str) -> Option<u64> {
        self.local.mark(name)
    }

    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>> {
        self.local.stats()
    }

    fn read(&self, ask: SpanReadRequest) -> BoxFuture<'_, Result<Box<dyn SpanReader>, SpanStoreError>> {
        self.local.read(ask)
    }

    fn forwarding(&self, trail: &HopList) -> ForwardTarget {
        match self.tempo.forwarding(trail) {
            ForwardTarget::Local => ForwardTarget::Local,
            ForwardTarget::Delegate(tempo) => {
                ForwardTarget::Delegate(Arc::new(Self::new(Arc::clone(&self.local), tempo)))
            }
            ForwardTarget::Rejected => ForwardTarget::Delegate(Arc::clone(&self.local)),
        }
    }
}
