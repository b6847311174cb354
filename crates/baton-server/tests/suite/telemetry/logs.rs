//! Log lines of a request carry its trace id.

use super::{PARENT, SpanCollector};
use crate::{
    bindings::{headers, raw},
    world::configured,
    world::{
        DiscardingWebhooks, ScriptedModel, SequentialIds, StaticAgents, TickingClock, WeatherTools, agent, options,
    },
};
use baton_engine::{Engine, EngineOptions, Ports};
use baton_journal::MemoryJournal;
use baton_local::JsonLines;
use baton_ports::AgentSource;
use baton_server::app;
use baton_types::{AgentName, AgentSpec};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{
    io,
    sync::{Arc, Mutex},
};
use tracing_subscriber::layer::SubscriberExt as _;

#[derive(Clone, Default)]
struct LogLines(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogLines {
    fn take(&self) -> Vec<Value> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        let lines = std::str::from_utf8(&bytes).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Logs a line for every agent lookup.
struct LoggingAgents(StaticAgents);

impl AgentSource for LoggingAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.agents()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        tracing::info!(answer = 42, "inside");
        self.0.agent(name)
    }
}

#[tokio::test]
async fn log_lines_have_trace_ids_only_inside_of_requests() {
    let (lines, spans) = (LogLines::default(), Arc::new(SpanCollector::default()));
    let writer = lines.clone();
    let layer = tracing_subscriber::fmt::layer().json().event_format(JsonLines::default());
    let log = tracing_subscriber::registry().with(layer.with_writer(move || writer.clone()));
    let _logging = tracing::subscriber::set_default(log);
    let ports = Ports {
        journal: Arc::new(MemoryJournal::default()),
        models: Arc::new(ScriptedModel),
        tools: Arc::new(WeatherTools),
        agents: Arc::new(LoggingAgents(StaticAgents(vec![Arc::new(agent("weather"))]))),
        peers: Arc::new(baton_engine::NoPeers),
        webhooks: Arc::new(DiscardingWebhooks),
        watch: None,
        clock: Arc::new(TickingClock::default()),
        ids: Arc::new(SequentialIds::default()),
    };
    let engine = Engine::new(EngineOptions::default(), ports);
    let app = app(
        engine,
        configured(options(), |options| {
            options.http.tracer = spans.tracer();
        }),
    );
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
