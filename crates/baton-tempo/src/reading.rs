//! Questions for a Tempo, spans for the store here.

use baton_ports::{
    BoxFuture, MetricsAnswer, MetricsAsk, Onward, ReadAsk, SearchAnswer, SearchAsk, SpanBatch, SpanFeed, SpanReader,
    SpanStats, SpanStore, SpanStoreError, Tags, TagsAsk, Trail,
};
use baton_traceql::Field;
use baton_types::{Span, TraceId, Value};
use std::sync::Arc;

/// Keeps spans here, from where they are sent on, and lets a Tempo answer all questions about them.
pub struct TempoReads {
    local: Arc<dyn SpanStore>,
    tempo: Arc<dyn SpanStore>,
}

impl TempoReads {
    /// Both of them.
    pub fn new(local: Arc<dyn SpanStore>, tempo: Arc<dyn SpanStore>) -> Self {
        Self { local, tempo }
    }
}

impl SpanStore for TempoReads {
    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        self.local.ingest(batch)
    }

    fn search(&self, ask: SearchAsk) -> BoxFuture<'_, Result<SearchAnswer, SpanStoreError>> {
        self.tempo.search(ask)
    }

    fn metrics(&self, ask: MetricsAsk) -> BoxFuture<'_, Result<MetricsAnswer, SpanStoreError>> {
        self.tempo.metrics(ask)
    }

    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        self.tempo.trace(id)
    }

    fn tags(&self, ask: TagsAsk) -> BoxFuture<'_, Result<Tags, SpanStoreError>> {
        self.tempo.tags(ask)
    }

    fn tag_values(&self, field: Field, ask: TagsAsk) -> BoxFuture<'_, Result<Vec<Value>, SpanStoreError>> {
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

    fn read(&self, ask: ReadAsk) -> BoxFuture<'_, Result<Box<dyn SpanReader>, SpanStoreError>> {
        self.local.read(ask)
    }

    fn passed_on(&self, trail: &Trail) -> Onward {
        match self.tempo.passed_on(trail) {
            Onward::Itself => Onward::Itself,
            Onward::By(tempo) => Onward::By(Arc::new(Self::new(Arc::clone(&self.local), tempo))),
            Onward::Nobody => Onward::By(Arc::clone(&self.local)),
        }
    }
}
