//! What receivers answer besides yes, and what becomes of the spans.

use crate::{
    receiver::{Answer, Came, Receiver},
    sample::{Sender, number, to},
};
use baton_export::Protocol;
use std::time::{Duration, Instant};

async fn check(protocol: Protocol, answers: &[Answer], requests: usize, counted: (u64, u64)) -> Vec<Came> {
    let receiver = Receiver::start(answers).await;
    let directory = tempfile::tempdir().unwrap();
    let sender = Sender::start(directory.path(), &to(&receiver.url(), protocol));
    sender.keep(0..4).await;
    receiver.until(|came| came.len() >= requests - 1).await;
    // What comes later shows that everything before is decided.
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
    let signal = baton_export::Signal::Traces;
    let target = crate::sample::TARGET;
    assert_eq!((counts.sent(target, signal), counts.failed(target, signal)), counted, "{context}");
    assert_eq!(came.len(), requests, "{context}");
    came
}

#[tokio::test]
async fn what_is_tried_again_and_what_is_skipped() {
    use Answer::{Grpc, Http, Partly, Take};
    use Protocol::{Grpc as G, Http as H, Json as J};
    let soon = Some(Duration::from_millis(1));
    for (protocol, answers, requests, counted) in [
        (G, vec![Take], 2, (5, 0)),
        (G, vec![Partly(3)], 2, (2, 3)),
        (H, vec![Partly(3)], 2, (2, 3)),
        (J, vec![Partly(3)], 2, (2, 3)),
        // Not now.
        (G, vec![Grpc(14, None), Grpc(4, None), Grpc(8, soon)], 5, (5, 0)),
        (H, vec![Http(503, None), Http(429, None), Http(502, None)], 5, (5, 0)),
        // Until somebody changes a setting.
        (G, vec![Grpc(16, None), Grpc(12, None)], 4, (5, 0)),
        (H, vec![Http(401, None), Http(404, None)], 4, (5, 0)),
        // Never.
        (G, vec![Grpc(3, None)], 2, (1, 4)),
        (H, vec![Http(400, None)], 2, (1, 4)),
        // Something is wrong there, or with these.
        (G, vec![Grpc(13, None), Grpc(13, None), Grpc(2, None)], 4, (1, 4)),
        (H, vec![Http(500, None), Http(500, None)], 4, (5, 0)),
        // In smaller pieces: two halves, and the first half again in halves, of which one is too large by itself.
        (H, vec![Http(413, None), Http(413, None), Http(413, None)], 6, (4, 1)),
        (G, vec![Grpc(8, None)], 4, (5, 0)),
    ] {
        let came = check(protocol, &answers, requests, counted).await;
        let mut taken: Vec<u64> =
            came.iter().filter(|came| came.taken).flat_map(|came| came.spans.iter().map(number)).collect();
        taken.dedup();
        assert!(taken.is_sorted(), "in order: {taken:?}");
    }
}

#[tokio::test]
async fn as_late_as_the_server_asks() {
    for (protocol, answer) in [
        (Protocol::Http, Answer::Http(429, Some("1"))),
        (Protocol::Grpc, Answer::Grpc(14, Some(Duration::from_secs(1)))),
    ] {
        let receiver = Receiver::start(&[answer]).await;
        let directory = tempfile::tempdir().unwrap();
        let sender = Sender::start(directory.path(), &to(&receiver.url(), protocol));
        sender.keep(0..2).await;
        receiver.until(|came| came.len() == 1).await;
        let asked = Instant::now();
        receiver.spans(2).await;
        assert!(asked.elapsed() > Duration::from_millis(900), "{protocol:?}: {:?}", asked.elapsed());
    }
}
