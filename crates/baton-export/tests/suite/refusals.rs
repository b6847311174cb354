//! Error replies of receivers and their effect on the spans.

use crate::{
    blocked::{Lines, until},
    fixtures::{Sender, TARGET, number, span, to},
    receiver::{Answer, ReceivedRequest, Receiver},
};
use baton_export::{OtlpProtocol, Signal};
use baton_ports::ExportState;
use baton_span_ports::{SpanBatch, SpanStore as _};
use baton_types::{Span, SpanValue};
use std::time::Duration;

/// With `patient`, the default retry budget applies; otherwise none.
async fn check(
    protocol: OtlpProtocol,
    answers: &[Answer],
    patient: bool,
    requests: usize,
    counted: (u64, u64),
) -> Vec<ReceivedRequest> {
    let receiver = Receiver::start(answers).await;
    let directory = tempfile::tempdir().unwrap();
    let mut options = to(&receiver.url(), protocol);
    if !patient {
        options.timing.retry_budget = Duration::ZERO;
    }
    let sender = Sender::start(directory.path(), &options);
    sender.keep(0..4).await;
    receiver.until(|came| came.len() >= requests - 1).await;
    // A later span shows that all earlier ones are settled.
    sender.store.flush().await.unwrap();
    let decided = async {
        while sender.counted() != (counted.0 - 1, counted.1) {
            tokio::task::yield_now().await;
        }
    };
    let decided = tokio::time::timeout(Duration::from_secs(20), decided).await;
    assert!(decided.is_ok(), "{protocol:?} {answers:?}: {:?}", sender.counted());
    sender.keep(10..11).await;
    let came = receiver.until(|came| came.len() >= requests).await;
    let context = format!("{protocol:?} {answers:?}");
    assert_eq!(came.last().unwrap().spans.iter().map(number).collect::<Vec<_>>(), [10], "{context}");
    sender.store.close().await;
    let counts = sender.exporter.counts();
    sender.exporter.close(Duration::from_secs(5)).await;
    assert_eq!((counts.sent(TARGET, Signal::Traces), counts.failed(TARGET, Signal::Traces)), counted, "{context}");
    assert_eq!(came.len(), requests, "{context}");
    came
}

#[tokio::test]
async fn replies_are_retried_or_skipped_by_status() {
    use Answer::{Accept, Grpc, Http, Partly};
    use OtlpProtocol::{Grpc as G, Http as H, Json as J};
    let soon = Some(Duration::from_millis(1));
    for (protocol, answers, patient, requests, counted) in [
        (G, vec![Accept], true, 2, (5, 0)),
        (G, vec![Partly(3)], true, 2, (2, 3)),
        (H, vec![Partly(3)], true, 2, (2, 3)),
        (J, vec![Partly(3)], true, 2, (2, 3)),
        // Temporary.
        (G, vec![Grpc(14, None), Grpc(4, None), Grpc(8, soon)], false, 5, (5, 0)),
        (H, vec![Http(503, None), Http(429, None), Http(502, None)], false, 5, (5, 0)),
        // Until the configuration is changed.
        (G, vec![Grpc(16, None), Grpc(12, None)], false, 4, (5, 0)),
        (H, vec![Http(401, None), Http(404, None)], false, 4, (5, 0)),
        // Permanent.
        (G, vec![Grpc(3, None)], true, 2, (1, 4)),
        (H, vec![Http(400, None)], true, 2, (1, 4)),
        // Server errors: either an outage, or caused by these spans.
        (G, [13, 13, 2, 2, 13, 13, 2, 13].map(|code| Grpc(code, None)).to_vec(), true, 10, (5, 0)),
        (H, [500, 505, 500, 500, 500, 520, 500, 500].map(|status| Http(status, None)).to_vec(), true, 10, (5, 0)),
        (G, vec![Grpc(13, None)], false, 2, (1, 4)),
        (H, vec![Http(500, None)], false, 2, (1, 4)),
        // Too large: two halves, and the first half split again, of which one part is too large by itself.
        (H, vec![Http(413, None), Http(413, None), Http(413, None)], true, 6, (4, 1)),
        // Resource exhausted: such a small batch is not the cause.
        (G, vec![Grpc(8, None); 8], false, 10, (5, 0)),
    ] {
        let came = check(protocol, &answers, patient, requests, counted).await;
        let mut taken: Vec<u64> =
            came.iter().filter(|came| came.taken).flat_map(|came| came.spans.iter().map(number)).collect();
        taken.dedup();
        assert!(taken.is_sorted(), "in order: {taken:?}");
    }
}

/// The span with this number, too large for a batch of many.
fn large(number: u64) -> Span {
    let mut large = span(number);
    large.attributes.push(("large".into(), SpanValue::from("x".repeat(40_000))));
    large
}

#[tokio::test]
async fn overload_halves_the_batch_after_a_pause() {
    let receiver = Receiver::start(&[Answer::Grpc(8, None), Answer::Grpc(8, None)]).await;
    let directory = tempfile::tempdir().unwrap();
    let sender = Sender::start(directory.path(), &to(&receiver.url(), OtlpProtocol::Grpc));
    sender.store.ingest(SpanBatch { spans: (0..4).map(large).collect(), mark: None }).await.unwrap();
    assert_eq!(receiver.spans(4).await.iter().map(number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let came = receiver.until(|came| came.len() >= 5).await;
    assert_eq!(came.iter().map(|came| came.spans.len()).collect::<Vec<_>>(), [4, 2, 1, 1, 2]);
    // A delay is at least three quarters of its nominal value, and the second one is longer.
    for (first, pause) in [(0, 15), (1, 30)] {
        let waited = came[first + 1].at - came[first].at;
        assert!(waited >= Duration::from_millis(pause), "{waited:?}");
    }
    let counts = sender.exporter.counts();
    sender.close().await;
    assert_eq!((counts.sent(TARGET, Signal::Traces), counts.failed(TARGET, Signal::Traces)), (4, 0));
}

#[tokio::test]
async fn secrets_echoed_by_receivers_are_redacted() {
    // Every sixteen characters of it are unique.
    let token: String = (0..150).map(|number| format!("{number:03}x")).collect();
    let leaks = |said: &str| (0..token.len() - 16).any(|at| said.contains(&token[at..at + 16]));
    for (protocol, code) in
        [(OtlpProtocol::Http, 401), (OtlpProtocol::Grpc, 16), (OtlpProtocol::Http, 503), (OtlpProtocol::Grpc, 14)]
    {
        for before in [0, 20, 150, 195, 400] {
            let (lines, _guard) = Lines::capture();
            let receiver = Receiver::start(&[Answer::Echo(code, before); 3]).await;
            let directory = tempfile::tempdir().unwrap();
            let mut options = to(&receiver.url(), protocol);
            let header = format!("Bearer {token}").parse().unwrap();
            options.targets[0].routes[0].1.headers.insert("authorization", header);
            let sender = Sender::start(directory.path(), &options);
            sender.keep(0..1).await;
            let why =
                until(&sender, |state| matches!(state, ExportState::Blocked { .. } | ExportState::Unreachable { .. }));
            let why = format!("{:?}", why.await);
            assert!(!leaks(&why), "{protocol:?} {code} {before}: {why}");
            assert_eq!(why.contains("[hidden] is not known here"), before <= 150, "{why}");
            receiver.spans(1).await;
            sender.close().await;
            let told = lines.of(" WARN ");
            assert!(told.len() == 1 && !lines.all().iter().any(|line| leaks(line)), "{told:?}");
        }
    }
}

#[tokio::test]
async fn retry_waits_as_long_as_the_server_asks() {
    for (protocol, answer) in [
        (OtlpProtocol::Http, Answer::Http(429, Some("1"))),
        (OtlpProtocol::Grpc, Answer::Grpc(14, Some(Duration::from_secs(1)))),
    ] {
        let receiver = Receiver::start(&[answer]).await;
        let directory = tempfile::tempdir().unwrap();
        let sender = Sender::start(directory.path(), &to(&receiver.url(), protocol));
        sender.keep(0..2).await;
        let came = receiver.until(|came| came.len() >= 2).await;
        let waited = came[1].at - came[0].at;
        assert!(waited >= Duration::from_secs(1), "{protocol:?}: {waited:?}");
    }
}
