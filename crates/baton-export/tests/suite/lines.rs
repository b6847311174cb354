//! Lines of the log arrive, and nobody who writes them waits.

use crate::{
    receiver::{Answer, Came, Port, Receiver},
    sample::TARGET,
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

/// A log whose lines go to a queue, every one of them, on this thread.
fn log() -> (LogQueue, tracing::subscriber::DefaultGuard) {
    let queue = LogQueue::default();
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(queue.layer()));
    (queue, guard)
}

/// Counts all lines, whoever writes them.
#[derive(Clone, Default)]
struct Written(Arc<AtomicU64>);

impl<S: Subscriber> Layer<S> for Written {
    fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn sends(options: &ExportOptions, lines: &LogQueue) -> Exporter {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let resource = SpanResource { attributes: vec![("service.name".into(), "test".into())], ..SpanResource::default() };
    Exporter::start(&store, options).with_logs(options, lines, &Arc::new(resource))
}

/// The lines of all that came.
fn records(came: &[Came]) -> Vec<LogRecord> {
    let requests = came.iter().map(|came| ExportLogsServiceRequest::decode(came.message.as_slice()).unwrap());
    let groups = requests.flat_map(|request| request.resource_logs).flat_map(|group| group.scope_logs);
    groups.flat_map(|group| group.log_records).collect()
}

fn words(record: &LogRecord) -> String {
    match record.body.as_ref().and_then(|body| body.value.clone()) {
        Some(Value::StringValue(words)) => words,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn whole_lines_in_every_protocol() {
    for (protocol, path) in [
        (OtlpProtocol::Grpc, "/opentelemetry.proto.collector.logs.v1.LogsService/Export"),
        (OtlpProtocol::Http, "/v1/logs"),
        (OtlpProtocol::Json, "/v1/logs"),
    ] {
        let receiver = Receiver::start(&[]).await;
        let (queue, _log) = log();
        // What is logged before anybody sends is not lost.
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
                assert_eq!(words(&record), "careful");
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
async fn sending_lines_makes_no_lines() {
    // One that fails first has more to complain about.
    for (protocol, answer) in
        [(OtlpProtocol::Grpc, Answer::Grpc(14, None)), (OtlpProtocol::Http, Answer::Http(503, None))]
    {
        let receiver = Receiver::start(&[answer]).await;
        let (queue, written) = (LogQueue::default(), Written::default());
        let log = tracing_subscriber::registry().with(queue.layer()).with(written.clone());
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
        let came: Vec<Came> = receiver.until(|_| true).await.into_iter().filter(|came| came.taken).collect();
        let told: Vec<String> = records(&came).iter().map(words).collect();
        assert_eq!(told, (0..20).map(|number| format!("line {number}")).collect::<Vec<_>>());
        assert!(written.0.load(Ordering::Relaxed) > 20, "those who send have something to say, too");
    }
}

#[tokio::test]
async fn the_oldest_make_room_and_are_counted() {
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
            // Somebody who takes lines is not behind because another does not.
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
    let last = |came: &[Came]| records(came).last().is_some_and(|record| words(record) == (ALL - 1).to_string());
    let told: Vec<u64> = records(&back.until(last).await).iter().map(|record| words(record).parse().unwrap()).collect();
    assert!(told.is_sorted() && told.len() >= 2048, "{}", told.len());
    exporter.close(Duration::from_secs(5)).await;
    assert_eq!((counts.sent(AWAY, LOGS), counts.dropped(AWAY, LOGS)), (told.len() as u64, ALL - told.len() as u64));
    // Those that were on their way when nobody was there, and the newest.
    assert_eq!(told[told.len() - 2048..], (ALL - 2048..ALL).collect::<Vec<_>>()[..]);
}

#[tokio::test]
async fn what_is_left_is_sent_at_the_end_and_what_is_too_large_in_halves() {
    let never = Duration::from_secs(60 * 60);
    let receiver = Receiver::start(&[Answer::Http(413, None), Answer::Take, Answer::Http(400, None)]).await;
    let (queue, _log) = log();
    let exporter = sends(&options(&[(TARGET, route(&receiver.url(), OtlpProtocol::Http))], never), &queue);
    for number in 0..4 {
        tracing::error!("{number}");
    }
    let counts = exporter.counts();
    exporter.close(Duration::from_secs(5)).await;
    let came = receiver.until(|came| came.len() == 3).await;
    let told: Vec<Vec<String>> =
        came.iter().map(|came| records(std::slice::from_ref(came)).iter().map(words).collect()).collect();
    assert_eq!(told, [vec!["0", "1", "2", "3"], vec!["0", "1"], vec!["2", "3"]]);
    assert_eq!((counts.sent(TARGET, LOGS), counts.failed(TARGET, LOGS)), (2, 2));
}

#[tokio::test]
async fn lines_are_held_only_for_somebody() {
    let (queue, _log) = log();
    tracing::info!("early");
    assert!(format!("{queue:?}").contains("lines: 1"), "{queue:?}");
    let exporter = sends(&options(&[], soon()), &queue);
    tracing::info!("late");
    assert!(format!("{queue:?}").contains("lines: 0"), "{queue:?}");
    exporter.close(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn long_lines_are_cut() {
    let receiver = Receiver::start(&[]).await;
    let (queue, _log) = log();
    let long = "é".repeat(20_000);
    tracing::info!(long, "{long}");
    let exporter = sends(&options(&[(TARGET, route(&receiver.url(), OtlpProtocol::Http))], soon()), &queue);
    let record = records(&receiver.until(|came| !came.is_empty()).await).remove(0);
    assert_eq!(words(&record).chars().count(), 8 * 1024 + 1);
    let held = record.attributes[0].value.as_ref().and_then(|value| value.value.clone());
    assert!(matches!(held, Some(Value::StringValue(text)) if text.chars().count() == 2 * 1024 + 1));
    exporter.close(Duration::from_secs(5)).await;
}
