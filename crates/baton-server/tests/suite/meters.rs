//! Output of `GET /metrics`.

use crate::{
    spans::{FullResponse, get, spans},
    world::configured,
    world::{engine, options},
};
use axum::Router;
use baton_http_telemetry::MeterPorts;
use baton_meters::{MeterLevels, MeterSource, Meters, instruments};
use baton_ports::BoxFuture;
use baton_server::app;
use baton_telemetry::{SpanObserver as _, SpanOrigin, TelemetrySettings};
use baton_types::{Span, SpanKind, SpanValue};
use std::sync::Arc;

struct FixedMeterSource;

impl MeterSource for FixedMeterSource {
    fn collect<'a>(&'a self, levels: &'a mut MeterLevels) -> BoxFuture<'a, ()> {
        levels.add(&instruments::TASKS_OPEN, &["working"], 2);
        levels.add(&instruments::SPAN_BYTES, &[], 4096);
        levels.add(&instruments::EXPORT_SENT, &["http://tempo:3200", "traces"], 7);
        Box::pin(std::future::ready(()))
    }
}

/// Meters with a few observations, some with labels that require escaping.
pub(crate) fn meters() -> Arc<Meters> {
    let meters = Meters::new(&SpanOrigin::new(TelemetrySettings::default(), "here"), 1_000);
    let [first, _] = spans().try_into().unwrap();
    let called = |name: &str, took| Span {
        kind: SpanKind::Internal,
        end: first.start + took,
        attributes: vec![
            ("gen_ai.operation.name".into(), "execute_tool".into()),
            ("gen_ai.tool.name".into(), name.to_owned().into()),
        ],
        ..first.clone()
    };
    meters.observe(&called("get_weather", 10_000_000));
    meters.observe(&called("get_weather", 3_600_000_000_000));
    meters.observe(&called("a \"b\"\\c\nü {d=\"e\"}", 1));
    let served = vec![
        ("http.request.method".into(), "GET".into()),
        ("http.response.status_code".into(), SpanValue::Int(503)),
        ("error.type".into(), "503".into()),
    ];
    meters.observe(&Span { kind: SpanKind::Server, attributes: served, ..first.clone() });
    meters.add_source(Arc::new(FixedMeterSource));
    Arc::new(meters)
}

fn surface() -> Router {
    let ports = MeterPorts { meters: meters(), now: || 2_000 };
    app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.telemetry.meters = Some(ports);
        }),
    )
}

fn shown(got: &FullResponse) -> String {
    let text =
        got.text().replace(concat!("service_version=\"", env!("CARGO_PKG_VERSION")), "service_version=\"[version]");
    format!("{} {}\n{text}", got.status, got.header("content-type"))
}

#[tokio::test]
async fn prometheus_and_open_metrics() {
    let app = surface();
    insta::assert_snapshot!("prometheus", shown(&get(&app, "/metrics", &[]).await));
    let accept = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
    insta::assert_snapshot!("openmetrics", shown(&get(&app, "/metrics", &[("accept", accept)]).await));
}

#[tokio::test]
async fn metrics_endpoint_fails_without_meters() {
    let got = get(&crate::world::weather(), "/metrics", &[]).await;
    assert!(got.status == 400 && got.text().contains("metrics are not enabled"), "{}", shown(&got));
}
