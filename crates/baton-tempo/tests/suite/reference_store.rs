//! A reference store that scans every span for every query.

use baton_ports::BoxFuture;
use baton_span_ports::{
    MetricsResult, ServiceStats, SpanBatch, SpanFeed, SpanMatch, SpanMetricsRequest, SpanStats, SpanStore,
    SpanStoreError, SpansetMatch, TagNames, TagsRequest, TraceMatch, TraceSearchRequest, TraceSearchResult,
};
use baton_traceql::{Aliases, Field, SearchPlan, Series, TraceSpans};
use baton_types::{Span, SpanId, SpanValue, TraceId};
use parking_lot::Mutex;
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

#[derive(Default)]
pub(crate) struct ReferenceStore {
    pub(crate) spans: Mutex<Vec<Span>>,
    pub(crate) broken: AtomicBool,
    /// Delay of `trace`.
    pub(crate) pause: Mutex<Duration>,
}

impl ReferenceStore {
    pub(crate) fn of(spans: Vec<Span>) -> Arc<Self> {
        Arc::new(Self { spans: Mutex::new(spans), ..Self::default() })
    }

    fn answer<T: Send + 'static>(&self, of: impl FnOnce(&[Span]) -> T) -> BoxFuture<'_, Result<T, SpanStoreError>> {
        let broken = self.broken.load(Ordering::SeqCst);
        let answer =
            if broken { Err(SpanStoreError::Corrupt("a page".to_owned())) } else { Ok(of(&self.spans.lock())) };
        Box::pin(ready(answer))
    }
}

/// The traces of these spans, each span once.
fn traces(spans: &[Span]) -> BTreeMap<TraceId, Vec<Span>> {
    let mut traces: BTreeMap<TraceId, BTreeMap<(u64, SpanId), Span>> = BTreeMap::new();
    for span in spans {
        traces.entry(span.trace).or_default().insert((span.start, span.id), span.clone());
    }
    traces.into_iter().map(|(id, spans)| (id, spans.into_values().collect())).collect()
}

pub(crate) fn found(spans: &[Span], ask: &TraceSearchRequest) -> TraceSearchResult {
    let prepared = SearchPlan::new(&ask.query, Aliases::NONE).expect("a search");
    let mut all = Vec::new();
    for (id, spans) in traces(spans) {
        let start = spans.first().map_or(0, |span| span.start);
        let end = spans.iter().map(|span| span.end).max().unwrap_or(start);
        if !ask.range.overlaps(start, end) {
            continue;
        }
        let root = spans.iter().find(|span| span.parent.is_none()).or(spans.first()).cloned();
        let mut services: BTreeMap<String, ServiceStats> = BTreeMap::new();
        for span in &spans {
            services.entry(span.service().unwrap_or_default().to_owned()).or_default().spans += 1;
        }
        let trace = TraceSpans { spans };
        let sets: Vec<SpansetMatch> = prepared
            .evaluate(&trace)
            .into_iter()
            .map(|set| SpansetMatch {
                spans: set
                    .spans
                    .iter()
                    .take(ask.spans_per_spanset)
                    .map(|index| {
                        let span = &trace.spans[*index];
                        SpanMatch {
                            id: span.id,
                            name: span.name.clone(),
                            start: span.start,
                            duration: span.duration(),
                            status: span.status,
                            attributes: prepared.selected_attributes(&trace, *index).attributes,
                        }
                    })
                    .collect(),
                matched: u32::try_from(set.spans.len()).expect("few"),
                attributes: set.attributes,
            })
            .collect();
        if sets.is_empty() {
            continue;
        }
        all.push(TraceMatch {
            id,
            root_service: root.as_ref().and_then(Span::service).unwrap_or_default().to_owned(),
            root_name: root.map(|root| root.name.into_owned()).unwrap_or_default(),
            start,
            duration: end - start,
            spansets: sets,
            services: services.into_iter().collect(),
        });
    }
    all.sort_by_key(|found| (Reverse(found.start), found.id));
    all.truncate(ask.limit);
    TraceSearchResult { traces: all, ..TraceSearchResult::default() }
}

/// Number of spans that started in each interval, by service; other parts of the query are ignored.
pub(crate) fn count_by_service(spans: &[Span], ask: &SpanMetricsRequest) -> MetricsResult {
    let mut series: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for span in traces(spans).into_values().flatten() {
        let Some(index) = ask.steps.index(span.start) else { continue };
        let line = series.entry(span.service().unwrap_or_default().to_owned());
        let line = line.or_insert_with(|| vec![None; ask.steps.count()]);
        line[index] = Some(line[index].unwrap_or(0.0) + 1.0);
    }
    let labelled = |(service, samples): (String, Vec<Option<f64>>)| Series {
        labels: vec![("resource.service.name".to_owned(), SpanValue::from(service))],
        samples,
        exemplars: Vec::new(),
    };
    MetricsResult { series: series.into_iter().map(labelled).collect(), ..MetricsResult::default() }
}

impl SpanStore for ReferenceStore {
    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        self.spans.lock().extend(batch.spans);
        Box::pin(ready(Ok(())))
    }

    fn search(&self, ask: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        self.answer(|spans| found(spans, &ask))
    }

    fn metrics(&self, ask: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        self.answer(|spans| count_by_service(spans, &ask))
    }

    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        let (pause, answer) = (*self.pause.lock(), self.answer(|spans| traces(spans).remove(&id).unwrap_or_default()));
        Box::pin(async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            answer.await
        })
    }

    fn tags(&self, _: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        self.answer(|_| TagNames { span: vec!["n".to_owned(), "z".to_owned()], ..TagNames::default() })
    }

    fn tag_values(&self, _: Field, _: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        self.answer(|_| vec![SpanValue::Int(7), SpanValue::from("b")])
    }

    fn subscribe(&self) -> Box<dyn SpanFeed> {
        unreachable!("not used in tests")
    }

    fn mark(&self, _: &str) -> Option<u64> {
        Some(42)
    }

    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>> {
        self.answer(|spans| SpanStats {
            spans: spans.len() as u64,
            oldest: spans.iter().map(|span| span.start).min().unwrap_or(0),
            ..SpanStats::default()
        })
    }
}
