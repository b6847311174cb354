//! A model with a small window that records its calls, and an agent with a tool with long output.

use crate::world::{World, agent};
use baton_engine::{Engine, EngineOptions, Ports, SendCommand, TaskRef};
use baton_ports::{
    AgentSource, BoxFuture, ChatMessage, FinishReason, Model, ModelCall, ModelError, ModelEvent, ModelInfo,
    ModelResolver, ModelStream, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_types::{
    AgentName, AgentResources, AgentSpec, Compaction, JournalEvent, Json, Message, Part, Principal, Role, RunLimits,
    TaskEvent, TaskView, ToolCall, ToolSpec, Usage,
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// Text of the first message.
pub(crate) const FIRST: &str = "The code word is heron; end every answer with it.";

pub(crate) type Answer = Vec<Result<ModelEvent, ModelError>>;

type Act = Arc<dyn Fn(&ModelCall, usize) -> Answer + Send + Sync>;

#[derive(Clone)]
pub(crate) struct SmallWindowFixture {
    pub(crate) world: World,
    pub(crate) about: ModelInfo,
    pub(crate) spec: AgentSpec,
    /// Model calls without summaries, oldest first.
    pub(crate) calls: Arc<Mutex<Vec<ModelCall>>>,
    pub(crate) summaries: Arc<Mutex<Vec<ModelCall>>>,
    /// Output of the tools.
    pub(crate) output: Arc<Mutex<String>>,
    act: Act,
}

impl SmallWindowFixture {
    /// The model answers with `act`, called with each call and its number, from 1.
    pub(crate) fn new(window: Option<u64>, act: impl Fn(&ModelCall, usize) -> Answer + Send + Sync + 'static) -> Self {
        let limits = RunLimits { max_turns: 1_000, ..agent("boss", &[]).limits };
        Self {
            world: World::default(),
            about: ModelInfo { window, ..ModelInfo::default() },
            spec: AgentSpec { limits, input_modes: vec!["image/*".to_owned()], ..agent("boss", &[]) },
            calls: Arc::default(),
            summaries: Arc::default(),
            output: Arc::new(Mutex::new("done".to_owned())),
            act: Arc::new(act),
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        let (models, agents, tools) = (Arc::new(self.clone()), Arc::new(self.clone()), Arc::new(self.clone()));
        let ports = self.world.ports(Arc::new(self.world.journal.clone()));
        Engine::new(EngineOptions::default(), Ports { models, agents, tools, ..ports })
    }
}

pub(crate) fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

pub(crate) fn say(text: &str) -> Answer {
    let done = ModelEvent::Done { usage: Usage::new(10, 5), finish: FinishReason::Stop, answered_by: None };
    vec![Ok(ModelEvent::Text(text.to_owned())), Ok(done)]
}

pub(crate) fn call_tool(call: &ModelCall, name: &str, arguments: serde_json::Value) -> Answer {
    let id = format!("{}-call", call.message_id).into();
    let done = ModelEvent::Done { usage: Usage::new(10, 5), finish: FinishReason::ToolCalls, answered_by: None };
    let made = ToolCall { id, name: name.to_owned(), arguments: arguments.into() };
    vec![Ok(ModelEvent::ToolCall(made)), Ok(done)]
}

pub(crate) async fn ask(engine: &Engine, id: &str, parts: Vec<Part>) -> Arc<TaskView> {
    let message = Message { context: Some("talk".into()), ..Message::new(id.into(), Role::User, parts) };
    engine.send_and_settle(&me(), SendCommand::new("boss".into(), message)).await.unwrap()
}

/// Every compaction of a task.
pub(crate) async fn compactions(engine: &Engine, task: &TaskView) -> Vec<Compaction> {
    let reference = TaskRef { task: task.id.clone(), agent: None };
    let events = engine.events(&me(), &reference, 0, 10_000).await.unwrap();
    let found = events.iter().filter_map(|event| match &event.fact {
        JournalEvent::Task(TaskEvent::Compacted { compaction }) => Some(compaction.clone()),
        _ => None,
    });
    found.collect()
}

/// All text of a call, as a provider would count it.
pub(crate) fn words(call: &ModelCall) -> String {
    let mut words = call.system.clone();
    for tool in &call.tools {
        words += &format!("{}{}{}", tool.name, tool.description, tool.parameters.as_str());
    }
    for message in &call.messages {
        match message {
            ChatMessage::User { text, .. } => words += text,
            ChatMessage::Assistant { text, calls, .. } => {
                words += text;
                calls.iter().for_each(|call| words += call.arguments.as_str());
            }
            ChatMessage::Tool { output, .. } => words += output.as_str(),
        }
    }
    words
}

/// Every call has its result, and every result its call.
pub(crate) fn assert_paired(call: &ModelCall) {
    let mut open: Vec<&str> = Vec::new();
    for message in &call.messages {
        match message {
            ChatMessage::Tool { call, .. } => {
                let at = open.iter().position(|id| *id == call.as_str()).expect("a result without its call");
                open.remove(at);
            }
            ChatMessage::Assistant { calls, .. } => {
                assert!(open.is_empty(), "calls without results: {open:?}");
                open.extend(calls.iter().map(|call| call.id.as_str()));
            }
            ChatMessage::User { .. } => assert!(open.is_empty(), "calls without results: {open:?}"),
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}

impl ModelResolver for SmallWindowFixture {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(self.clone()))
    }
}

impl Model for SmallWindowFixture {
    fn name(&self) -> &str {
        "test:narrow"
    }

    fn model_info(&self) -> ModelInfo {
        self.about.clone()
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let answer = if call.system.starts_with("You keep the notes") {
            let mut summaries = self.summaries.lock().unwrap();
            summaries.push(call);
            say(&format!("notes {}", summaries.len()))
        } else {
            let mut calls = self.calls.lock().unwrap();
            calls.push(call.clone());
            let number = calls.len();
            drop(calls);
            (self.act)(&call, number)
        };
        Box::pin(futures_util::stream::iter(answer))
    }
}

impl AgentSource for SmallWindowFixture {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        vec![Arc::new(self.spec.clone())]
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        (*name == self.spec.name).then(|| Arc::new(self.spec.clone()))
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        Arc::default()
    }
}

impl ToolHost for SmallWindowFixture {
    fn call<'a>(&'a self, _: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        let output = Json::string(&self.output.lock().unwrap());
        Box::pin(async move { ToolOutcome::Done(ToolOutput { output, is_error: false }) })
    }

    fn available_tools<'a>(&'a self, _: &'a AgentSpec, _: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        Box::pin(async { Vec::new() })
    }
}
