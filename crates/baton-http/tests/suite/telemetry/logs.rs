//! What is logged while a request is answered says the request's trace.

use super::{Collected, PARENT};
use crate::{
    speak::{headers, raw},
    world::{Counted, Deaf, Obedient, Served, Ticking, Weather, agent, options},
};
use baton_engine::{Engine, EngineOptions, Ports};
use baton_http::{HttpOptions, app};
use baton_journal::MemoryJournal;
use baton_local::JsonLines;
use baton_ports::AgentSource;
use baton_types::{AgentName, AgentSpec};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{
    io,
    sync::{Arc, Mutex},
};
use tracing_subscriber::layer::SubscriberExt as _;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn take(&self) -> Vec<Value> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        let lines = std::str::from_utf8(&bytes).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Says so whenever somebody looks for an agent.
struct Talking(Served);

impl AgentSource for Talking {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.agents()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        tracing::info!(answer = 42, "inside");
        self.0.agent(name)
    }
}

#[tokio::test]
async fn a_line_has_the_ids_of_the_request_and_only_inside_of_it() {
    let (lines, spans) = (Lines::default(), Arc::new(Collected::default()));
    let writer = lines.clone();
    let layer = tracing_subscriber::fmt::layer().json().event_format(JsonLines::default());
    let log = tracing_subscriber::registry().with(layer.with_writer(move || writer.clone()));
    let _logging = tracing::subscriber::set_default(log);
    let ports = Ports {
        journal: Arc::new(MemoryJournal::default()),
        models: Arc::new(Obedient),
        tools: Arc::new(Weather),
        agents: Arc::new(Talking(Served(vec![Arc::new(agent("weather"))]))),
        peers: Arc::new(baton_engine::NoPeers),
        webhooks: Arc::new(Deaf),
        watch: None,
        clock: Arc::new(Ticking::default()),
        ids: Arc::new(Counted::default()),
    };
    let engine = Engine::new(EngineOptions::default(), ports);
    let app = app(engine, HttpOptions { tracer: spans.tracer(), ..options() });
    tracing::info!("before");
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]});
    let carried = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}],
        "metadata": {"traceparent": PARENT}});
    for message in [message, carried] {
        let params = json!({"message": message, "configuration": {"returnImmediately": true}});
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": params});
        let given = headers(&[("content-type", "application/json")]);
        drop(raw(&app, "POST", "/agents/weather", given, body.to_string()).await.into_body().collect().await);
        let span = spans.one();
        let written = lines.take();
        let inside: Vec<_> = written.iter().filter(|line| line["fields"]["message"] == "inside").collect();
        assert!(!inside.is_empty(), "{written:?}");
        for line in inside.into_iter().take(1) {
            assert_eq!(
                (&line["trace_id"], &line["span_id"]),
                (&json!(span.trace.to_string()), &json!(span.id.to_string()))
            );
            assert_eq!((&line["level"], &line["fields"]["answer"]), (&json!("INFO"), &json!(42)));
        }
    }
    tracing::info!("after");
    let outside = lines.take();
    assert!(outside.iter().all(|line| line.get("trace_id").is_none()), "{outside:?}");
}
