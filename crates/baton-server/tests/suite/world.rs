//! An engine with a journal in memory and a scripted model.

use async_stream::stream;
use axum::Router;
use baton_client::Client;
use baton_engine::{Engine, EngineOptions, Ports};
use baton_http::HttpOptions;
use baton_journal::MemoryJournal;
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{
    AgentPersistence, AgentRepository as _, AgentSource, BoxFuture, ChatMessage, FinishReason, Journal, Model,
    ModelCall, ModelError, ModelEvent, ModelResolver, ModelStream, NotificationOutcome, TaskNotification, ToolHost,
    ToolInvocation, ToolOutcome, ToolOutput, WebhookError, WebhookSender,
};
use baton_server::{SurfaceOptions, app};
use baton_types::{
    AgentName, AgentSpec, Clock, CommandTool, ControlTools, Effects, IdGenerator, Json, Message, ModelSpec, Part,
    PushConfig, Role, RunLimits, SkillSpec, Timestamp, ToolCall, ToolExecution, ToolRunner, ToolSpec, Usage,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

pub(crate) fn engine(agents: &[&str]) -> Engine {
    engine_on(Arc::new(MemoryJournal::default()), EngineOptions::default(), agents)
}

pub(crate) fn engine_on(journal: Arc<dyn Journal>, options: EngineOptions, agents: &[&str]) -> Engine {
    let ports = Ports {
        journal,
        models: Arc::new(ScriptedModel),
        tools: Arc::new(WeatherTools),
        agents: Arc::new(StaticAgents(agents.iter().map(|name| Arc::new(agent(name))).collect())),
        peers: Arc::new(baton_engine::NoPeers),
        webhooks: Arc::new(DiscardingWebhooks),
        watch: None,
        clock: Arc::new(TickingClock::default()),
        ids: Arc::new(SequentialIds::default()),
    };
    Engine::new(options, ports)
}

pub(crate) fn options() -> SurfaceOptions {
    let http = HttpOptions { started_at: Timestamp::from_millis(1_794_770_760_000), ..HttpOptions::default() };
    SurfaceOptions { http, ..SurfaceOptions::default() }
}

/// An app with one agent, `weather`.
pub(crate) fn weather() -> Router {
    app(engine(&["weather"]), options())
}

pub(crate) fn client() -> Client {
    Client::in_memory(weather())
}

pub(crate) fn message(text: &str) -> Message {
    Message::new("message-1".into(), Role::User, vec![Part::text(text)])
}

/// Advances by a millisecond with every call, so that the order of events is deterministic.
pub(crate) struct TickingClock(AtomicI64);

impl Default for TickingClock {
    fn default() -> Self {
        Self(AtomicI64::new(1_794_770_760_000))
    }
}

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Default)]
pub(crate) struct SequentialIds(AtomicU64);

impl IdGenerator for SequentialIds {
    fn next_id(&self) -> String {
        format!("id-{}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Accepts every receiver except `10.0.0.1` and discards notifications.
pub(crate) struct DiscardingWebhooks;

impl WebhookSender for DiscardingWebhooks {
    fn check_receiver<'a>(&'a self, config: &'a PushConfig) -> BoxFuture<'a, Result<(), WebhookError>> {
        let refused = config.url.contains("10.0.0.1");
        let answer = if refused { Err(WebhookError::Forbidden("10.0.0.1 is private".to_owned())) } else { Ok(()) };
        Box::pin(std::future::ready(answer))
    }

    fn notify<'a>(
        &'a self,
        _: &'a PushConfig,
        _: TaskNotification<'a>,
    ) -> BoxFuture<'a, Result<NotificationOutcome, WebhookError>> {
        Box::pin(std::future::ready(Ok(NotificationOutcome::Delivered)))
    }
}

pub(crate) struct StaticAgents(pub(crate) Vec<Arc<AgentSpec>>);

impl AgentSource for StaticAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.clone()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.0.iter().find(|agent| agent.name == *name).cloned()
    }
}

pub(crate) fn agent(name: &str) -> AgentSpec {
    AgentSpec {
        name: name.into(),
        title: format!("The {name} agent"),
        description: "Knows <the> weather".to_owned(),
        version: "1.0.0".to_owned(),
        prompt: String::new(),
        skills: vec![SkillSpec {
            id: "forecast".to_owned(),
            name: "Forecast".to_owned(),
            description: "Says what the weather is".to_owned(),
            tags: vec!["weather".to_owned()],
            examples: Vec::new(),
        }],
        input_modes: AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools: vec![ToolSpec {
            name: "get_weather".to_owned(),
            description: String::new(),
            parameters: serde_json::json!({"type": "object"}).into(),
            effects: Effects::ReadOnly,
            runner: ToolRunner::Command(CommandTool {
                argv: vec!["true".to_owned()],
                directory: "/".to_owned(),
                timeout: Duration::from_secs(1),
                max_output: 1,
            }),
            output: None,
            permission: baton_types::Permission::Allow,
            rules: Vec::new(),
            include: Default::default(),
            sequential: false,
        }],
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules: None },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits::default(),
        control_tools: ControlTools { ask_user: true, ..ControlTools::default() },
        handoffs: Vec::new(),
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        enable_handoff: false,
        policy: Default::default(),
        autonomous: false,
    }
}

pub(crate) struct ScriptedModel;

impl ModelResolver for ScriptedModel {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(Self))
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        "obedient"
    }

    /// `hang` writes text and never ends, `ask` asks a question, `look` writes text and calls a tool, `hand over` hands
    /// off; any other text is repeated word by word.
    fn call(&self, call: ModelCall) -> ModelStream {
        let last = call.messages.last().cloned();
        Box::pin(stream! {
            let mut finish = FinishReason::Stop;
            match last {
                Some(ChatMessage::User { text, .. }) => match text.as_str() {
                    "hang" => {
                        yield Ok(ModelEvent::Text("Hm".to_owned()));
                        std::future::pending::<()>().await;
                    }
                    "look" | "ask" | "hand over" => {
                        let (name, arguments) = match text.as_str() {
                            "look" => ("get_weather", serde_json::json!({"location": "Oakland"})),
                            "hand over" => ("handoff", serde_json::json!({"agent_uri": "clock", "message": "Hello"})),
                            _ => ("ask_user", serde_json::json!({"question": "Where?"})),
                        };
                        yield Ok(ModelEvent::Text("Let me see.".to_owned()));
                        tokio::task::yield_now().await;
                        finish = FinishReason::ToolCalls;
                        let id = "call-1".into();
                        yield Ok(ModelEvent::ToolCall(ToolCall { id, name: name.to_owned(), arguments: arguments.into() }));
                    }
                    said => {
                        for word in said.split_inclusive(' ') {
                            yield Ok(ModelEvent::Text(word.to_owned()));
                            tokio::task::yield_now().await;
                        }
                    }
                },
                Some(ChatMessage::Tool { output, .. }) => yield Ok(ModelEvent::Text(output.to_plain_text())),
                _ => yield Ok(ModelEvent::Text("?".to_owned())),
            }
            yield Ok(ModelEvent::Done { usage: Usage::new(1, 1), finish, answered_by: None });
        })
    }
}

pub(crate) struct WeatherTools;

impl ToolHost for WeatherTools {
    fn call<'a>(&'a self, _: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { ToolOutcome::Done(ToolOutput { output: Json::string("72°F, sunny"), is_error: false }) })
    }
}

/// These options with some changes.
pub(crate) fn configured(mut options: SurfaceOptions, change: impl FnOnce(&mut SurfaceOptions)) -> SurfaceOptions {
    change(&mut options);
    options
}

/// Definitions in memory of the agent `weather` with these files and a prompt.
pub(crate) async fn definitions(files: &[(&str, &str)]) -> Arc<DirectoryAgents> {
    let file = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
    let files = files.iter().chain(&[("prompt.md", "You forecast.")]).map(file).collect();
    let agents = DirectoryAgents::open_with(&[], vec![Arc::new(MemoryStorage::new())], None);
    agents.create_agent(files, AgentPersistence::Temporary).await.unwrap();
    Arc::new(agents)
}
