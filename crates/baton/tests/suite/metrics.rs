//! Prometheus' own client reads the metrics of the real binary; the checks are in `tests/python/metrics_reader.py`.

use crate::{
    binary::{Home, examples, request},
    foreign::Interpreter,
};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OTEL_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-otel.txt"],
};

/// A tool call as exported by another service.
const EXTERNAL_SPANS: &str = r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{
    "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b7", "name": "execute_tool sent-by-another",
    "kind": 1, "startTimeUnixNano": "1794816000000000000", "endTimeUnixNano": "1794816000000000001", "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "sent-by-another"}}]}]}]}]}"#;

fn token(home: &Home, name: &str, scope: &str) -> String {
    let made = home.run(&["token", "create", name, "--scope", scope]);
    assert_eq!(made.code, Some(0), "{}", made.shown());
    made.stdout.trim().to_owned()
}

#[test]
fn prometheus_reads_metrics_of_an_agent() {
    let home = Home::new();
    let (server, url) = home.up(&[&examples(), "--port", "0", "--auth"]);
    let asked = home.run(&["run", "personal", "What's the weather in Oakland?"]);
    assert_eq!(asked.code, Some(0), "{}", asked.shown());
    let sender = format!("Bearer {}", token(&home, "sender", "call"));
    let given = [("Content-Type", "application/json"), ("Authorization", sender.as_str())];
    let sent = request(&url, "POST", "/v1/traces", &given, EXTERNAL_SPANS);
    assert_eq!(sent.status, 200, "{sent:?}");
    PYTHON.run_script(&["tests/python/metrics_reader.py", &url, &token(&home, "prometheus", "telemetry:read")]);
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

#[test]
fn metrics_need_no_token_when_configured_public() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    home.write("baton.yaml", "auth: { required: true, metrics: public }\n");
    let (_server, url) = home.up(&["helper", "--port", "0"]);
    let read = request(&url, "GET", "/metrics", &[], "");
    assert_eq!((read.status, read.header("content-type")), (200, Some("text/plain; version=0.0.4; charset=utf-8")));
    assert!(read.body.contains("baton_journal_events_total 0\n"), "{}", read.body);
    assert_eq!(request(&url, "GET", "/api/v1/spans/stats", &[], "").status, 401);
}
