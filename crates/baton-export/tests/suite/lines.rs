//! Log lines arrive, and logging never blocks.

use crate::{
    fixtures::TARGET,
    receiver::{Answer, Port, ReceivedRequest, Receiver},
};
use baton_export::{
    DEFAULT_METRICS_INTERVAL, ExportOptions, ExportTarget, ExportTiming, Exporter, LogQueue, OtlpProtocol, Route,
    Signal,
};
use baton_otlp::proto::{ExportLogsServiceRequest, LogRecord, Value};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_telemetry::with_span;
use baton_types::{SpanId, SpanResource, TraceContext, TraceId};
use prost::Message as _;
use serde_json::Value as Json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
};

const AWAY: &str = "away";
const LOGS: Signal = Signal::Logs;
const INSIDE: TraceContext = TraceContext { trace: TraceId([7; 16]), span: SpanId([9; 8]), flags: 1 };

fn route(url: &str, protocol: OtlpProtocol) -> Route {
    let route = Route::new(Route::signal_url(url, protocol, LOGS), protocol);
    Route { timeout: Duration::from_secs(5), ..route }
}

fn options(targets: &[(&str, Route)], gather: Duration) -> ExportOptions {
    let target = |(name, route): &(&str, Route)| ExportTarget {
        name: (*name).to_owned(),
        routes: vec![(LOGS, route.clone())],
        content: None,
        is_default: false,
    };
    let millis = Duration::from_millis;
    let pace = ExportTiming {
        batch_delay: gather,
        retry_delay: millis(20),
        max_retry_delay: millis(60),
        max_default_retry_delay: millis(60),
        ..ExportTiming::default()
    };
    let targets = targets.iter().map(target).collect();
    ExportOptions {
        targets,
        content: true,
        max_retained_bytes: 1 << 30,
        metrics_interval: DEFAULT_METRICS_INTERVAL,
        timing: pace,
    }
}

fn soon() -> Duration {
    Duration::from_millis(5)
}

/// A subscriber that queues every log line of this thread.
fn log() -> (LogQueue, tracing::subscriber::DefaultGuard) {
    let queue = LogQueue::default();
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(queue.layer()));
    (queue, guard)
}

/// Counts all log events.
#[derive(Clone, Default)]
struct EventCounter(Arc<AtomicU64>);

impl<S: Subscriber> Layer<S> for EventCounter {
    fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn sends(options: &ExportOptions, lines: &LogQueue) -> Exporter {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let resource = SpanResource { attributes: vec![("service.name".into(), "test".into())], ..SpanResource::default() };
    Exporter::start(&store, options).with_logs(options, lines, &Arc::new(resource))
}

/// The log records of all requests.
fn records(came: &[ReceivedRequest]) -> Vec<LogRecord> {
    let requests = came.iter().map(|came| ExportLogsServiceRequest::decode(came.message.as_slice()).unwrap());
    let groups = requests.flat_map(|request| request.resource_logs).flat_map(|group| group.scope_logs);
    groups.flat_map(|group| group.log_records).collect()
}

fn body_text(record: &LogRecord) -> String {
    match record.body.as_ref().and_then(|body| body.value.clone()) {
        Some(Value::StringValue(body_text)) => body_text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn complete_lines_arrive_in_every_protocol() {
    for (protocol, path) in [
        (OtlpProtocol::Grpc, "/opentelemetry.proto.collector.logs.v1.LogsService/Export"),
        (OtlpProtocol::Http, "/v1/logs"),
        (OtlpProtocol::Json, "/v1/logs"),
    ] {
        let receiver = Receiver::start(&[]).await;
        let (queue, _log) = log();
        // Lines logged before the exporter starts are not lost.
        with_span(Some(INSIDE), || tracing::warn!(count = 3_u64, share = 0.5, whole = true, name = %"n", "careful"));
        let exporter = sends(&options(&[(TARGET, route(&receiver.url(), protocol))], soon()), &queue);
        let came = receiver.until(|came| !came.is_empty()).await;
        assert_eq!(came[0].path, path);
        let shown = match protocol {
            OtlpProtocol::Json => {
                let mut whole: Json = serde_json::from_slice(&came[0].message).unwrap();
                let group = &mut whole["resourceLogs"][0];
                assert_eq!(group["resource"]["attributes"][0]["value"]["stringValue"], "test");
                assert_eq!(group["scopeLogs"][0]["scope"]["name"], "suite::lines");
                group["scopeLogs"][0]["logRecords"][0].take()
            }
            OtlpProtocol::Grpc | OtlpProtocol::Http => {
                let [record] = records(&came).try_into().unwrap();
                let LogRecord { severity_number, severity_text, trace_id, span_id, flags, .. } = &record;
                assert_eq!((*severity_number, severity_text.as_str(), *flags), (13, "WARN", 1));
                assert_eq!((trace_id.as_slice(), span_id.as_slice()), (&[7; 16][..], &[9; 8][..]));
                assert!(record.time_unix_nano > 1_700_000_000_000_000_000);
                assert_eq!(body_text(&record), "careful");
                let kinds = |value: &Value| match value {
                    Value::IntValue(3) => "3",
                    Value::DoubleValue(half) if *half == 0.5 => "half",
                    Value::BoolValue(true) => "true",
                    Value::StringValue(text) if text == "n" => "n",
                    other => panic!("{other:?}"),
                };
                let told = |pair: &baton_otlp::proto::KeyValue| {
                    let value = pair.value.as_ref().and_then(|value| value.value.clone()).unwrap();
                    (pair.key.clone(), kinds(&value))
                };
                let told: Vec<_> = record.attributes.iter().map(told).collect();
                let expected = [("count", "3"), ("share", "half"), ("whole", "true"), ("name", "n")];
                assert_eq!(told, expected.map(|(key, value)| (key.to_owned(), value)));
                Json::Null
            }
        };
        if protocol == OtlpProtocol::Json {
            assert_eq!(shown["traceId"], "07".repeat(16));
            assert_eq!(shown["spanId"], "09".repeat(8));
            assert_eq!((&shown["severityNumber"], &shown["body"]["stringValue"]), (&13.into(), &"careful".into()));
            assert_eq!(shown["attributes"][0]["value"]["intValue"], "3");
        }
        let counts = exporter.counts();
        exporter.close(Duration::from_secs(5)).await;
        assert_eq!(counts.sent(TARGET, LOGS), 1);
    }
}

#[tokio::test]
async fn exporting_lines_logs_no_lines_for_export() {
    // A failing request first, because failures are logged.
    for (protocol, answer) in
        [(OtlpProtocol::Grpc, Answer::Grpc(14, None)), (OtlpProtocol::Http, Answer::Http(503, None))]
    {
        let receiver = Receiver::start(&[answer]).await;
        let (queue, events) = (LogQueue::default(), EventCounter::default());
        let log = tracing_subscriber::registry().with(queue.layer()).with(events.clone());
        let _log = tracing::subscriber::set_default(log);
        let exporter = sends(&options(&[(TARGET, route(&receiver.url(), protocol))], soon()), &queue);
        for number in 0..20 {
            tracing::info!("line {number}");
            let sent = || exporter.counts().sent(TARGET, LOGS);
            while sent() <= number {
                tokio::task::yield_now().await;
            }
            assert_eq!(sent(), number + 1, "{protocol:?}");
        }
        exporter.close(Duration::from_secs(5)).await;
        let came: Vec<ReceivedRequest> = receiver.until(|_| true).await.into_iter().filter(|came| came.taken).collect();
        let told: Vec<String> = records(&came).iter().map(body_text).collect();
        assert_eq!(told, (0..20).map(|number| format!("line {number}")).collect::<Vec<_>>());
        assert!(events.0.load(Ordering::Relaxed) > 20, "the exporter logs events, too");
    }
}

#[tokio::test]
async fn oldest_lines_are_dropped_and_counted() {
    const ALL: u64 = 5000;
    let (receiver, port) = (Receiver::start(&[]).await, Port::take());
    let (queue, _log) = log();
    let away = route(&format!("http://{}", port.address), OtlpProtocol::Http);
    let here = route(&receiver.url(), OtlpProtocol::Http);
    let exporter = sends(&options(&[(TARGET, here), (AWAY, away)], soon()), &queue);
    let counts = exporter.counts();
    for number in 0..ALL {
        tracing::info!("{number}");
        if number % 500 == 0 {
            // An available target is not delayed by an unavailable one.
            while counts.sent(TARGET, LOGS) <= number {
                tokio::task::yield_now().await;
            }
        }
    }
    while counts.sent(TARGET, LOGS) < ALL {
        tokio::task::yield_now().await;
    }
    assert_eq!(counts.dropped(TARGET, LOGS), 0);
    let back = port.open();
    let last = |came: &[ReceivedRequest]| {
        records(came).last().is_some_and(|record| body_text(record) == (ALL - 1).to_string())
    };
    let told: Vec<u64> =
        records(&back.until(last).await).iter().map(|record| body_text(record).parse().unwrap()).collect();
    assert!(told.is_sorted() && told.len() >= 2048, "{}", told.len());
    exporter.close(Duration::from_secs(5)).await;
    assert_eq!((counts.sent(AWAY, LOGS), counts.dropped(AWAY, LOGS)), (told.len() as u64, ALL - told.len() as u64));
    // The batch in flight at the outage, and the newest lines.
    assert_eq!(told[told.len() - 2048..], (ALL - 2048..ALL).collect::<Vec<_>>()[..]);
}

#[tokio::test]
async fn remaining_lines_are_sent_at_shutdown_in_halves_if_too_large() {
    let never = Duration::from_secs(60 * 60);
    let receiver = Receiver::start(&[Answer::Http(413, None), Answer::Accept, Answer::Http(400, None)]).await;
    let (queue, _log) = log();
    let exporter = sends(&options(&[(TARGET, route(&receiver.url(), OtlpProtocol::Http))], never), &queue);
    for number in 0..4 {
        tracing::error!("{number}");
    }
    let counts = exporter.counts();
    exporter.close(Duration::from_secs(5)).await;
    let came = receiver.until(|came| came.len() == 3).await;
    let told: Vec<Vec<String>> =
        came.iter().map(|came| records(std::slice::from_ref(came)).iter().map(body_text).collect()).collect();
    assert_eq!(told, [vec!["0", "1", "2", "3"], vec!["0", "1"], vec!["2", "3"]]);
    assert_eq!((counts.sent(TARGET, LOGS), counts.failed(TARGET, LOGS)), (2, 2));
}

#[tokio::test]
async fn lines_are_queued_only_while_a_target_exists() {
    let (queue, _log) = log();
    tracing::info!("early");
    assert!(format!("{queue:?}").contains("lines: 1"), "{queue:?}");
    let exporter = sends(&options(&[], soon()), &queue);
    tracing::info!("late");
    assert!(format!("{queue:?}").contains("lines: 0"), "{queue:?}");
    exporter.close(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn long_lines_are_truncated() {
    let receiver = Receiver::start(&[]).await;
    let (queue, _log) = log();
    let long = "é".repeat(20_000);
    tracing::info!(long, "{long}");
    let exporter = sends(&options(&[(TARGET, route(&receiver.url(), OtlpProtocol::Http))], soon()), &queue);
    let record = records(&receiver.until(|came| !came.is_empty()).await).remove(0);
    assert_eq!(body_text(&record).chars().count(), 8 * 1024 + 1);
    let held = record.attributes[0].value.as_ref().and_then(|value| value.value.clone());
    assert!(matches!(held, Some(Value::StringValue(text)) if text.chars().count() == 2 * 1024 + 1));
    exporter.close(Duration::from_secs(5)).await;
}
