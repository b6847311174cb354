//! Searches through the port while spans move from the log to heads, blocks and merged blocks.

use crate::{
    naive::{self, ExpectedTrace, dice::Dice},
    store_sample::{open, small},
};
use baton_span_ports::{SpanBatch, SpanStore, SpanStoreError, TagsRequest, TimeRange, TraceMatch, TraceSearchRequest};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_traceql::{AttributeRef, AttributeScope, Field, Intrinsic, Mode, Query, parse};
use baton_types::{Span, SpanEvent, SpanKind, SpanStatus, SpanValue};
use proptest::{
    prelude::{ProptestConfig, Strategy, any, prop},
    test_runner::{TestCaseError, TestRunner},
};
use std::{sync::Arc, time::Duration};

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), most / 4..most)
}

fn ask(query: Arc<Query>) -> TraceSearchRequest {
    TraceSearchRequest { query, range: TimeRange::ALL, limit: 1_000, spans_per_spanset: usize::MAX, aliases: false }
}

fn query(text: &str) -> Arc<Query> {
    Arc::new(parse(text, Mode::Strict).unwrap().query)
}

fn expected_trace(found: TraceMatch) -> ExpectedTrace {
    let set = |set: &baton_span_ports::SpansetMatch| {
        assert_eq!(set.matched as usize, set.spans.len());
        (set.spans.iter().map(|span| span.id).collect::<Vec<_>>(), naive::printed(&set.attributes))
    };
    let mut spansets: Vec<_> = found.spansets.iter().map(set).collect();
    spansets.sort_by(|left, right| left.0.cmp(&right.0));
    ExpectedTrace {
        id: found.id,
        root: (found.root_service, found.root_name),
        start: found.start,
        duration: found.duration,
        services: found.services,
        spansets,
    }
}

/// Compares the results of one query; returns the number of traces found.
async fn compare(store: &EmbeddedSpanStore, spans: &[Span], query: &[u8]) -> Result<usize, TestCaseError> {
    let query = naive::queries::query(&mut Dice::new(query));
    let answer = match store.search(ask(Arc::new(query.clone()))).await {
        Err(SpanStoreError::Query(_)) => return Ok(0),
        answer => answer.map_err(|error| TestCaseError::fail(error.to_string()))?,
    };
    let expected = naive::answer(&query, spans, TimeRange::ALL);
    let found: Vec<ExpectedTrace> = answer.traces.into_iter().map(expected_trace).collect();
    if found != expected {
        let message = format!("{query}: {found:#?} is not {expected:#?} of {spans:#?}");
        return Err(TestCaseError::fail(message));
    }
    Ok(found.len())
}

/// Spans arrive in batches of any size, some of which fill a block; the store is reopened now and then.
#[test]
fn store_matches_the_naive_evaluator_while_spans_move() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let cases = (bytes(1_200), bytes(40), prop::collection::vec(bytes(60), 32));
    let answered = std::cell::Cell::new(0);
    let checked = TestRunner::new(config).run(&cases, |(spans, moves, queries)| {
        let spans = naive::spans::spans(&mut Dice::new(&spans));
        let mut moves = Dice::new(&moves);
        let directory = tempfile::tempdir().unwrap();
        let options = SpanStoreOptions { head_spans: 1 + moves.below(8), merged_spans: 16, ..small() };
        runtime.block_on(async {
            let mut store = open(directory.path(), &options);
            let mut queries = queries.iter();
            let mut arrived = 0;
            while arrived < spans.len() {
                let next = (arrived + 1 + moves.below(6)).min(spans.len());
                let batch = SpanBatch { spans: spans[arrived..next].to_vec(), mark: None };
                store.ingest(batch).await.unwrap();
                arrived = next;
                match moves.below(6) {
                    0 => store.flush().await.unwrap(),
                    1 => {
                        store.close().await;
                        drop(store);
                        store = open(directory.path(), &options);
                    }
                    _ => {}
                }
                for query in queries.by_ref().take(4) {
                    answered.set(answered.get() + compare(&store, &spans[..arrived], query).await?);
                }
            }
            for query in queries {
                answered.set(answered.get() + compare(&store, &spans, query).await?);
            }
            store.close().await;
            Ok(())
        })
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
    assert!(answered.get() > 100, "random queries must find something: {answered:?} traces are too few");
}

fn sample(number: usize) -> Span {
    let plain = naive::spans::spans(&mut Dice::new(&[])).remove(0);
    Span { id: naive::spans::span_id(number + 1), trace: naive::spans::trace_id(number), parent: None, ..plain }
}

/// Three spans in a block and two in the head.
async fn mixed() -> (tempfile::TempDir, Arc<EmbeddedSpanStore>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &small());
    let mut first = Span { name: "insight.b".into(), kind: SpanKind::Server, ..sample(0) };
    first.attributes = vec![("agent.id".into(), "planner".into()), ("size".into(), SpanValue::Int(3))];
    let mut second = Span { status: SpanStatus::Error, ..sample(1) };
    second.attributes = vec![("gen_ai.agent.id".into(), "planner".into()), ("size".into(), SpanValue::Float(0.5))];
    second.events = vec![SpanEvent { attributes: vec![("evidence.ref".into(), "doc".into())], ..SpanEvent::default() }];
    let third =
        Span { attributes: vec![("size".into(), SpanValue::Int(3)), ("flag".into(), true.into())], ..sample(2) };
    store.ingest(SpanBatch { spans: vec![first, second, third], mark: None }).await.unwrap();
    store.flush().await.unwrap();
    let fourth = Span { attributes: vec![("size".into(), "big".into())], ..sample(3) };
    let mut fifth = Span { kind: SpanKind::Server, ..sample(4) };
    fifth.attributes = vec![("size".into(), SpanValue::Int(3))];
    store.ingest(SpanBatch { spans: vec![fourth, fifth], mark: None }).await.unwrap();
    (directory, store)
}

#[tokio::test]
async fn tags_and_values_cover_heads_and_blocks() {
    let (_directory, store) = mixed().await;
    let of = |query: Option<&str>, limit| TagsRequest {
        query: query.map(self::query),
        range: TimeRange::ALL,
        limit,
        aliases: false,
    };
    let attribute =
        |scope, name: &str| Field::Attribute(AttributeRef { scope, of_parent: false, name: name.to_owned() });
    let table: Vec<(Field, Option<&str>, Vec<SpanValue>)> = vec![
        (attribute(AttributeScope::Span, "size"), None, vec![3_i64.into(), "big".into(), 0.5.into()]),
        (attribute(AttributeScope::Any, "size"), Some("{ kind = server }"), vec![3_i64.into()]),
        (attribute(AttributeScope::Span, "size"), Some("{ span.size = 0.5 || name = \"nobody\" }"), vec![0.5.into()]),
        (attribute(AttributeScope::Event, "evidence.ref"), None, vec!["doc".into()]),
        (attribute(AttributeScope::Resource, "size"), None, vec![]),
        (Field::Intrinsic(Intrinsic::Name), None, vec!["a".into(), "insight.b".into()]),
        (Field::Intrinsic(Intrinsic::Kind), None, vec!["internal".into(), "server".into()]),
        (Field::Intrinsic(Intrinsic::Status), None, vec!["unset".into(), "error".into()]),
        (Field::Intrinsic(Intrinsic::Status), Some("{ span.flag = true }"), vec!["unset".into()]),
        (Field::Intrinsic(Intrinsic::RootName), None, vec!["a".into(), "insight.b".into()]),
    ];
    for (field, query, expected) in table {
        let values = store.tag_values(field.clone(), of(query, 100)).await.unwrap();
        assert_eq!(values, expected, "{field:?} of {query:?}");
    }
    let first = store.tag_values(attribute(AttributeScope::Span, "size"), of(None, 1)).await.unwrap();
    assert_eq!(first, [SpanValue::Int(3)]);

    let all = store.tags(of(None, 100)).await.unwrap();
    assert_eq!(
        (all.span, all.event),
        (["agent.id", "flag", "gen_ai.agent.id", "size"].map(str::to_owned).to_vec(), vec!["evidence.ref".to_owned()])
    );
    let some = store.tags(of(Some("{ status = error }"), 100)).await.unwrap();
    assert_eq!(some.span, ["gen_ai.agent.id", "size"]);
    store.close().await;
}

#[tokio::test]
async fn aliases_of_a_key_match_when_requested() {
    let (_directory, store) = mixed().await;
    for text in ["{ span.agent.id = \"planner\" }", "{ .gen_ai.agent.id =~ \"plan.*\" }"] {
        for (aliases, traces) in [(false, 1), (true, 2)] {
            let answer = store.search(TraceSearchRequest { aliases, ..ask(query(text)) }).await.unwrap();
            assert_eq!(answer.traces.len(), traces, "{text}, aliases: {aliases}");
            let tags_ask = TagsRequest { query: Some(query(text)), range: TimeRange::ALL, limit: 100, aliases };
            let size = AttributeRef { scope: AttributeScope::Span, of_parent: false, name: "size".to_owned() };
            let values = store.tag_values(Field::Attribute(size), tags_ask.clone()).await.unwrap();
            assert_eq!(values.len(), traces, "{text}, aliases: {aliases}: {values:?}");
            assert_eq!(store.tags(tags_ask).await.unwrap().span.len(), 1 + traces, "{text}, aliases: {aliases}");
        }
    }
    store.close().await;
}

#[tokio::test]
async fn search_without_time_left_is_partial() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions { search_budget: Duration::ZERO, ..small() }).unwrap();
    store.ingest(SpanBatch { spans: vec![sample(0)], mark: None }).await.unwrap();
    let answer = store.search(ask(query("{}"))).await.unwrap();
    assert!(answer.partial && answer.traces.is_empty(), "{answer:?}");
    store.close().await;
}
