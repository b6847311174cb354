//! Metrics and log records as receivers read them.

use baton_meters::instruments;
use baton_otlp::{
    Encoding, LogLevel, LogLine, OtherSignal, SignalCount, logs_request, metrics_request,
    proto::{ExportLogsServiceRequest, ExportMetricsServiceRequest, ExportTraceServiceResponse},
    write_lines, write_metrics,
};
use baton_types::{
    MeterFamily, MeterPoint, MeterSnapshot, MetricValue, SpanId, SpanResource, SpanScope, SpanValue, TraceContext,
    TraceId,
};
use prost::Message as _;
use serde_json::Value as Json;
use std::sync::Arc;

fn resource() -> SpanResource {
    SpanResource { attributes: vec![("service.name".into(), "shop".into())], ..SpanResource::default() }
}

fn snapshot() -> MeterSnapshot {
    let labelled =
        |name: &'static str, value: SpanValue, shown| MeterPoint { labels: vec![(name.into(), value)], value: shown };
    let spread = |buckets: Vec<u64>, sum| MetricValue::Histogram { buckets, sum };
    MeterSnapshot {
        since: 1_794_816_000_000_000_001,
        at: 1_794_816_060_000_000_002,
        resource: Arc::new(resource()),
        scope: Arc::new(SpanScope {
            name: "baton".to_owned(),
            version: "1.2.3".to_owned(),
            schema_url: "https://example.com/schema".to_owned(),
            ..SpanScope::default()
        }),
        families: vec![
            MeterFamily {
                instrument: &instruments::APPROVAL_DURATION,
                points: vec![
                    labelled("approval.decision", "allow".into(), spread((0..13).collect(), 0.1 + 0.2)),
                    labelled("otel.metric.overflow", true.into(), spread(vec![0; 13], 0.0)),
                ],
            },
            MeterFamily {
                instrument: &instruments::TASKS_OPEN,
                points: vec![labelled("task.state", "working".into(), MetricValue::Gauge(0))],
            },
            MeterFamily {
                instrument: &instruments::JOURNAL_EVENTS,
                points: vec![MeterPoint { labels: Vec::new(), value: MetricValue::Counter(9_007_199_254_740_993) }],
            },
        ],
    }
}

fn lines() -> Vec<LogLine> {
    let line = LogLine {
        at: 1_794_816_000_000_000_001,
        level: LogLevel::Warn,
        scope: "baton_engine::run".to_owned(),
        message: "Grüße, \"Zitat\"".to_owned(),
        attributes: vec![
            ("task".into(), "t1".into()),
            ("count".into(), 42_i64.into()),
            ("share".into(), SpanValue::Float(f64::INFINITY)),
            ("whole".into(), false.into()),
        ],
        dropped_attributes: 2,
        context: Some(TraceContext { trace: TraceId([7; 16]), span: SpanId([9; 8]), flags: 1 }),
    };
    let plain = LogLine { attributes: Vec::new(), dropped_attributes: 0, context: None, ..line.clone() };
    let other = LogLine { level: LogLevel::Error, scope: "baton_http".to_owned(), ..plain.clone() };
    vec![line, other, LogLine { level: LogLevel::Trace, message: String::new(), ..plain }]
}

fn json(body: &[u8]) -> Json {
    serde_json::from_slice(body).expect("JSON")
}

#[test]
fn metrics_are_written_in_both_encodings() {
    let snapshot = snapshot();
    let binary = write_metrics(&snapshot, Encoding::Protobuf);
    let read = ExportMetricsServiceRequest::decode(binary.as_slice()).expect("readable");
    assert_eq!(read, metrics_request(&snapshot));
    insta::assert_json_snapshot!(json(&write_metrics(&snapshot, Encoding::Json)));
}

#[test]
fn log_lines_are_written_in_both_encodings() {
    let (lines, resource) = (lines(), resource());
    let binary = write_lines(&lines, &resource, Encoding::Protobuf);
    let read = ExportLogsServiceRequest::decode(binary.as_slice()).expect("readable");
    assert_eq!(read, logs_request(&lines, &resource));
    insta::assert_json_snapshot!(json(&write_lines(&lines, &resource, Encoding::Json)));
}

#[test]
fn items_and_service_are_read_in_both_encodings() {
    let mut resource = resource();
    resource.attributes.push(("service.instance.id".into(), "shop-1".into()));
    let (snapshot, lines) = (MeterSnapshot { resource: Arc::new(resource.clone()), ..snapshot() }, lines());
    let points: usize = snapshot.families.iter().map(|family| family.points.len()).sum();
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        let metrics = OtherSignal::Metrics.count(encoding, &write_metrics(&snapshot, encoding)).unwrap();
        assert_eq!(usize::try_from(metrics.items).unwrap(), points, "{encoding:?}");
        let logs = OtherSignal::Logs.count(encoding, &write_lines(&lines, &resource, encoding)).unwrap();
        assert_eq!(usize::try_from(logs.items).unwrap(), lines.len(), "{encoding:?}");
        for count in [metrics, logs] {
            assert_eq!((count.service.as_str(), count.instance.as_str()), ("shop", "shop-1"), "{encoding:?}");
        }
        let empty: &[u8] = if encoding == Encoding::Json { b"{}" } else { b"" };
        assert_eq!(OtherSignal::Metrics.count(encoding, empty).unwrap(), SignalCount::default());
        for (signal, name) in [(OtherSignal::Metrics, "Metrics"), (OtherSignal::Logs, "Logs")] {
            let refused = signal.count(encoding, b"\"{[").unwrap_err().to_string();
            assert!(refused.starts_with(&format!("the body is not an Export{name}ServiceRequest: ")), "{refused}");
        }
    }
}

#[test]
fn responses_name_the_items_of_their_signal() {
    let remark = "they are not kept";
    for (signal, member) in [(OtherSignal::Metrics, "rejectedDataPoints"), (OtherSignal::Logs, "rejectedLogRecords")] {
        let body = signal.write_response(Encoding::Json, Some((7, remark)));
        let expected = serde_json::json!({ "partialSuccess": { member: "7", "errorMessage": remark } });
        assert_eq!(json(&body), expected);
        assert_eq!(signal.write_response(Encoding::Json, None), b"{}");
        assert_eq!(signal.write_response(Encoding::Protobuf, None), b"");
        let body = signal.write_response(Encoding::Protobuf, Some((7, remark)));
        let read = ExportTraceServiceResponse::decode(body.as_slice()).unwrap().partial_success.unwrap();
        assert_eq!((read.rejected_spans, read.error_message.as_str()), (7, remark));
    }
}
