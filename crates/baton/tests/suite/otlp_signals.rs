//! OTLP metrics and logs of the real binary, decoded with OpenTelemetry's own messages; the checks are in
//! `tests/python/otlp_receiver.py`.

use crate::{
    binary::{Home, await_line},
    foreign::{Interpreter, command},
};
use std::{io::BufReader, process::Stdio};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OTEL_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-otel.txt"],
};

fn check_export(protocol: &str) {
    let mut receiver = command(PYTHON.path());
    receiver.args(["tests/python/otlp_receiver.py", protocol]);
    receiver.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut receiver = receiver.spawn().expect("it starts");
    let endpoint = await_line(&mut BufReader::new(receiver.stdout.as_mut().expect("piped")), "http://");
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    let named = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.trim()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
        ("OTEL_METRIC_EXPORT_INTERVAL", "100"),
    ];
    let (server, _) = home.up_with_exporters(&named, &["--port", "0", "--log", "info"]);
    let asked = home.run(&["run", "one", "hi"]);
    assert_eq!(asked.code, Some(0), "{}", asked.shown());
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    drop(receiver.stdin.take());
    let checked = receiver.wait_with_output().expect("it ends");
    let output = format!("{}{}", String::from_utf8_lossy(&checked.stdout), String::from_utf8_lossy(&checked.stderr));
    assert!(checked.status.success(), "{protocol}:\n{output}\nBaton said:\n{}", ended.stderr);
}

#[test]
fn over_grpc() {
    check_export("grpc");
}

#[test]
fn over_http() {
    check_export("http/protobuf");
}

#[test]
fn over_http_as_json() {
    check_export("http/json");
}

#[test]
fn traces_only_receiver_is_reported_once() {
    let (home, other) = (Home::new(), Home::new());
    for home in [&home, &other] {
        home.agent("one", "", "rules: [{ say: hello }]\n");
    }
    let (taking, endpoint) = other.up(&["--port", "0"]);
    for protocol in ["grpc", "http/json"] {
        let named = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)];
        let (sending, _) = home.up_with_exporters(&named, &["--port", "0"]);
        let asked = home.run(&["run", "one", "hi"]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
        // Metrics are exported at shutdown at the latest.
        sending.signal("TERM");
        let said = sending.end().stderr;
        assert_eq!(said.matches("OTEL_METRICS_EXPORTER=none or").count(), 1, "{protocol}: {said}");
        assert!(!said.contains("OTEL_TRACES_EXPORTER"), "{said}");
    }
    drop(taking);
}
