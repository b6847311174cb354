//! Baton's own server on loopback, with an echo agent.

use async_stream::stream;
use baton_engine::{Engine, EngineOptions, NoPeers, Ports};
use baton_http::{HttpOptions, ServeOptions, serve};
use baton_http_a2a::A2aOptions;
use baton_journal::MemoryJournal;
use baton_ports::{
    AgentSource, BoxFuture, ChatMessage, FinishReason, Model, ModelCall, ModelError, ModelEvent, ModelResolver,
    ModelStream, NotificationOutcome, TaskNotification, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
    WebhookError, WebhookSender,
};
use baton_server::{SurfaceOptions, app};
use baton_telemetry::Tracer;
use baton_types::{
    AgentName, AgentSpec, Clock, ControlTools, IdGenerator, Json, ModelSpec, PushConfig, RunLimits, SkillSpec,
    Timestamp, ToolExecution, Usage,
};
use baton_wire::a2a::v1::CardBinding;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// A server that stops when this value is dropped.
pub(crate) struct BatonServer {
    pub(crate) address: SocketAddr,
    shutdown: CancellationToken,
    serving: Option<JoinHandle<std::io::Result<()>>>,
}

impl BatonServer {
    pub(crate) async fn start(agents: &[&str]) -> Self {
        Self::traced(agents, Tracer::off()).await
    }

    /// A server that emits spans of its requests.
    pub(crate) async fn traced(agents: &[&str], tracer: Tracer) -> Self {
        let ports = Ports {
            journal: Arc::new(MemoryJournal::default()),
            models: Arc::new(EchoModel),
            tools: Arc::new(NoTools),
            agents: Arc::new(Agents(agents.iter().map(|name| Arc::new(agent(name))).collect())),
            peers: Arc::new(NoPeers),
            webhooks: Arc::new(DiscardingSender),
            watch: None,
            clock: Arc::new(TickingClock(AtomicI64::new(1_794_770_760_000))),
            ids: Arc::new(CountingIds::default()),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let a2a = A2aOptions { bindings: CardBinding::ALL.to_vec(), ..A2aOptions::default() };
        let http = HttpOptions { bound: Some(address), tracer, ..HttpOptions::default() };
        let shutdown = http.shutdown.clone();
        let options = SurfaceOptions { http, a2a, ..SurfaceOptions::default() };
        let app = app(Engine::new(EngineOptions::default(), ports), options);
        let serving = tokio::spawn(serve(listener, app, ServeOptions::default(), shutdown.clone()));
        Self { address, shutdown, serving: Some(serving) }
    }

    /// Stops the server and waits until every reply has ended.
    pub(crate) async fn stopped(mut self) {
        self.shutdown.cancel();
        if let Some(serving) = self.serving.take() {
            let _ = serving.await;
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for BatonServer {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

fn agent(name: &str) -> AgentSpec {
    AgentSpec {
        name: name.into(),
        title: format!("The {name} agent"),
        description: "Repeats what it is told".to_owned(),
        version: "1.0.0".to_owned(),
        prompt: String::new(),
        skills: vec![SkillSpec {
            id: "repeat".to_owned(),
            name: "Repeat".to_owned(),
            description: "Says it again".to_owned(),
            tags: vec!["echo".to_owned()],
            examples: Vec::new(),
        }],
        input_modes: AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools: Vec::new(),
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules: None },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits::default(),
        control_tools: ControlTools::default(),
        handoffs: Vec::new(),
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        enable_handoff: false,
        policy: Default::default(),
        autonomous: false,
    }
}

struct EchoModel;

impl ModelResolver for EchoModel {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(Self))
    }
}

impl Model for EchoModel {
    fn name(&self) -> &str {
        "obedient"
    }

    /// `hang` sends one word and never ends; any other text is echoed word by word.
    fn call(&self, call: ModelCall) -> ModelStream {
        let last = call.messages.last().cloned();
        Box::pin(stream! {
            if let Some(ChatMessage::User { text, .. }) = last {
                if text == "hang" {
                    yield Ok(ModelEvent::Text("Hm".to_owned()));
                    std::future::pending::<()>().await;
                }
                for word in text.split_inclusive(' ') {
                    yield Ok(ModelEvent::Text(word.to_owned()));
                    tokio::task::yield_now().await;
                }
            }
            yield Ok(ModelEvent::Done { usage: Usage::new(1, 1), finish: FinishReason::Stop, answered_by: None });
        })
    }
}

struct NoTools;

impl ToolHost for NoTools {
    fn call<'a>(&'a self, _: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { ToolOutcome::Done(ToolOutput { output: Json::string("none"), is_error: true }) })
    }
}

struct Agents(Vec<Arc<AgentSpec>>);

impl AgentSource for Agents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.clone()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.0.iter().find(|agent| agent.name == *name).cloned()
    }
}

/// Accepts every receiver and sends nothing.
struct DiscardingSender;

impl WebhookSender for DiscardingSender {
    fn check_receiver<'a>(&'a self, _: &'a PushConfig) -> BoxFuture<'a, Result<(), WebhookError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn notify<'a>(
        &'a self,
        _: &'a PushConfig,
        _: TaskNotification<'a>,
    ) -> BoxFuture<'a, Result<NotificationOutcome, WebhookError>> {
        Box::pin(std::future::ready(Ok(NotificationOutcome::Delivered)))
    }
}

/// Advances by a millisecond at every read.
struct TickingClock(AtomicI64);

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Default)]
struct CountingIds(AtomicU64);

impl IdGenerator for CountingIds {
    fn next_id(&self) -> String {
        format!("id-{}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}
