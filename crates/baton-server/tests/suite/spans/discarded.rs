//! OTLP metrics and logs are counted and discarded, and each sender is notified once.

use super::{FullResponse, get, gzip, post};
use crate::{
    bindings::framed,
    world::configured,
    world::{engine, options},
};
use axum::Router;
use baton_http_telemetry::MeterPorts;
use baton_meters::Meters;
use baton_otlp::{Encoding, LogLevel, LogLine, proto::ExportTraceServiceResponse, write_lines, write_metrics};
use baton_server::app;
use baton_telemetry::{SpanObserver as _, SpanOrigin, TelemetrySettings};
use baton_types::SpanResource;
use prost::Message as _;
use serde_json::{Value, json};
use std::sync::Arc;

const METRICS: &str = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
const LOGS: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
const REMARK: &str = "Baton stores only traces; logs are counted and discarded (reported once). Set OTEL_LOGS_EXPORTER=none to stop them.";

fn surface() -> Router {
    let meters = Arc::new(Meters::new(&SpanOrigin::new(TelemetrySettings::default(), "here"), 1_000));
    let ports = MeterPorts { meters, now: || 2_000 };
    app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.telemetry.meters = Some(ports);
        }),
    )
}

/// Two log lines of a service.
fn lines(service: &str, encoding: Encoding) -> Vec<u8> {
    let line = LogLine {
        at: 1,
        level: LogLevel::Info,
        scope: "tests".to_owned(),
        message: "words".to_owned(),
        attributes: Vec::new(),
        dropped_attributes: 0,
        context: None,
    };
    let attributes = vec![("service.name".into(), service.to_owned().into())];
    write_lines(&[line.clone(), line], &SpanResource { attributes, ..SpanResource::default() }, encoding)
}

async fn over_http(app: &Router, path: &str, encoding: Encoding, body: Vec<u8>) -> FullResponse {
    post(app, path, &[("content-type", encoding.media_type()), ("content-encoding", "gzip")], gzip(&body)).await
}

async fn over_grpc(app: &Router, path: &str, body: &[u8]) -> FullResponse {
    let got = post(app, path, &[("content-type", "application/grpc")], framed(body)).await;
    assert_eq!(got.header("grpc-status"), "0");
    got
}

fn rejected(message: &[u8]) -> Option<(i64, String)> {
    let partial = ExportTraceServiceResponse::decode(message).unwrap().partial_success?;
    Some((partial.rejected_spans, partial.error_message))
}

#[tokio::test]
async fn each_sender_is_notified_once_and_all_items_are_counted() {
    let app = surface();
    let told = Some((2, REMARK.to_owned()));
    let first = over_http(&app, "/v1/logs", Encoding::Protobuf, lines("shop", Encoding::Protobuf)).await;
    assert_eq!((first.status, first.header("content-type")), (200, "application/x-protobuf"));
    assert_eq!(rejected(&first.body), told);
    // The same sender over other transports.
    let again = over_http(&app, "/otlp/v1/logs", Encoding::Json, lines("shop", Encoding::Json)).await;
    assert_eq!((again.status, again.text().as_str()), (200, "{}"));
    let again = over_grpc(&app, LOGS, &lines("shop", Encoding::Protobuf)).await;
    assert_eq!(again.body, framed(b""));
    // Other senders.
    let other = over_grpc(&app, LOGS, &lines("till", Encoding::Protobuf)).await;
    assert_eq!(rejected(&other.body[5..]), told);
    let other = over_http(&app, "/v1/logs", Encoding::Json, lines("desk", Encoding::Json)).await;
    let said: Value = serde_json::from_slice(&other.body).unwrap();
    assert_eq!(said, json!({"partialSuccess": {"rejectedLogRecords": "2", "errorMessage": REMARK}}));

    // Another signal.
    let meters = Meters::new(&SpanOrigin::new(TelemetrySettings::default(), "there"), 1_000);
    meters.observe(&super::spans()[0]);
    let reading = meters.read(2_000).await;
    let points: usize = reading.families.iter().map(|family| family.points.len()).sum();
    for times in 0..2 {
        let got = over_grpc(&app, METRICS, &write_metrics(&reading, Encoding::Protobuf)).await;
        let told = rejected(&got.body[5..]).map(|(items, _)| usize::try_from(items).unwrap());
        assert_eq!(told, (times == 0).then_some(points));
    }
    let shown = get(&app, "/metrics", &[]).await.text();
    let count = |signal: &str| {
        let line = format!("baton_otlp_discarded_total{{signal=\"{signal}\"}} ");
        shown.lines().find_map(|shown| shown.strip_prefix(&line)).unwrap_or_else(|| panic!("{shown}")).to_owned()
    };
    assert_eq!((count("logs"), count("metrics")), ("10".to_owned(), (2 * points).to_string()));
}
