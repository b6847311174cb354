//! Meters arrive periodically and at shutdown; newer readings replace unsent ones.

use crate::{
    fixtures::{TARGET, span},
    receiver::{Answer, Receiver},
};
use baton_export::{ExportCounts, ExportOptions, ExportTarget, ExportTiming, Exporter, OtlpProtocol, Route, Signal};
use baton_meters::Meters;
use baton_otlp::{
    Encoding,
    proto::{ExportMetricsServiceRequest, MetricData},
    write_metrics,
};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_telemetry::{SpanObserver as _, SpanOrigin, TelemetrySettings};
use baton_types::Span;
use prost::Message as _;
use std::{sync::Arc, time::Duration};

const SINCE: u64 = 1_794_816_000_000_000_000;
const NEVER: Duration = Duration::from_secs(60 * 60);

fn now() -> u64 {
    SINCE + 60_000_000_000
}

fn meters() -> Arc<Meters> {
    Arc::new(Meters::new(&SpanOrigin::new(TelemetrySettings::default(), "instance"), SINCE))
}

/// A span of a call of this tool.
fn call(tool: &str) -> Span {
    let mut call = span(1);
    call.attributes = vec![
        ("gen_ai.operation.name".into(), "execute_tool".into()),
        ("gen_ai.tool.name".into(), tool.to_owned().into()),
    ];
    call
}

fn options(url: &str, protocol: OtlpProtocol, meter_interval: Duration) -> ExportOptions {
    let route = Route::new(Route::signal_url(url, protocol, Signal::Metrics), protocol);
    let routes = vec![(Signal::Metrics, Route { timeout: Duration::from_secs(5), ..route })];
    let target = ExportTarget { name: TARGET.to_owned(), routes, content: None, is_default: false };
    let millis = Duration::from_millis;
    let pace = ExportTiming {
        batch_delay: millis(5),
        retry_delay: millis(20),
        max_retry_delay: millis(60),
        max_default_retry_delay: millis(60),
        ..ExportTiming::default()
    };
    ExportOptions {
        targets: vec![target],
        content: true,
        max_retained_bytes: 1 << 30,
        metrics_interval: meter_interval,
        timing: pace,
    }
}

fn sends(options: &ExportOptions, meters: &Arc<Meters>) -> Exporter {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    Exporter::start(&store, options).with_meters(options, meters, now)
}

fn counted(counts: &ExportCounts) -> (u64, u64) {
    (counts.sent(TARGET, Signal::Metrics), counts.failed(TARGET, Signal::Metrics))
}

/// Number of calls of each tool in a message, and its number of series.
fn call_counts(message: &[u8]) -> (Vec<u64>, usize) {
    let request = ExportMetricsServiceRequest::decode(message).unwrap();
    let (mut calls, mut series) = (Vec::new(), 0);
    for metric in &request.resource_metrics[0].scope_metrics[0].metrics {
        match metric.data.as_ref().unwrap() {
            MetricData::Histogram(it) => {
                assert_eq!(metric.name, "gen_ai.execute_tool.duration");
                series += it.data_points.len();
                calls.extend(it.data_points.iter().map(|point| point.count));
            }
            MetricData::Sum(it) => series += it.data_points.len(),
            MetricData::Gauge(it) => series += it.data_points.len(),
        }
    }
    (calls, series)
}

#[tokio::test]
async fn every_reading_arrives_in_every_protocol() {
    for (protocol, encoding, path) in [
        (OtlpProtocol::Grpc, Encoding::Protobuf, "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"),
        (OtlpProtocol::Http, Encoding::Protobuf, "/v1/metrics"),
        (OtlpProtocol::Json, Encoding::Json, "/v1/metrics"),
    ] {
        let (receiver, meters) = (Receiver::start(&[]).await, meters());
        meters.observe(&call("refund"));
        let exporter = sends(&options(&receiver.url(), protocol, Duration::from_millis(10)), &meters);
        // The meters are read repeatedly.
        let came = receiver.until(|came| came.len() >= 3).await;
        let expected = write_metrics(&meters.read(now()).await, encoding);
        for came in &came {
            assert_eq!((came.path.as_str(), &came.message), (path, &expected), "{protocol:?}");
        }
        let counts = exporter.counts();
        exporter.close(Duration::from_secs(5)).await;
        assert!(counted(&counts).0 >= 9, "two counters and a histogram each time");
    }
}

#[tokio::test]
async fn last_reading_is_sent_at_shutdown() {
    let (receiver, meters) = (Receiver::start(&[]).await, meters());
    let exporter = sends(&options(&receiver.url(), OtlpProtocol::Grpc, NEVER), &meters);
    meters.observe(&call("refund"));
    exporter.close(Duration::from_secs(5)).await;
    let came = receiver.until(|came| came.len() == 1).await;
    assert_eq!(call_counts(&came[0].message), (vec![1], 3));
}

#[tokio::test]
async fn recovered_target_gets_the_current_reading() {
    for (protocol, answer) in [
        (OtlpProtocol::Http, Answer::Http(503, Some("1"))),
        (OtlpProtocol::Grpc, Answer::Grpc(14, Some(Duration::from_secs(1)))),
    ] {
        let (receiver, meters) = (Receiver::start(&[answer]).await, meters());
        meters.observe(&call("refund"));
        let mut options = options(&receiver.url(), protocol, NEVER);
        options.metrics_interval = Duration::from_millis(1);
        let exporter = sends(&options, &meters);
        let first = receiver.until(|came| came.len() == 1).await;
        meters.observe(&call("refund"));
        assert_eq!((call_counts(&first[0].message), first[0].taken), ((vec![1], 3), false));
        let came = receiver.until(|came| came.len() >= 2).await;
        assert_eq!((call_counts(&came[1].message), came[1].taken), ((vec![2], 3), true), "{protocol:?}");
        assert_eq!(counted(&exporter.counts()).1, 0);
    }
}

#[tokio::test]
async fn large_reading_is_split() {
    let too_large = Answer::Http(413, None);
    let (receiver, meters) = (Receiver::start(&[too_large, too_large]).await, meters());
    for tool in 0..6 {
        meters.observe(&call(&format!("tool-{tool}")));
    }
    let exporter = sends(&options(&receiver.url(), OtlpProtocol::Http, NEVER), &meters);
    let counts = exporter.counts();
    exporter.close(Duration::from_secs(5)).await;
    let came = receiver.until(|came| came.len() >= 5).await;
    let series: Vec<usize> = came.iter().map(|came| call_counts(&came.message).1).collect();
    // The whole reading, half of it, a quarter, which is accepted, and the remaining parts.
    assert_eq!(series, [8, 4, 2, 4, 2]);
    assert_eq!(counted(&counts), (8, 0));
}

#[tokio::test]
async fn rejected_reading_is_counted_and_next_one_is_complete() {
    let answers = [Answer::Http(400, None), Answer::Partly(2)];
    let (receiver, meters) = (Receiver::start(&answers).await, meters());
    meters.observe(&call("refund"));
    let exporter = sends(&options(&receiver.url(), OtlpProtocol::Http, Duration::from_millis(10)), &meters);
    receiver.until(|came| came.len() >= 3).await;
    let counts = exporter.counts();
    exporter.close(Duration::from_secs(5)).await;
    assert_eq!(counted(&counts).1, 3 + 2);
    assert!(counted(&counts).0 > 3);
}
