//! Test world for the engine: scripted model, counted tools, two agents, a clock that follows tokio's.

use crate::{
    peer_network::{FAR, PeerNetwork, VAGUE, remote},
    receivers::Receivers,
};
use async_stream::stream;
use baton_engine::{Engine, EngineOptions, Ports};
use baton_journal::MemoryJournal;
use baton_ports::{
    AgentSource, BoxFuture, ChatMessage, FinishReason, Journal, Model, ModelCall, ModelError, ModelEvent, ModelInfo,
    ModelResolver, ModelStream, RetryAdvice, SamplingRequest, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_types::{
    AgentName, AgentResources, AgentSpec, CallId, Clock, CommandTool, ContextItem, ControlTools, Effects,
    HandoffTarget, IdGenerator, InclusionMode, Json, Knowledge, McpServer, McpTool, McpTransport, Message, ModelSpec,
    Part, Permission, QuestionKind, Role, RunLimits, Timestamp, ToolCall, ToolExecution, ToolInputRequest,
    ToolQuestion, ToolRunner, ToolSpec, Usage,
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// State outside of the simulated process; it survives crashes.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) journal: MemoryJournal,
    ids: Arc<AtomicU64>,
    time: Arc<AtomicU64>,
    answers: Arc<AtomicU64>,
    /// Number of executions of each call.
    pub(crate) runs: Arc<Mutex<HashMap<CallId, u32>>>,
    /// Trace context of each execution.
    pub(crate) traces: Arc<Mutex<Vec<(CallId, String)>>>,
    /// Calls that ran although their result was journaled.
    pub(crate) repeated: Arc<Mutex<Vec<CallId>>>,
    /// Model inputs, oldest first.
    pub(crate) model_inputs: Arc<Mutex<Vec<Vec<ChatMessage>>>>,
    /// Remote agents.
    pub(crate) peers: PeerNetwork,
    /// Receivers of push notifications.
    pub(crate) receivers: Receivers,
}

impl World {
    pub(crate) fn ports(&self, journal: Arc<dyn Journal>) -> Ports {
        Ports {
            journal,
            models: Arc::new(ScriptedModels(self.clone())),
            tools: Arc::new(CountedTools(self.clone())),
            agents: Arc::new(Agents::default()),
            peers: Arc::new(self.peers.clone()),
            webhooks: Arc::new(self.receivers.clone()),
            watch: None,
            clock: Arc::new(TokioClock {
                base: self.time.clone(),
                start: tokio::time::Instant::now(),
                begun: self.time.load(Ordering::Relaxed),
            }),
            ids: Arc::new(CountedIds(self.ids.clone())),
        }
    }

    /// An engine with these agents.
    pub(crate) fn engine_with(&self, agents: Vec<AgentSpec>) -> Engine {
        let agents = Arc::new(Agents(agents.into_iter().map(Arc::new).collect()));
        Engine::new(EngineOptions::default(), Ports { agents, ..self.ports(Arc::new(self.journal.clone())) })
    }

    pub(crate) fn engine(&self) -> Engine {
        self.engine_on(Arc::new(self.journal.clone()))
    }

    pub(crate) fn engine_on(&self, journal: Arc<dyn Journal>) -> Engine {
        Engine::new(
            EngineOptions { handoff_timeout: Duration::from_secs(3600), ..EngineOptions::default() },
            self.ports(journal),
        )
    }
}

struct CountedIds(Arc<AtomicU64>);

impl IdGenerator for CountedIds {
    fn next_id(&self) -> String {
        format!("{:06}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

struct TokioClock {
    base: Arc<AtomicU64>,
    start: tokio::time::Instant,
    begun: u64,
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        let elapsed = u64::try_from(self.start.elapsed().as_millis()).unwrap();
        let now = self.base.fetch_max(self.begun + elapsed, Ordering::Relaxed).max(self.begun + elapsed);
        Timestamp::from_millis(i64::try_from(now).unwrap())
    }
}

/// `boss` hands off to `worker`; both have one tool of each kind of effects.
struct Agents(Vec<Arc<AgentSpec>>);

impl Default for Agents {
    fn default() -> Self {
        let boss = agent("boss", &["worker", FAR, VAGUE]);
        let worker = AgentSpec { knowledge: knowledge(), ..agent("worker", &["boss"]) };
        Self([boss, worker, remote(FAR), remote(VAGUE)].map(Arc::new).to_vec())
    }
}

impl AgentSource for Agents {
    /// Agents named `lent…` are found by name, but not listed.
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.0.iter().filter(|agent| !agent.name.as_str().starts_with("lent")).cloned().collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.0.iter().find(|agent| agent.name == *name).cloned()
    }

    /// The peer `far` has an Environment, in which the calls that it leaves to its caller can run.
    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        let server = McpServer {
            name: "environment".to_owned(),
            file: String::new(),
            transport: McpTransport::Http { url: "https://far.example/mcp".to_owned(), headers: Default::default() },
            enabled: true,
            era: Default::default(),
            timeouts: Default::default(),
            permissions: Default::default(),
            include: Vec::new(),
            exclude: Vec::new(),
            modes: Default::default(),
            prefix: Some(String::new()),
            required: false,
            trusted: false,
            oauth: None,
        };
        let servers = if name.as_str() == FAR { vec![server] } else { Vec::new() };
        Arc::new(AgentResources { servers, ..AgentResources::default() })
    }
}

/// One rule that is always included, and one about looking.
fn knowledge() -> Knowledge {
    let always = ContextItem { include: InclusionMode::Always, ..ContextItem::new("always", "Work well.") };
    let looking = ContextItem { include: InclusionMode::Agent, ..ContextItem::new("look", "Look twice.") };
    Knowledge { rules: vec![always, looking], ..Knowledge::default() }
}

pub(crate) fn agent(name: &str, handoffs: &[&str]) -> AgentSpec {
    let tool = |name: &str, effects| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: serde_json::json!({"type": "object"}).into(),
        effects,
        runner: ToolRunner::Command(CommandTool {
            argv: vec!["true".to_owned()],
            directory: "/".to_owned(),
            timeout: Duration::from_secs(1),
            max_output: 1,
        }),
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    };
    AgentSpec {
        name: name.into(),
        title: name.to_owned(),
        description: String::new(),
        version: "1".to_owned(),
        prompt: format!("You are {name}."),
        skills: Vec::new(),
        input_modes: Vec::new(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools: vec![tool("look", Effects::ReadOnly), tool("put", Effects::Idempotent), tool("act", Effects::Unknown)],
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules: None },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits { deadline: Duration::from_secs(36_000), ..RunLimits::default() },
        control_tools: ControlTools { emit_artifact: true, ask_user: true, reject_task: true, reply_message: true },
        handoffs: handoffs
            .iter()
            .map(|name| HandoffTarget { agent: (*name).into(), description: String::new(), url: None })
            .collect(),
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        enable_handoff: !handoffs.is_empty(),
        policy: Default::default(),
        autonomous: false,
    }
}

/// A message whose text is a script: turns separated by `;`, calls of a turn by `,`; `say` ends it. A handoff is
/// written `handoff(turns of the child, separated by /)`; `again(text)` continues the last child conversation.
pub(crate) fn message(id: &str, text: &str) -> Message {
    Message::new(id.into(), Role::User, vec![Part::text(text)])
}

struct ScriptedModels(World);

impl ModelResolver for ScriptedModels {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(ScriptedModel(self.0.clone())))
    }
}

struct ScriptedModel(World);

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        "scripted"
    }

    /// A window that fits every conversation.
    fn model_info(&self) -> ModelInfo {
        ModelInfo { window: Some(1 << 40), ..ModelInfo::default() }
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let own = format!("You are {}.", call.agent);
        assert!(call.system.is_empty() || call.system.starts_with(&own), "{}", call.system);
        self.0.model_inputs.lock().unwrap().push(call.messages.clone());
        let script = call.messages.iter().find_map(|message| match message {
            // Knowledge items precede the user's message.
            ChatMessage::User { id, text, .. } if !id.as_str().starts_with("rule:") => Some(text.clone()),
            _ => None,
        });
        let script = script.unwrap_or_default();
        let done = call.messages.iter().filter(|message| matches!(message, ChatMessage::Assistant { .. })).count();
        let round = script.split(';').nth(done).unwrap_or("say").to_owned();
        let conversation = last_conversation(&call.messages);
        let answer = self.0.answers.fetch_add(1, Ordering::Relaxed);
        Box::pin(stream! {
            if !round.starts_with("now") {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let mut finish = FinishReason::Stop;
            for (index, action) in round.split(',').enumerate() {
                let (name, inside) = action.split_once('(').map_or((action, ""), |(name, rest)| (name, rest.trim_end_matches(')')));
                let arguments = match name {
                    "again" => serde_json::json!({"agent_uri": "worker", "message": inside, "context_id": conversation}),
                    "say" | "" => {
                        for piece in 0..3 {
                            yield Ok(ModelEvent::Text(format!("[{answer}.{piece}]")));
                            tokio::time::sleep(Duration::from_millis(1)).await;
                        }
                        continue;
                    }
                    // Text without a delay.
                    "now" => {
                        yield Ok(ModelEvent::Text(format!("[{answer}]")));
                        continue;
                    }
                    "hang" => {
                        yield Ok(ModelEvent::Text("hanging".to_owned()));
                        std::future::pending::<()>().await;
                        continue;
                    }
                    "busy" => {
                        let advice = RetryAdvice { wait: Some(Duration::from_secs(7)), ..RetryAdvice::default() };
                        yield Err(ModelError::Refused { status: 429, message: "busy".to_owned(), advice });
                        return;
                    }
                    "fail" => {
                        yield Err(ModelError::Refused { status: 500, message: "no".to_owned(), advice: Default::default() });
                        return;
                    }
                    "handoff" => {
                        let (to, script) = named_target(inside).unwrap_or(("worker", inside));
                        serde_json::json!({"agent_uri": to, "message": script.replace('/', ";").replace('+', ",")})
                    }
                    "reply_message" => serde_json::json!({"text": "just this"}),
                    "emit_file" => serde_json::json!({"raw": "aGk=", "filename": "hi.txt", "media_type": "text/plain"}),
                    "call_agent" => serde_json::json!({"agentId": "worker", "message": inside}),
                    "ask_user" => serde_json::json!({"question": "which?"}),
                    "emit_artifact" => serde_json::json!({"name": "a", "text": "made"}),
                    "reject_task" => serde_json::json!({"reason": "not mine"}),
                    _ => serde_json::json!({}),
                };
                finish = FinishReason::ToolCalls;
                let id = format!("{}-{index}", call.message_id).into();
                let name = match name {
                    "again" => "handoff",
                    "emit_file" => "emit_artifact",
                    name => name,
                };
                let name = name.to_owned();
                yield Ok(ModelEvent::ToolCall(ToolCall { id, name, arguments: arguments.into() }));
            }
            yield Ok(ModelEvent::Done { usage: Usage::new(1, 1), finish, answered_by: None });
        })
    }
}

/// Context id in the result of the last handoff.
fn last_conversation(messages: &[ChatMessage]) -> Option<String> {
    messages.iter().rev().find_map(|message| match message {
        ChatMessage::Tool { output, .. } => {
            let output: serde_json::Value = output.read().unwrap();
            output["context_id"].as_str().map(str::to_owned)
        }
        _ => None,
    })
}

/// `boss:say` names the receiver; a colon further inside belongs to the child's script.
fn named_target(inside: &str) -> Option<(&str, &str)> {
    inside.split_once(':').filter(|(name, _)| name.chars().all(char::is_alphanumeric))
}

struct CountedTools(World);

impl ToolHost for CountedTools {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        let ToolInvocation { tool, call, answers, .. } = run;
        Box::pin(async move {
            if let "borrow" | "borrow_agent" = tool.name.as_str() {
                let agent_uri = (tool.name == "borrow_agent").then(|| "worker".to_owned());
                let messages = vec![(Role::User, "now".to_owned())];
                let ask = SamplingRequest { messages, agent_uri, ..SamplingRequest::default() };
                return match run.helper.sample(ask).await {
                    Ok(sampled) => done(&format!("{} wrote {}", sampled.model, sampled.text)),
                    Err(reason) => ToolOutcome::Done(ToolOutput { output: Json::string(&reason), is_error: true }),
                };
            }
            if crate::check::has_result(&self.0.journal, &call.id).await {
                self.0.repeated.lock().unwrap().push(call.id.clone());
            }
            // A call may run once before and once after its question.
            let id = if answers.is_some() { format!("{}!", call.id).into() } else { call.id.clone() };
            *self.0.runs.lock().unwrap().entry(id).or_default() += 1;
            self.0.traces.lock().unwrap().push((call.id.clone(), run.trace.unwrap_or_default().to_owned()));
            tokio::time::sleep(Duration::from_millis(2)).await;
            let asks = matches!(tool.name.as_str(), "quiz" | "guess");
            match answers {
                None if asks => ToolOutcome::InputRequired(question(&call.id)),
                None => done(&format!("{} done", tool.name)),
                Some(answers) => {
                    assert_eq!(answers.state.as_deref(), Some(call.id.as_str()), "the state belongs to another call");
                    let said = answers.answers[0].content.as_ref().map(Json::as_str);
                    done(&format!("{} done with {}", tool.name, said.unwrap_or_default()))
                }
            }
        })
    }

    fn available_tools<'a>(&'a self, _: &'a AgentSpec, _: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        let tool = |name: &str, effects, permission| ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: serde_json::json!({"type": "object"}).into(),
            effects,
            runner: ToolRunner::Mcp(McpTool { server: "far".to_owned(), tool: name.to_owned() }),
            output: None,
            permission,
            rules: Vec::new(),
            include: Default::default(),
            sequential: false,
        };
        let offered = vec![
            tool("borrow", Effects::ReadOnly, Permission::Allow),
            tool("borrow_agent", Effects::ReadOnly, Permission::Allow),
            tool("far_act", Effects::Unknown, Permission::Allow),
            tool("gate", Effects::Unknown, Permission::Ask),
            tool("guess", Effects::Idempotent, Permission::Allow),
            tool("quiz", Effects::Unknown, Permission::Allow),
        ];
        Box::pin(async move { offered })
    }
}

fn done(words: &str) -> ToolOutcome {
    ToolOutcome::Done(ToolOutput { output: Json::string(words), is_error: false })
}

fn question(call: &CallId) -> ToolInputRequest {
    let schema =
        serde_json::json!({"type": "object", "properties": {"which": {"type": "string"}}, "required": ["which"]});
    let question = ToolQuestion {
        key: "pick".to_owned(),
        message: "Which?".to_owned(),
        wants: QuestionKind::Form { schema: schema.into() },
    };
    ToolInputRequest { questions: vec![question], state: Some(call.to_string()) }
}
