//! Span export from one Baton to another, with crashes on both sides.

use crate::binary::{Home, RunningProcess, free_port, request};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

/// Much longer than a run takes, and no longer than one attempt to reach an unreachable collector.
const MAX_RUN_TIME: Duration = Duration::from_secs(10);
/// Upper bound for events that are certain to happen.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs the agent this many times. Only the fastest run is checked: a busy machine delays some runs, waiting for a
/// collector would delay all.
fn run_agent(home: &Home, count: usize) {
    let took = (0..count).map(|_| {
        let begun = Instant::now();
        let asked = home.run(&["run", "one", "hi"]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
        begun.elapsed()
    });
    let fastest = took.min().unwrap_or_default();
    assert!(fastest < MAX_RUN_TIME, "each of {count} runs waited for {fastest:?} or longer");
}

fn json(url: &str, path: &str) -> Value {
    let reply = request(url, "GET", path, &[("Accept", "application/json")], "");
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
    serde_json::from_str(&reply.body).expect("JSON")
}

/// The ids of all stored spans; fails on duplicates.
fn spans(url: &str) -> BTreeSet<String> {
    let found = json(url, "/tempo/api/search?q=%7B%7D&limit=1000&start=1&end=4000000000");
    let mut ids = BTreeSet::new();
    for trace in found["traces"].as_array().expect("traces") {
        let id = trace["traceID"].as_str().expect("an id");
        let whole = json(url, &format!("/tempo/api/v2/traces/{id}"));
        for resource in whole["trace"]["resourceSpans"].as_array().expect("resources") {
            for scope in resource["scopeSpans"].as_array().expect("scopes") {
                for span in scope["spans"].as_array().expect("spans") {
                    let key = format!("{id} {} {}", span["spanId"], span["name"]);
                    assert!(ids.insert(key), "{span} is stored twice");
                }
            }
        }
    }
    ids
}

fn stop(server: RunningProcess) -> String {
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    ended.stderr
}

#[test]
fn every_span_arrives_although_both_sides_are_killed() {
    let (home, collector) = (Home::new(), Home::new());
    for home in [&home, &collector] {
        home.agent("one", "", "rules: [{ say: hello }]\n");
    }
    let port = free_port();
    let (taking, endpoint) = collector.up(&["--port", &port]);
    let named = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
    let (sending, _) = home.up_with_exporters(&named, &["--port", "0"]);
    run_agent(&home, 4);
    taking.kill();
    run_agent(&home, 6);
    sending.kill();
    let (sending, _) = home.up_with_exporters(&named, &["--port", "0"]);
    run_agent(&home, 6);
    sending.kill();
    let (taking, endpoint) = collector.up(&["--port", &port]);
    let (sending, _) = home.up_with_exporters(&named, &["--port", "0"]);
    run_agent(&home, 1);
    // An orderly shutdown sends the remaining spans.
    stop(sending);
    let (kept, url) = home.up(&["--port", "0"]);
    let (sent, arrived) = (spans(&url), spans(&endpoint));
    let missing: Vec<_> = sent.difference(&arrived).collect();
    assert!(missing.is_empty(), "{} of {} did not arrive: {missing:?}", missing.len(), sent.len());
    let invented: Vec<_> = arrived.difference(&sent).collect();
    assert!(invented.is_empty(), "unknown spans: {invented:?}");
    // A kill may lose spans of requests, but not those of runs and model calls, which come from the journal.
    assert!(sent.len() >= 2 * 17, "only {} spans were made", sent.len());
    stop(kept);
    stop(taking);
}

#[test]
fn without_a_collector_nothing_is_queued_or_logged() {
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    if TcpStream::connect(("localhost", 4317)).is_ok() {
        eprintln!("skipped: a collector listens on the default port");
        return;
    }
    let (server, _) = home.up_with_exporters(&[], &["--port", "0", "--log", "info"]);
    run_agent(&home, 2);
    let said = stop(server);
    assert!(!said.contains("4317") && !said.contains("baton_export"), "{said}");
    let held = std::fs::read_dir(home.path(".baton/spans/outgoing")).into_iter().flatten().count();
    assert_eq!(held, 0);
}

/// An HTTP collector that stores bodies, or rejects requests with a response that repeats the credentials.
struct Collector {
    url: String,
    lets_in: Arc<AtomicBool>,
    bodies: Arc<Mutex<Vec<String>>>,
    came: mpsc::Receiver<()>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (lets_in, bodies) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (told, came) = mpsc::channel();
        let (open, taken) = (Arc::clone(&lets_in), Arc::clone(&bodies));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (body, shown) = read_request(&stream);
                let open = open.load(Ordering::SeqCst);
                let (status, said) = if open { ("200 OK", "{}") } else { ("401 Unauthorized", shown.as_str()) };
                let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n");
                let length = said.len();
                if open {
                    taken.lock().expect("bodies").push(body);
                }
                let _ = write!(&stream, "{head}Content-Length: {length}\r\n\r\n{said}");
                let _ = told.send(());
            }
        });
        Self { url, lets_in, bodies, came }
    }

    /// Number of received spans.
    fn span_count(&self) -> usize {
        self.bodies.lock().expect("bodies").iter().map(|body| body.matches("\"spanId\"").count()).sum()
    }
}

/// The body of a request, and a text with its `Authorization` header.
fn read_request(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let (mut length, mut shown) = (0, String::new());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "authorization" => shown = format!("who is {}?", value.trim()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    (String::from_utf8_lossy(&body).into_owned(), shown)
}

#[test]
fn doctor_reports_a_rejecting_target_without_its_secret() {
    const SECRET: &str = "tok-3n-of-somebody";
    let receiver = Collector::start();
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    let headers = format!("Authorization=Bearer%20{SECRET},x-tenant=team");
    let named = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "none"),
        ("OTEL_EXPORTER_OTLP_HEADERS", headers.as_str()),
        ("OTEL_METRICS_EXPORTER", "none"),
        ("OTEL_LOGS_EXPORTER", "none"),
    ];
    let (server, url) = home.up_with_exporters(&named, &["--port", "0", "--log", "debug"]);
    run_agent(&home, 2);
    receiver.came.recv_timeout(TIMEOUT).expect("it is tried");
    let begun = Instant::now();
    let (doctor, shown) = loop {
        let doctor = home.run(&["doctor", "--json"]);
        let shown: Value = serde_json::from_str(&doctor.stdout).expect("JSON");
        let export =
            shown["checks"].as_array().expect("checks").iter().find(|check| check["name"] == "export").cloned();
        let waits = |export: &Value| export["message"].as_str().is_some_and(|message| message.contains("B queued: "));
        if let Some(export) = export.filter(|export| export["status"] == "fail" && waits(export)) {
            break (doctor, export);
        }
        assert!(begun.elapsed() < TIMEOUT, "{}", doctor.shown());
    };
    assert_eq!(doctor.code, Some(4), "{}", doctor.shown());
    let told = shown["message"].as_str().expect("a message");
    for expect in ["401", "credentials", receiver.url.as_str()] {
        assert!(told.contains(expect), "{expect}: {told}");
    }
    let people = home.run(&["doctor"]);
    assert!(people.stdout.contains("FAIL") && people.stdout.contains("telemetry.export"), "{}", people.shown());
    let listed = json(&url, "/api/v1/exports");
    assert_eq!((&listed["exports"][0]["state"], &listed["exports"][0]["failed"]), (&"blocked".into(), &0.into()));
    let meters = request(&url, "GET", "/metrics", &[], "").body;
    assert!(meters.contains(r#"baton_export_blocked{target="otlp",signal="traces"} 1"#), "{meters}");
    let said = stop(server);
    assert_eq!(said.matches("are rejected until").count(), 1, "{said}");
    for (place, text) in [
        ("the log", said.as_str()),
        ("doctor", &doctor.shown()),
        ("doctor for people", &people.shown()),
        ("the API", &listed.to_string()),
        ("the meters", &meters),
    ] {
        assert!(!text.contains(SECRET), "{place} has the secret: {text}");
    }

    // Nothing is lost: everything is delivered as soon as the target accepts it.
    assert_eq!(receiver.span_count(), 0);
    receiver.lets_in.store(true, Ordering::SeqCst);
    let (server, url) = home.up_with_exporters(&named, &["--port", "0"]);
    let kept = spans(&url).len();
    while receiver.span_count() < kept {
        receiver.came.recv_timeout(TIMEOUT).expect("more is sent");
    }
    let well = home.run(&["doctor"]);
    assert!(well.stdout.contains("traces sent"), "{}", well.shown());
    stop(server);
}

#[test]
fn baton_does_not_export_to_itself() {
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    let port = free_port();
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        for protocol in ["grpc", "http/protobuf"] {
            let endpoint = format!("http://{host}:{port}");
            let named = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)];
            let (server, url) = home.up_with_exporters(&named, &["--port", &port, "--log", "info"]);
            assert_eq!(json(&url, "/api/v1/exports")["exports"], Value::Array(Vec::new()), "{host} {protocol}");
            stop(server);
        }
    }
}
