//! One agent that knows things, a model that writes down what it is given, and tools that are offered to it.

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

/// Everything around one agent of the name `boss`; a clone is the same world after a restart.
#[derive(Clone, Default)]
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) spec: Arc<Mutex<Option<AgentSpec>>>,
    /// What the model was given, oldest first.
    pub(crate) calls: Arc<Mutex<Vec<ModelCall>>>,
    /// Tools that the model calls next, one in each turn; then it answers.
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

impl Stage {
    pub(crate) fn new(knowledge: Knowledge) -> Self {
        let stage = Self::default();
        *stage.spec.lock().unwrap() = Some(AgentSpec { knowledge, ..agent("boss", &[]) });
        stage
    }

    pub(crate) fn engine(&self) -> Engine {
        let (models, agents, tools) = (Arc::new(self.clone()), Arc::new(self.clone()), Arc::new(self.clone()));
        let ports = self.world.ports(Arc::new(self.world.journal.clone()));
        Engine::new(EngineOptions::default(), Ports { models, agents, tools, ..ports })
    }

    /// What the model was given last, a line for each message.
    pub(crate) fn heard(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        let said = calls.last().unwrap().messages.iter().map(|message| match message {
            ChatMessage::User { text, .. } => format!("user: {text}"),
            ChatMessage::Assistant { text, calls, .. } if calls.is_empty() => format!("agent: {text}"),
            ChatMessage::Assistant { calls, .. } => format!("calls: {}", calls[0].name),
            ChatMessage::Tool { output, .. } => format!("tool: {}", output.to_plain_text()),
        });
        said.collect()
    }

    /// The tools of the agent and its servers that the model was offered last.
    pub(crate) fn tools(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        let tools = calls.last().unwrap().tools.iter().filter(|tool| tool.runner != baton_types::ToolRunner::BuiltIn);
        tools.map(|tool| tool.name.clone()).collect()
    }

    /// What was chosen for the task's messages, as it is on record.
    pub(crate) async fn chosen(&self, engine: &Engine, task: &TaskView) -> Vec<(RequestContext, Option<String>)> {
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

/// A new task, in a conversation if one is named.
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

/// What the metadata of the last answer says was given: kind, name, mode and score.
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

impl ModelResolver for Stage {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(self.clone()))
    }
}

impl Model for Stage {
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

impl AgentSource for Stage {
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

impl ToolHost for Stage {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        let output = Json::string(&format!("{} ran", run.tool.name));
        Box::pin(async move { ToolOutcome::Done(ToolOutput { output, is_error: false }) })
    }

    fn available_tools<'a>(&'a self, _: &'a AgentSpec, _: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        let offered = self.offered.lock().unwrap().clone();
        Box::pin(async move { offered })
    }
}

/// The next word in a task.
pub(crate) fn to(task: &TaskView, id: &str, part: Part) -> Message {
    Message {
        task: Some(task.id.clone()),
        context: Some(task.context.clone()),
        ..Message::new(id.into(), baton_types::Role::User, vec![part])
    }
}
