//! Spans exported over OTLP.

use crate::served::ask_agent;
use baton_sdk::{Agent, Baton, error_codes};
use baton_testkit::OtlpReceiver;
use baton_types::{Span, SpanValue};
use std::collections::BTreeSet;

const SERVICE: &str = "weather-desk";

fn baton(endpoint: &str) -> Baton {
    let agent = Agent::new("desk").playbook("rules: [{ say: 'Good day!' }]");
    Baton::new().agent(agent).tracing(SERVICE, endpoint)
}

/// Runs the agent, stops the server, and returns the exported spans.
async fn export_run(baton: Baton, receiver: &OtlpReceiver) -> Vec<Span> {
    let running = baton.start("127.0.0.1:0").await.unwrap();
    assert_eq!(ask_agent(&running, "desk", "hi").await, "Good day!");
    running.stop().await;
    // An orderly stop sends all spans, so nothing is awaited here.
    let received = receiver.received();
    assert!(received.iter().all(|(path, _)| path == "/v1/traces"), "{received:?}");
    received.into_iter().flat_map(|(_, spans)| spans).collect()
}

#[tokio::test]
async fn spans_of_a_run_are_exported_under_the_service_name() {
    let data = tempfile::tempdir().unwrap();
    for in_directory in [true, false] {
        let receiver = OtlpReceiver::start().await.unwrap();
        let baton = baton(&receiver.url());
        let baton = if in_directory { baton.data_dir(data.path().join("kept")) } else { baton };
        let spans = export_run(baton, &receiver).await;
        let service =
            |span: &Span| span.resource.attributes.iter().find(|(name, _)| &**name == "service.name").cloned();
        let services: Vec<_> = spans.iter().map(|span| service(span).expect("a service name").1).collect();
        assert!(services.iter().all(|name| *name == SpanValue::from(SERVICE)), "{services:?}");
        let ids: BTreeSet<_> = spans.iter().map(|span| (span.trace, span.id)).collect();
        assert_eq!(ids.len(), spans.len(), "every span is sent once");
        let names: Vec<&str> = spans.iter().map(|span| &*span.name).collect();
        for expect in ["invoke_agent desk", "chat"] {
            assert!(names.iter().any(|name| name.starts_with(expect)), "{expect} in {names:?}");
        }
        let run = spans.iter().find(|span| span.name.starts_with("invoke_agent desk")).unwrap();
        assert!(spans.iter().any(|span| span.trace == run.trace && span.parent == Some(run.id)), "{spans:?}");
    }
}

#[tokio::test]
async fn an_invalid_endpoint_is_rejected() {
    for endpoint in ["", "localhost:4318", "ftp://localhost"] {
        let error = baton(endpoint).start("127.0.0.1:0").await.unwrap_err();
        assert_eq!(error.code(), error_codes::USAGE, "{endpoint}: {error}");
    }
}

#[tokio::test]
async fn an_unavailable_endpoint_delays_no_answer_and_no_stop() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let running = baton(&endpoint).start("127.0.0.1:0").await.unwrap();
    assert_eq!(ask_agent(&running, "desk", "hi").await, "Good day!");
    running.stop().await;
}
