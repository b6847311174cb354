//! An editable agent source and an invoker that records its requests and whose reply depends on the prompt.

use baton_mcp::{EndpointContext, McpLimits, McpSessionManager, StateSeal};
use baton_ports::{
    AgentInvokeError, AgentInvoker, AgentReply, AgentRequest, AgentSource, BoxFuture, ChangeStream, UnusableEntry,
};
use baton_types::{
    AgentName, AgentResources, AgentSpec, CallId, ControlTools, ErrorCode, ExportedTool, ModelSpec, Principal,
    RunLimits, SkillSpec, TaskId, TaskState, ToolExecution,
};
use serde_json::json;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::{Notify, broadcast};

/// Shared context of the endpoints under test.
pub(crate) fn common() -> EndpointContext {
    let hour = Duration::from_secs(3600);
    let kept = McpLimits { max_sessions: 16, session_idle: hour, ..McpLimits::default() };
    EndpointContext {
        sessions: McpSessionManager::new(&kept, None),
        seal: Arc::new(StateSeal::random(hour).unwrap()),
        // The transport reads the system clock for this interval, which is not affected by paused time.
        limits: McpLimits { keep_alive: hour, ..McpLimits::default() },
        shutdown: tokio_util::sync::CancellationToken::new(),
    }
}

pub(crate) fn principal_with_scopes(scopes: &[&str]) -> Principal {
    let scopes = scopes.iter().map(|scope| (*scope).into()).collect();
    Principal { tenant: "acme".into(), subject: "ann".into(), scopes }
}

/// An editable agent source.
pub(crate) struct EditableAgentSource {
    agents: Mutex<Vec<Arc<AgentSpec>>>,
    kit: Mutex<Arc<AgentResources>>,
    unusable: Mutex<Vec<UnusableEntry>>,
    pub(crate) refreshed: Mutex<u32>,
    changed: broadcast::Sender<()>,
}

impl EditableAgentSource {
    pub(crate) fn with_agents(names: &[&str]) -> Arc<Self> {
        Arc::new(Self {
            agents: Mutex::new(names.iter().map(|name| Arc::new(agent(name))).collect()),
            kit: Mutex::default(),
            unusable: Mutex::default(),
            refreshed: Mutex::default(),
            changed: broadcast::channel(16).0,
        })
    }

    pub(crate) fn add(&self, name: &str) {
        self.agents.lock().unwrap().push(Arc::new(agent(name)));
    }

    pub(crate) fn skip(&self, entry: &str, reason: &str) {
        self.unusable.lock().unwrap().push(UnusableEntry { entry: entry.to_owned(), reason: reason.to_owned() });
    }

    pub(crate) fn export(&self, exports: Vec<ExportedTool>) {
        *self.kit.lock().unwrap() = Arc::new(AgentResources { exports, ..AgentResources::default() });
        let _ = self.changed.send(());
    }
}

impl AgentSource for EditableAgentSource {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.agents.lock().unwrap().clone()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.agents().into_iter().find(|agent| agent.name == *name)
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        Arc::clone(&self.kit.lock().unwrap())
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<UnusableEntry>> {
        *self.refreshed.lock().unwrap() += 1;
        Box::pin(std::future::ready(self.unusable.lock().unwrap().clone()))
    }

    fn changes(&self) -> ChangeStream {
        let heard = self.changed.subscribe();
        Box::pin(futures_util::stream::unfold(heard, |mut heard| async {
            heard.recv().await.ok().map(|()| ((), heard))
        }))
    }
}

fn agent(name: &str) -> AgentSpec {
    AgentSpec {
        name: name.into(),
        title: format!("The {name} agent"),
        description: format!("Knows all about {name}"),
        version: "1.2.0".to_owned(),
        prompt: "secret words".to_owned(),
        skills: vec![SkillSpec {
            id: "forecast".to_owned(),
            name: "Forecast".to_owned(),
            description: "Looks ahead".to_owned(),
            tags: vec!["future".to_owned()],
            examples: vec!["What comes?".to_owned()],
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

/// An exported tool with one required and two optional parameters.
pub(crate) fn export(name: &str, prompt: &str) -> ExportedTool {
    ExportedTool {
        name: name.to_owned(),
        description: format!("Does {name}"),
        parameters: json!({
            "type": "object",
            "properties": {
                "topic": {"type": "string"},
                "days": {"type": "integer", "maximum": 7},
                "places": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["topic"],
        })
        .into(),
        prompt: prompt.to_owned(),
    }
}

/// Replies in place of the agents and records the requests.
#[derive(Default)]
pub(crate) struct ScriptedInvoker {
    pub(crate) asked: Mutex<Vec<(Principal, AgentRequest)>>,
    /// Notified if a run is dropped before it ends.
    pub(crate) dropped: Arc<Notify>,
    /// Notified when a run that never ends begins.
    pub(crate) begun: Arc<Notify>,
}

impl ScriptedInvoker {
    pub(crate) fn last(&self) -> AgentRequest {
        self.asked.lock().unwrap().last().unwrap().1.clone()
    }
}

struct DropNotifier(Arc<Notify>);

impl Drop for DropNotifier {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl AgentInvoker for ScriptedInvoker {
    fn is_client_tool_call<'a>(
        &'a self,
        _: &'a Principal,
        _: &'a TaskId,
        _: &'a CallId,
    ) -> BoxFuture<'a, Result<Option<bool>, AgentInvokeError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// The last word of the prompt selects the outcome.
    fn invoke<'a>(
        &'a self,
        principal: &'a Principal,
        ask: AgentRequest,
    ) -> BoxFuture<'a, Result<AgentReply, AgentInvokeError>> {
        self.asked.lock().unwrap().push((principal.clone(), ask.clone()));
        Box::pin(async move {
            let reply = |state, text: &str| AgentReply {
                task: ask.task.clone().unwrap_or_else(|| "task-1".into()),
                context: ask.context.clone().unwrap_or_else(|| "context-1".into()),
                state,
                text: text.to_owned(),
            };
            Ok(match ask.text.split_whitespace().last().unwrap_or_default() {
                "ask" => reply(TaskState::InputRequired, "Where?"),
                "login" => reply(TaskState::AuthRequired, "Please log in"),
                "fail" => reply(TaskState::Failed, "the model is away"),
                "reject" => reply(TaskState::Rejected, "that is not my work"),
                "silent" => reply(TaskState::Completed, ""),
                "busy" => {
                    return Err(AgentInvokeError {
                        code: ErrorCode::BUSY,
                        detail: "too many tasks are under way".to_owned(),
                    });
                }
                "slow" => {
                    tokio::time::sleep(Duration::from_secs(50)).await;
                    reply(TaskState::Completed, "at last")
                }
                "hang" => {
                    let _notifier = DropNotifier(Arc::clone(&self.dropped));
                    self.begun.notify_one();
                    std::future::pending().await
                }
                _ => reply(TaskState::Completed, &format!("You said: {}", ask.text)),
            })
        })
    }
}
