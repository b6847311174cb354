//! `SpanStore` implementation.

use super::{metrics, search, tags, trace};
use crate::{SetupError, TempoOptions, client::TempoClient, failure::TempoError};
use baton_outbound::GuardedClient;
use baton_ports::BoxFuture;
use baton_span_ports::{
    ForwardTarget, HopList, MetricsResult, SpanBatch, SpanFeed, SpanFeedEvent, SpanMetricsRequest, SpanStats,
    SpanStore, SpanStoreError, TagNames, TagsRequest, TraceSearchRequest, TraceSearchResult,
};
use baton_traceql::Field;
use baton_types::{Clock, Span, SpanValue, TraceId};
use std::{fmt, future::ready, sync::Arc, time::Duration};

/// Read-only span store over the HTTP API of a Tempo.
pub struct TempoSpans {
    pub(super) line: TempoClient,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) history: Duration,
}

impl TempoSpans {
    /// Store for the Tempo at `options.url`, which may be in a private network.
    pub fn new(client: &GuardedClient, options: &TempoOptions, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        Ok(Self { line: TempoClient::new(client, options)?, clock, history: options.history })
    }

    async fn map_error<T>(&self, answer: impl Future<Output = Result<T, TempoError>>) -> Result<T, SpanStoreError> {
        answer.await.map_err(|failure| failure.into_store_error(&self.line.endpoint))
    }
}

impl SpanStore for TempoSpans {
    fn ingest(&self, _: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        let refusal = format!("the Tempo server at {} is read-only; send spans to its OTLP port", self.line.endpoint);
        Box::pin(ready(Err(SpanStoreError::Unavailable(refusal))))
    }

    fn search(&self, ask: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        Box::pin(async move { self.map_error(search::search(self, &ask)).await })
    }

    fn metrics(&self, ask: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        Box::pin(async move { self.map_error(metrics::metrics(self, &ask)).await })
    }

    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        Box::pin(async move { self.map_error(trace::trace(self, id)).await })
    }

    fn tags(&self, ask: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        Box::pin(async move { self.map_error(tags::tags(self, &ask)).await })
    }

    fn tag_values(&self, field: Field, ask: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        Box::pin(async move { self.map_error(tags::tag_values(self, &field, &ask)).await })
    }

    fn subscribe(&self) -> Box<dyn SpanFeed> {
        Box::new(EmptyFeed)
    }

    fn mark(&self, _: &str) -> Option<u64> {
        None
    }

    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>> {
        Box::pin(ready(Ok(SpanStats::default())))
    }

    fn forwarding(&self, trail: &HopList) -> ForwardTarget {
        let onward = |line| Self { line, clock: Arc::clone(&self.clock), history: self.history };
        self.line
            .forwarded(trail)
            .map_or(ForwardTarget::Rejected, |line| ForwardTarget::Delegate(Arc::new(onward(line))))
    }
}

impl fmt::Debug for TempoSpans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TempoSpans({})", self.line.endpoint)
    }
}

/// Empty feed: a Tempo does not publish new spans.
struct EmptyFeed;

impl SpanFeed for EmptyFeed {
    fn next(&mut self) -> BoxFuture<'_, Option<SpanFeedEvent>> {
        Box::pin(ready(None))
    }
}
