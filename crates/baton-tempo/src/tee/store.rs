//! `SpanStore` implementation.

use super::{metrics, search, tags, trace};
use baton_ports::BoxFuture;
use baton_span_ports::{
    ForwardTarget, HopList, MetricsResult, SpanBatch, SpanFeed, SpanMetricsRequest, SpanReadRequest, SpanReader,
    SpanStats, SpanStore, SpanStoreError, TagNames, TagsRequest, TraceSearchRequest, TraceSearchResult,
};
use baton_traceql::Field;
use baton_types::{Clock, Span, SpanValue, TraceId};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};
use tokio::time::timeout;

/// How queries are split between the two stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeeOptions {
    /// Length of the hot window, which the local store measures alone.
    pub hot: Duration,
    /// Timeout of the Tempo per query.
    pub timeout: Duration,
    /// Cooldown after a failure of the Tempo, so that not every query waits for it.
    pub cooldown: Duration,
}

impl Default for TeeOptions {
    fn default() -> Self {
        Self { hot: Duration::from_secs(60 * 60), timeout: Duration::from_secs(10), cooldown: Duration::from_secs(15) }
    }
}

/// Stores spans locally and queries both the local store and a Tempo, so that results include the newest spans and
/// those already deleted locally.
pub struct TeeSpans {
    pub(super) local: Arc<dyn SpanStore>,
    pub(super) tempo: Arc<dyn SpanStore>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) options: TeeOptions,
    outage: Arc<TempoOutage>,
}

/// Outage state of the Tempo.
#[derive(Default)]
struct TempoOutage {
    is_logged: AtomicBool,
    /// End of the cooldown, in milliseconds.
    cooldown_until: AtomicI64,
}

impl TeeSpans {
    /// Combines a local store and a Tempo.
    pub fn new(
        local: Arc<dyn SpanStore>,
        tempo: Arc<dyn SpanStore>,
        clock: Arc<dyn Clock>,
        options: TeeOptions,
    ) -> Self {
        Self { local, tempo, clock, options, outage: Arc::default() }
    }

    /// Awaits a result of the Tempo, up to the timeout. An outage is logged once until the Tempo recovers.
    pub(super) async fn query_tempo<T>(
        &self,
        answer: impl Future<Output = Result<T, SpanStoreError>>,
    ) -> Result<T, SpanStoreError> {
        self.query_tempo_within(self.options.timeout, answer).await
    }

    /// Awaits a result of the Tempo, up to `limit`.
    pub(super) async fn query_tempo_within<T>(
        &self,
        limit: Duration,
        answer: impl Future<Output = Result<T, SpanStoreError>>,
    ) -> Result<T, SpanStoreError> {
        if self.clock.now().as_millis() < self.outage.cooldown_until.load(Ordering::Relaxed) {
            let reason = "the Tempo server did not answer recently; it is retried soon";
            return Err(SpanStoreError::Unavailable(reason.to_owned()));
        }
        let late =
            || SpanStoreError::Unavailable(format!("the Tempo server did not answer within {} ms", limit.as_millis()));
        let answer = match timeout(limit, answer).await {
            Ok(answer) => answer,
            // A timeout after a short limit does not count as an outage.
            Err(_) if limit < self.options.timeout / 2 => return Err(late()),
            Err(_) => Err(late()),
        };
        if let Err(SpanStoreError::Unavailable(_)) = &answer {
            let until = self.clock.now().after(self.options.cooldown);
            self.outage.cooldown_until.store(until.as_millis(), Ordering::Relaxed);
        }
        match &answer {
            Ok(_) if self.outage.is_logged.swap(false, Ordering::Relaxed) => {
                tracing::info!("the Tempo server answers again");
            }
            Ok(_) => {}
            // The Tempo is available, but rejects this query.
            Err(SpanStoreError::Query(error)) => {
                tracing::debug!(%error, "a query was answered without the Tempo server");
            }
            Err(error) if !self.outage.is_logged.swap(true, Ordering::Relaxed) => {
                tracing::warn!(%error, "queries are answered without the Tempo server");
            }
            Err(error) => tracing::debug!(%error, "a query was answered without the Tempo server"),
        }
        answer
    }
}

impl SpanStore for TeeSpans {
    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        self.local.ingest(batch)
    }

    fn search(&self, ask: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        Box::pin(search::search(self, ask))
    }

    fn metrics(&self, ask: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        Box::pin(metrics::metrics(self, ask))
    }

    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        Box::pin(trace::trace(self, id))
    }

    fn tags(&self, ask: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        Box::pin(tags::tags(self, ask))
    }

    fn tag_values(&self, field: Field, ask: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        Box::pin(tags::tag_values(self, field, ask))
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
        let tempo = match self.tempo.forwarding(trail) {
            ForwardTarget::Local => return ForwardTarget::Local,
            ForwardTarget::Delegate(tempo) => tempo,
            ForwardTarget::Rejected => return ForwardTarget::Delegate(Arc::clone(&self.local)),
        };
        ForwardTarget::Delegate(Arc::new(Self {
            local: Arc::clone(&self.local),
            tempo,
            clock: Arc::clone(&self.clock),
            options: self.options,
            outage: Arc::clone(&self.outage),
        }))
    }
}
