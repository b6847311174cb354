//! An agent with knowledge, a model that records its calls, and tools of servers.

use crate::world::{World, agent, message};
use baton_engine::{Engine, EngineOptions, Ports, SendCommand, SessionChange, SessionRef, TaskRef};
use baton_ports::{
    AgentSource, BoxFuture, ChatMessage, FinishReason, Model, ModelCall, ModelError, ModelEvent, ModelResolver,
    ModelStream, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_types::{
    AgentName, AgentResources, AgentSpec, ContextItem, InclusionMode, ItemKind, ItemName, JournalEvent, Json,
    Knowledge, Message, Part, Principal, RequestContext, TaskEvent, TaskView, ToolCall, ToolSpec, Usage,
};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// Fixture around one agent named `boss`; a clone is the same fixture after a restart.
#[derive(Clone, Default)]
pub(crate) struct ContextFixture {
    pub(crate) world: World,
    pub(crate) spec: Arc<Mutex<Option<AgentSpec>>>,
    /// Model calls, oldest first.
    pub(crate) calls: Arc<Mutex<Vec<ModelCall>>>,
    /// Tools that the model calls next, one per turn; then it answers.
    pub(crate) script: Arc<Mutex<Vec<&'static str>>>,
    /// Tools of servers.
    pub(crate) offered: Arc<Mutex<Vec<ToolSpec>>>,
}

pub(crate) fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

pub(crate) fn item(name: &str, priority: u16, include: InclusionMode, text: &str) -> ContextItem {
    ContextItem { priority, include, ..ContextItem::new(name, text) }
}

impl ContextFixture {
    pub(crate) fn new(knowledge: Knowledge) -> Self {
        let fixture = Self::default();
        *fixture.spec.lock().unwrap() = Some(AgentSpec { knowledge, ..agent("boss", &[]) });
        fixture
    }

    pub(crate) fn engine(&self) -> Engine {
        let (models, agents, tools) = (Arc::new(self.clone()), Arc::new(self.clone()), Arc::new(self.clone()));
        let ports = self.world.ports(Arc::new(self.world.journal.clone()));
        Engine::new(EngineOptions::default(), Ports { models, agents, tools, ..ports })
    }

    /// Messages of the last model call, one line each.
    pub(crate) fn last_messages(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        let said = calls.last().unwrap().messages.iter().map(|message| match message {
            ChatMessage::User { text, .. } => format!("user: {text}"),
            ChatMessage::Assistant { text, calls, .. } if calls.is_empty() => format!("agent: {text}"),
            ChatMessage::Assistant { calls, .. } => format!("calls: {}", calls[0].name),
            ChatMessage::Tool { output, .. } => format!("tool: {}", output.to_plain_text()),
        });
        said.collect()
    }

    /// Tools of the agent and its servers in the last model call.
    pub(crate) fn tools(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        let tools = calls.last().unwrap().tools.iter().filter(|tool| tool.runner != baton_types::ToolRunner::BuiltIn);
        tools.map(|tool| tool.name.clone()).collect()
    }

    /// Recorded selections for the task's messages.
    pub(crate) async fn selections(&self, engine: &Engine, task: &TaskView) -> Vec<(RequestContext, Option<String>)> {
        let reference = TaskRef { task: task.id.clone(), agent: None };
        let events = engine.events(&me(), &reference, 0, 1000).await.unwrap();
        let chosen = events.iter().filter_map(|event| match &event.fact {
            JournalEvent::Task(TaskEvent::ContextSelected { request, warning, .. }) => {
                Some((request.clone(), warning.clone()))
            }
            _ => None,
        });
        chosen.collect()
    }
}

/// Sends a new task, optionally in a conversation.
pub(crate) async fn ask(engine: &Engine, context: Option<&str>, text: &str) -> Arc<TaskView> {
    let message = Message { context: context.map(Into::into), ..message(&format!("m-{text}"), text) };
    engine.send_and_settle(&me(), SendCommand::new("boss".into(), message)).await.unwrap()
}

pub(crate) async fn change(engine: &Engine, context: &str, change: SessionChange) {
    let session = SessionRef { context: context.into(), agent: None };
    engine.change_session(&me(), &session, vec![change]).await.unwrap();
}

pub(crate) fn named(kind: ItemKind, name: &str) -> ItemName {
    ItemName { kind, name: name.to_owned() }
}

/// Selected items in the metadata of the last answer: kind, name, mode and score.
pub(crate) fn shown(task: &TaskView) -> Vec<String> {
    let metadata: Value = task.history.last().unwrap().metadata.as_ref().unwrap().read().unwrap();
    let items = metadata["dev.baton/request-context"]["items"].as_array().cloned().unwrap_or_default();
    let word = |item: &Value| {
        let text = |key: &str| item[key].as_str().unwrap().to_owned();
        let score = item["score"].as_f64().map(|score| format!(" {score}")).unwrap_or_default();
        format!("{} {} {}{score}", text("kind"), text("name"), text("include"))
    };
    items.iter().map(word).collect()
}

impl ModelResolver for ContextFixture {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(self.clone()))
    }
}

impl Model for ContextFixture {
    fn name(&self) -> &str {
        "listening"
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let id = format!("{}-call", call.message_id).into();
        self.calls.lock().unwrap().push(call);
        let mut script = self.script.lock().unwrap();
        let said = match script.is_empty() {
            true => ModelEvent::Text(format!("answer {}", self.calls.lock().unwrap().len())),
            false => {
                let name = script.remove(0).to_owned();
                let arguments = match name.as_str() {
                    "ask_user" => serde_json::json!({"question": "Which?"}).into(),
                    _ => serde_json::json!({}).into(),
                };
                ModelEvent::ToolCall(ToolCall { id, name, arguments })
            }
        };
        let done = ModelEvent::Done { usage: Usage::default(), finish: FinishReason::Stop, answered_by: None };
        Box::pin(futures_util::stream::iter([Ok(said), Ok(done)]))
    }
}

impl AgentSource for ContextFixture {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.spec.lock().unwrap().iter().cloned().map(Arc::new).collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.agents().into_iter().find(|agent| agent.name == *name)
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        Arc::default()
    }
}

impl ToolHost for ContextFixture {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        let output = Json::string(&format!("{} ran", run.tool.name));
        Box::pin(async move { ToolOutcome::Done(ToolOutput { output, is_error: false }) })
    }

    fn available_tools<'a>(&'a self, _: &'a AgentSpec, _: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        let offered = self.offered.lock().unwrap().clone();
        Box::pin(async move { offered })
    }
}

/// Next message of a task.
pub(crate) fn to(task: &TaskView, id: &str, part: Part) -> Message {
    Message {
        task: Some(task.id.clone()),
        context: Some(task.context.clone()),
        ..Message::new(id.into(), baton_types::Role::User, vec![part])
    }
}
