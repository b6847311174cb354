//! The standard OpenTelemetry environment variables.

use baton_export::{
    Compression, DEFAULT_METRICS_INTERVAL, ExportTarget, OtlpProtocol, Route, Signal, from_environment,
    metrics_interval,
};
use std::{collections::HashMap, time::Duration};

fn read(variables: &[(&str, &str)], configured: Vec<ExportTarget>) -> (Vec<ExportTarget>, Vec<String>) {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    from_environment(configured, |name| variables.get(name).map(|value| (*value).to_owned()))
}

/// Name, URL, protocol and default flag of the trace target.
fn traces(variables: &[(&str, &str)]) -> Option<(String, String, OtlpProtocol, bool)> {
    let (targets, remarks) = read(variables, Vec::new());
    assert_eq!(remarks, Vec::<String>::new());
    let (target, route) = targets.iter().find_map(|target| Some((target, target.route(Signal::Traces)?)))?;
    Some((target.name.clone(), route.url.clone(), route.protocol, target.is_default))
}

/// Variables, and the expected name, URL, protocol and default flag.
type Case<'a> = (&'a [(&'a str, &'a str)], (&'a str, &'a str, OtlpProtocol, bool));

#[test]
fn trace_endpoint_is_read_from_the_environment() {
    use OtlpProtocol::{Grpc, Http, Json};
    const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    const OWN: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    const PROTOCOL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
    const INSECURE: &str = "OTEL_EXPORTER_OTLP_INSECURE";
    let cases: &[Case<'_>] = &[
        (&[], ("default", "http://localhost:4317", Grpc, true)),
        (&[(PROTOCOL, "http/protobuf")], ("default", "http://localhost:4318/v1/traces", Http, true)),
        (&[("OTEL_TRACES_EXPORTER", "otlp")], ("otlp", "http://localhost:4317", Grpc, false)),
        (&[(ENDPOINT, "http://c:4317")], ("otlp", "http://c:4317", Grpc, false)),
        (&[(ENDPOINT, "c:4317")], ("otlp", "https://c:4317", Grpc, false)),
        (&[(ENDPOINT, "c:4317"), (INSECURE, "False")], ("otlp", "https://c:4317", Grpc, false)),
        (&[(ENDPOINT, "c:4317"), (INSECURE, "perhaps")], ("otlp", "https://c:4317", Grpc, false)),
        (&[(ENDPOINT, "c:4317"), (INSECURE, "True")], ("otlp", "http://c:4317", Grpc, false)),
        (&[(ENDPOINT, "http://c:4317"), (INSECURE, "false")], ("otlp", "http://c:4317", Grpc, false)),
        (&[(ENDPOINT, "localhost:4317")], ("otlp", "http://localhost:4317", Grpc, false)),
        (&[(ENDPOINT, "127.0.0.1:4318")], ("otlp", "http://127.0.0.1:4318/v1/traces", Http, false)),
        (&[(ENDPOINT, "[::1]:4317")], ("otlp", "http://[::1]:4317", Grpc, false)),
        (&[(ENDPOINT, "localhost:4317"), (INSECURE, "false")], ("otlp", "https://localhost:4317", Grpc, false)),
        (&[(ENDPOINT, "localhost.example.com:4317")], ("otlp", "https://localhost.example.com:4317", Grpc, false)),
        (&[(ENDPOINT, "https://c/otlp/")], ("otlp", "https://c/otlp/v1/traces", Http, false)),
        (&[(ENDPOINT, "https://c:4318"), (PROTOCOL, "grpc")], ("otlp", "https://c:4318", Grpc, false)),
        (&[(OWN, "http://c:4318/take"), (ENDPOINT, "http://d")], ("otlp", "http://c:4318/take", Http, false)),
        (
            &[(OWN, "http://c/x"), ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"), (PROTOCOL, "grpc")],
            ("otlp", "http://c/x", Json, false),
        ),
    ];
    for (variables, (name, url, protocol, assumed)) in cases {
        let expect = Some(((*name).to_owned(), (*url).to_owned(), *protocol, *assumed));
        assert_eq!(traces(variables), expect, "{variables:?}");
    }
    assert_eq!(traces(&[(ENDPOINT, "http://c"), ("OTEL_TRACES_EXPORTER", "none")]), None);
}

#[test]
fn headers_and_certificates_merge_with_precedence() {
    let (targets, remarks) = read(
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20t,x-scope=a=b"),
            ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-own=1"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "none"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "2500"),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "ca.pem"),
        ],
        vec![ExportTarget {
            name: "file".to_owned(),
            routes: vec![(Signal::Traces, Route::new("http://f", OtlpProtocol::Http))],
            content: None,
            is_default: false,
        }],
    );
    assert_eq!((targets.len(), targets[0].name.as_str(), remarks.len()), (1, "otlp", 0));
    let route = targets[0].route(Signal::Traces).unwrap();
    assert_eq!(route.headers["authorization"], "Bearer t");
    assert_eq!(route.headers["x-scope"], "a=b");
    assert_eq!((route.compression, route.timeout), (Compression::None, Duration::from_millis(2500)));
    assert_eq!(route.certificate.as_deref(), Some(std::path::Path::new("ca.pem")));
    let metrics = targets[0].route(Signal::Metrics).unwrap();
    assert_eq!(metrics.headers.len(), 1);
    assert_eq!(metrics.headers["x-own"], "1");
    assert!(!format!("{targets:?}").contains("Bearer"), "secrets are not shown");
}

/// Name, signals and default flag of each target.
fn targets_with_signals(
    variables: &[(&str, &str)],
    configured: Vec<ExportTarget>,
) -> Vec<(String, Vec<&'static str>, bool)> {
    let signals = |target: &ExportTarget| target.routes.iter().map(|(signal, _)| signal.as_str()).collect();
    let (targets, _) = read(variables, configured);
    targets.iter().map(|target| (target.name.clone(), signals(target), target.is_default)).collect()
}

#[test]
fn endpoint_for_one_signal_applies_to_that_signal_only() {
    let file = |name: &str| ExportTarget {
        name: name.to_owned(),
        routes: Signal::ALL.map(|signal| (signal, Route::new("http://f", OtlpProtocol::Http))).to_vec(),
        content: None,
        is_default: false,
    };
    let named = |name: &str, signals: &[&'static str]| (name.to_owned(), signals.to_vec(), false);
    let assumed = |signals: &[&'static str]| ("default".to_owned(), signals.to_vec(), true);
    let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c:4317");
    let (asked, off) = (("OTEL_METRICS_EXPORTER", "otlp"), ("OTEL_LOGS_EXPORTER", "none"));
    assert_eq!(targets_with_signals(&[own], vec![]), [named("otlp", &["traces"])]);
    assert_eq!(targets_with_signals(&[own, asked], vec![]), [named("otlp", &["traces", "metrics"])]);
    assert_eq!(targets_with_signals(&[asked], vec![]), [named("otlp", &["metrics"]), assumed(&["traces", "logs"])]);
    assert_eq!(targets_with_signals(&[off], vec![]), [assumed(&["traces", "metrics"])]);
    // Configured targets get the remaining signals.
    let rest: &[&'static str] = &["metrics", "logs"];
    assert_eq!(targets_with_signals(&[own], vec![file("a")]), [named("a", rest), named("otlp", &["traces"])]);
    assert_eq!(
        targets_with_signals(&[own, off], vec![file("a")]),
        [named("a", &["metrics"]), named("otlp", &["traces"])]
    );
    assert_eq!(
        targets_with_signals(&[own], vec![file("otlp")]),
        [named("otlp", rest), named("otlp-variables", &["traces"])]
    );
    assert_eq!(targets_with_signals(&[asked], vec![file("a")]), [named("a", &["traces", "metrics", "logs"])]);
}

#[test]
fn configured_targets_stay_without_an_endpoint() {
    let file = ExportTarget {
        name: "file".to_owned(),
        routes: Signal::ALL.map(|signal| (signal, Route::new("http://f", OtlpProtocol::Http))).to_vec(),
        content: None,
        is_default: false,
    };
    assert_eq!(read(&[], vec![file.clone()]).0, vec![file.clone()]);
    let (targets, remarks) = read(
        &[
            ("OTEL_LOGS_EXPORTER", "none"),
            ("OTEL_METRICS_EXPORTER", "console"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ],
        vec![file.clone()],
    );
    assert_eq!(targets, [ExportTarget { routes: file.routes[..1].to_vec(), ..file }]);
    assert_eq!(remarks, ["OTEL_METRICS_EXPORTER=console: supported values are otlp and none; nothing is sent"]);
    let (_, remarks) = read(
        &[
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "nonsense"),
        ],
        Vec::new(),
    );
    assert_eq!(remarks.len(), 3, "{remarks:?}");
}

#[test]
fn metric_interval_and_temporality_are_read() {
    const INTERVAL: &str = "OTEL_METRIC_EXPORT_INTERVAL";
    const TEMPORALITY: &str = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
    for (interval, temporality, every, remarks) in [
        ("", "", DEFAULT_METRICS_INTERVAL, 0),
        (" 250 ", "", Duration::from_millis(250), 0),
        ("0", "", DEFAULT_METRICS_INTERVAL, 1),
        ("soon", "delta", DEFAULT_METRICS_INTERVAL, 2),
        ("5", "Cumulative", Duration::from_millis(5), 0),
    ] {
        let given = HashMap::from([(INTERVAL, interval), (TEMPORALITY, temporality)]);
        let (read, said) = metrics_interval(|name| given.get(name).map(|value| (*value).to_owned()));
        assert_eq!((read, said.len()), (every, remarks), "{given:?}: {said:?}");
    }
}
