//! Prometheus' own client reads the meters of the real binary; `tests/python/metrics_reader.py` says what it checks.

use crate::{
    binary::{Home, examples, request},
    foreign::Interpreter,
};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OTEL_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-otel.txt"],
};

/// A tool call as another service tells it.
const FOREIGN: &str = r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{
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
fn an_agent_that_was_asked_is_seen_by_prometheus() {
    let home = Home::new();
    let (server, url) = home.up(&[&examples(), "--port", "0", "--auth"]);
    let asked = home.run(&["run", "personal", "What's the weather in Oakland?"]);
    assert_eq!(asked.code, Some(0), "{}", asked.shown());
    let sender = format!("Bearer {}", token(&home, "sender", "call"));
    let given = [("Content-Type", "application/json"), ("Authorization", sender.as_str())];
    let sent = request(&url, "POST", "/v1/traces", &given, FOREIGN);
    assert_eq!(sent.status, 200, "{sent:?}");
    PYTHON.runs(&["tests/python/metrics_reader.py", &url, &token(&home, "prometheus", "telemetry:read")]);
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}

#[test]
fn everybody_may_read_the_meters_where_the_settings_say_so() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    home.write("baton.yaml", "auth: { required: true, metrics: public }\n");
    let (_server, url) = home.up(&["helper", "--port", "0"]);
    let read = request(&url, "GET", "/metrics", &[], "");
    assert_eq!((read.status, read.header("content-type")), (200, Some("text/plain; version=0.0.4; charset=utf-8")));
    assert!(read.body.contains("baton_journal_events_total 0\n"), "{}", read.body);
    assert_eq!(request(&url, "GET", "/api/v1/spans/stats", &[], "").status, 401);
}
