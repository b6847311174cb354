//! Stored spans arrive complete, in order and once, in every protocol and across outages.

use crate::{
    fixtures::{Sender, number, span, to, to_route},
    receiver::{Answer, Port, Receiver},
};
use baton_export::{Compression, ExportOptions, OtlpProtocol, Route, Signal};
use baton_span_ports::{SpanBatch, SpanStore as _};
use baton_types::{Span, SpanId, SpanLink, SpanStatus, SpanValue};
use http::HeaderValue;
use std::{collections::BTreeSet, time::Duration};

#[tokio::test]
async fn complete_spans_arrive_in_every_protocol() {
    for (protocol, path) in [
        (OtlpProtocol::Grpc, "/opentelemetry.proto.collector.trace.v1.TraceService/Export"),
        (OtlpProtocol::Http, "/v1/traces"),
        (OtlpProtocol::Json, "/v1/traces"),
    ] {
        for compression in [Compression::Gzip, Compression::None] {
            let receiver = Receiver::start(&[]).await;
            let directory = tempfile::tempdir().unwrap();
            let mut route = Route::new(Route::signal_url(&receiver.url(), protocol, Signal::Traces), protocol);
            route.compression = compression;
            let mut token = HeaderValue::from_static("Bearer s3cret");
            token.set_sensitive(true);
            route.headers.insert("authorization", token);
            let options = to_route(route);
            assert!(!format!("{options:?}").contains("s3cret"));
            let sender = Sender::start(directory.path(), &options);
            sender.keep(0..7).await;
            let spans = receiver.spans(7).await;
            assert_eq!(spans, (0..7).map(span).collect::<Vec<_>>(), "{protocol:?} {compression:?}");
            let came = receiver.until(|came| !came.is_empty()).await;
            assert_eq!(came[0].path, path);
            assert_eq!(came[0].headers["authorization"], "Bearer s3cret");
            sender.close().await;
        }
    }
}

#[tokio::test]
async fn content_is_exported_only_if_allowed() {
    let receiver = Receiver::start(&[]).await;
    let directory = tempfile::tempdir().unwrap();
    let options = ExportOptions { content: false, ..to(&receiver.url(), OtlpProtocol::Grpc) };
    let sender = Sender::start(directory.path(), &options);
    sender.keep(3..4).await;
    let spans = receiver.spans(1).await;
    let mut expected = span(3);
    expected.attributes.truncate(1);
    expected.dropped.attributes = 1;
    expected.events[0].attributes.clear();
    expected.events[0].dropped_attributes = 1;
    assert_eq!(spans, [expected.clone()]);

    let mut link = SpanLink {
        trace: expected.trace,
        span: expected.id,
        trace_state: String::new(),
        attributes: vec![("retrieval.documents.0.document.content".into(), SpanValue::from("secret"))],
        dropped_attributes: 1,
        flags: 0,
    };
    expected.id = SpanId::derive(&["another"]);
    expected.links = vec![link.clone()];
    let content = ["gen_ai.retrieval.documents", "gen_ai.retrieval.query.text", "ai.prompt", "ai.prompt.messages"];
    expected.attributes.extend(content.map(|key| (key.into(), SpanValue::from("secret"))));
    sender.store.ingest(SpanBatch { spans: vec![expected.clone()], mark: None }).await.unwrap();
    link.attributes.clear();
    link.dropped_attributes = 2;
    expected.links = vec![link];
    expected.attributes.truncate(1);
    expected.dropped.attributes = 5;
    assert_eq!(receiver.spans(2).await[1], expected);
}

/// The span with this number as known at its start.
fn stub(number: u64) -> Span {
    let whole = span(number);
    Span { name: "stub".into(), end: whole.start, status: SpanStatus::Unset, events: Vec::new(), ..whole }
}

#[tokio::test]
async fn latest_version_of_a_span_arrives() {
    let receiver = Receiver::start(&[]).await;
    let directory = tempfile::tempdir().unwrap();
    let sender = Sender::start(directory.path(), &to(&receiver.url(), OtlpProtocol::Grpc));
    let keep = async |spans: Vec<Span>| sender.store.ingest(SpanBatch { spans, mark: None }).await.unwrap();
    // In one batch, in either order.
    keep(vec![stub(1), span(1), span(2), stub(2)]).await;
    assert_eq!(receiver.spans(2).await, [span(1), span(2)]);
    // In two batches.
    keep(vec![stub(3)]).await;
    assert_eq!(receiver.spans(3).await[2..], [stub(3)]);
    keep(vec![span(3)]).await;
    assert_eq!(receiver.spans(4).await[3..], [span(3)]);
    // The less complete version is late.
    keep(vec![stub(1), stub(3), span(3)]).await;
    keep(vec![span(4)]).await;
    assert_eq!(receiver.spans(5).await[4..], [span(4)]);
}

#[tokio::test]
async fn accepted_spans_are_not_sent_again_after_a_clean_shutdown() {
    let mut answers = vec![Answer::Accept, Answer::Accept];
    answers.resize(1000, Answer::Http(503, None));
    let receiver = Receiver::start(&answers).await;
    let directory = tempfile::tempdir().unwrap();
    let mut options = to(&receiver.url(), OtlpProtocol::Http);
    options.timing.max_retry_delay = Duration::from_secs(60);
    // There are three requests; the third one is rejected.
    options.timing.batch_delay = Duration::from_millis(300);
    let sender = Sender::start(directory.path(), &options);
    sender.keep(0..5000).await;
    receiver.until(|came| came.len() >= 3).await;
    sender.close().await;
    let taken = receiver.spans(2).await;
    let receiver = Receiver::start(&[]).await;
    let sender = Sender::start(directory.path(), &to(&receiver.url(), OtlpProtocol::Http));
    let rest = receiver.spans(5000 - taken.len()).await;
    let numbers: Vec<u64> = taken.iter().chain(&rest).map(number).collect();
    assert_eq!(numbers, (0..5000).collect::<Vec<_>>());
    sender.close().await;
}

#[tokio::test]
async fn unavailable_target_gets_everything_in_order_without_blocking() {
    let port = Port::take();
    let directory = tempfile::tempdir().unwrap();
    let options = to(&format!("http://{}", port.address), OtlpProtocol::Grpc);
    let mut next = 0;
    for _ in 0..3 {
        // Nothing listens now. Ingestion does not depend on it, and shutdown is immediate.
        let sender = Sender::start(directory.path(), &options);
        for _ in 0..6 {
            sender.keep(next..next + 100).await;
            next += 100;
        }
        sender.store.flush().await.unwrap();
        sender.close().await;
    }
    let receiver = port.open();
    let sender = Sender::start(directory.path(), &options);
    sender.keep(next..next + 5).await;
    let spans = receiver.spans(usize::try_from(next).unwrap() + 5).await;
    assert_eq!(spans.iter().map(number).collect::<Vec<_>>(), (0..next + 5).collect::<Vec<_>>());
    sender.close().await;

    let sender = Sender::start(directory.path(), &options);
    sender.keep(next + 5..next + 6).await;
    let spans = receiver.spans(usize::try_from(next).unwrap() + 6).await;
    assert_eq!(spans.len(), usize::try_from(next).unwrap() + 6, "spans before the stored position are not sent again");
}

#[tokio::test]
async fn ingested_duplicates_are_not_sent_again() {
    let receiver = Receiver::start(&[]).await;
    let directory = tempfile::tempdir().unwrap();
    let sender = Sender::start(directory.path(), &to(&receiver.url(), OtlpProtocol::Http));
    sender.keep(0..5).await;
    let mut back = receiver.spans(5).await;
    for _ in 0..3 {
        back.extend((5..7).map(span));
        sender.store.ingest(SpanBatch { spans: back.clone(), mark: None }).await.unwrap();
    }
    sender.keep(100..101).await;
    let spans = receiver.spans(8).await;
    let numbers: BTreeSet<u64> = spans.iter().map(number).collect();
    assert_eq!((spans.len(), numbers), (8, (0..7).chain([100]).collect()));
}
