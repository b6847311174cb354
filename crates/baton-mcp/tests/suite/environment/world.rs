//! An agent whose definition, tools and servers are controlled by the tests.

use super::{handoff_service::ScriptedHandoffService, upstream::Upstream};
use crate::invoker::ScriptedInvoker;
use baton_mcp::{
    EndpointContext, Environment, EnvironmentPorts, Environments, McpLimits, McpService, McpSessionManager, StateSeal,
};
use baton_ports::{
    AgentSource, BoxFuture, ChangeStream, McpSessionStore, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
    ToolProgress,
};
use baton_system::TimeOrderedIds;
use baton_toolhost::{ConnectorRegistry, HostSettings, McpServers, TransportKind};
use baton_types::{
    AgentName, AgentResources, AgentSpec, ContextItem, ControlTools, Effects, Json, McpEra, McpPermissions, McpServer,
    McpTimeouts, McpTransport, ModelSpec, Permission, PermissionRule, Principal, QuestionKind, RunLimits,
    ToolExecution, ToolInputRequest, ToolQuestion, ToolRunner, ToolSpec,
};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;

/// An Environment with all its ports.
pub(crate) struct World {
    pub(crate) source: Arc<Source>,
    pub(crate) host: Arc<Host>,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) handoffs: Arc<ScriptedHandoffService>,
    pub(crate) common: EndpointContext,
    pub(crate) environments: Environments,
}

/// Settings of a world that tests override.
pub(crate) struct Plan {
    pub(crate) limits: McpLimits,
    pub(crate) kept: Option<Arc<dyn McpSessionStore>>,
    pub(crate) key: [u8; 32],
}

impl Default for Plan {
    fn default() -> Self {
        let hour = Duration::from_secs(3600);
        // The transport reads the system clock for this interval, which is not affected by paused time.
        Self { limits: McpLimits { keep_alive: hour, ..McpLimits::default() }, kept: None, key: [7; 32] }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_plan(Plan::default())
    }

    pub(crate) fn with_plan(plan: Plan) -> Self {
        let Plan { limits, kept, key } = plan;
        let source = Arc::new(Source::new());
        let host = Arc::new(Host::default());
        let upstream = Arc::new(Upstream::default());
        let connectors = ConnectorRegistry::new().with(TransportKind::Internal, Arc::<Upstream>::clone(&upstream));
        let servers = McpServers::new(Arc::<Source>::clone(&source), connectors, HostSettings::default());
        let common = EndpointContext {
            sessions: McpSessionManager::new(&limits, kept),
            seal: Arc::new(StateSeal::new(&key, &[], limits.answer_timeout).unwrap()),
            limits,
            shutdown: CancellationToken::new(),
        };
        let handoffs = Arc::new(ScriptedHandoffService::new(&source));
        let ports = EnvironmentPorts {
            agents: Arc::<Source>::clone(&source),
            tools: Arc::<Host>::clone(&host),
            servers,
            invoker: Arc::new(ScriptedInvoker::default()),
            handoffs: Arc::<ScriptedHandoffService>::clone(&handoffs),
            clock: Arc::<ScriptedHandoffService>::clone(&handoffs),
            ids: Arc::new(TimeOrderedIds),
        };
        let environments = Environments::new(ports, common.clone());
        Self { source, host, upstream, handoffs, common, environments }
    }

    pub(crate) fn service(&self) -> Arc<McpService<Environment>> {
        self.environments.endpoint(&"weather".into()).unwrap()
    }
}

pub(crate) fn ann() -> Principal {
    Principal { tenant: "acme".into(), subject: "ann".into(), scopes: vec!["call".into()] }
}

/// A principal with the `admin` scope.
pub(crate) fn operator() -> Principal {
    Principal { scopes: vec!["admin".into()], ..ann() }
}

pub(crate) fn bob() -> Principal {
    Principal { tenant: "acme".into(), subject: "bob".into(), scopes: vec!["call".into()] }
}

/// A source with one editable agent and other agents.
pub(crate) struct Source {
    spec: Mutex<Arc<AgentSpec>>,
    others: Mutex<Vec<Arc<AgentSpec>>>,
    kit: Mutex<Arc<AgentResources>>,
    changed: broadcast::Sender<()>,
}

impl Source {
    fn new() -> Self {
        let mut agent = spec();
        agent.knowledge.references =
            vec![reference("style guide", "How to write", "Be brief."), reference("units", "", "Celsius.")];
        let (spec, others, kit) = (Mutex::new(Arc::new(agent)), Mutex::default(), Mutex::default());
        Self { spec, others, kit, changed: broadcast::channel(16).0 }
    }

    pub(crate) fn edit(&self, edit: impl FnOnce(&mut AgentSpec)) {
        let mut spec = self.spec.lock().unwrap();
        let mut new = AgentSpec::clone(&spec);
        edit(&mut new);
        *spec = Arc::new(new);
        drop(spec);
        let _ = self.changed.send(());
    }

    pub(crate) fn edit_resources(&self, edit: impl FnOnce(&mut AgentResources)) {
        let mut kit = self.kit.lock().unwrap();
        let mut new = AgentResources::clone(&kit);
        edit(&mut new);
        *kit = Arc::new(new);
        drop(kit);
        let _ = self.changed.send(());
    }

    /// Adds another agent.
    pub(crate) fn add_agent(&self, name: &str, description: &str) {
        let other = AgentSpec { name: name.into(), description: description.to_owned(), ..spec() };
        self.others.lock().unwrap().push(Arc::new(other));
        let _ = self.changed.send(());
    }

    /// Adds the test's upstream server to the agent.
    pub(crate) fn connect(&self, era: McpEra, permission: Permission) {
        self.edit_resources(|kit| kit.servers = vec![server("up", era, permission)]);
    }
}

pub(crate) fn server(name: &str, era: McpEra, permission: Permission) -> McpServer {
    McpServer {
        name: name.to_owned(),
        file: "mcp.json".to_owned(),
        transport: McpTransport::Internal { tool: name.to_owned() },
        enabled: true,
        era,
        timeouts: McpTimeouts { call: Duration::from_secs(3600), ..McpTimeouts::default() },
        permissions: McpPermissions {
            default: permission,
            rules: vec![PermissionRule::for_tool("secret*", Permission::Deny)],
        },
        include: Vec::new(),
        exclude: Vec::new(),
        modes: Default::default(),
        prefix: None,
        required: false,
        trusted: true,
        oauth: None,
    }
}

impl AgentSource for Source {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        let own = Arc::clone(&self.spec.lock().unwrap());
        std::iter::once(own).chain(self.others.lock().unwrap().clone()).collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.agents().into_iter().find(|agent| agent.name == *name)
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        Arc::clone(&self.kit.lock().unwrap())
    }

    fn changes(&self) -> ChangeStream {
        let heard = self.changed.subscribe();
        Box::pin(futures_util::stream::unfold(heard, |mut heard| async {
            heard.recv().await.ok().map(|()| ((), heard))
        }))
    }
}

fn reference(name: &str, description: &str, text: &str) -> ContextItem {
    ContextItem { description: description.to_owned(), ..ContextItem::new(name, text) }
}

fn spec() -> AgentSpec {
    let mut tools = vec![
        tool("say", Effects::Unknown),
        tool("echo", Effects::ReadOnly),
        tool("fail", Effects::Unknown),
        tool("hang", Effects::Unknown),
        tool("sleep", Effects::Unknown),
        tool("progress", Effects::Idempotent),
        tool("ask", Effects::Unknown),
        tool("guarded", Effects::Unknown),
        tool("denied", Effects::Unknown),
    ];
    for (name, permission) in [("guarded", Permission::Ask), ("denied", Permission::Deny)] {
        tools.iter_mut().find(|tool| tool.name == name).unwrap().permission = permission;
    }
    tools[0].parameters = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 7}},
        "required": ["city"],
        "additionalProperties": false,
    })
    .into();
    AgentSpec {
        name: "weather".into(),
        title: "Weather".to_owned(),
        description: "Knows the weather".to_owned(),
        version: "1.2.0".to_owned(),
        prompt: "You forecast.".to_owned(),
        skills: Vec::new(),
        input_modes: Vec::new(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools,
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

pub(crate) fn tool(name: &str, effects: Effects) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}"),
        parameters: json!({"type": "object"}).into(),
        effects,
        runner: ToolRunner::Native,
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

/// Runs tools by name.
#[derive(Default)]
pub(crate) struct Host {
    /// Tool and principal of each call.
    pub(crate) ran: Mutex<Vec<String>>,
    pub(crate) begun: Notify,
    pub(crate) dropped: Arc<Notify>,
}

impl Host {
    pub(crate) fn ran(&self) -> Vec<String> {
        std::mem::take(&mut *self.ran.lock().unwrap())
    }
}

struct DropNotifier(Arc<Notify>);

impl Drop for DropNotifier {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl ToolHost for Host {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        let name = run.tool.name.as_str();
        self.ran.lock().unwrap().push(format!("{name} for {}", run.principal.subject));
        Box::pin(async move {
            let done = |output: Json| ToolOutcome::Done(ToolOutput { output, is_error: false });
            match name {
                "fail" => ToolOutcome::Done(ToolOutput { output: Json::string("it rained"), is_error: true }),
                "hang" => {
                    let _notifier = DropNotifier(Arc::clone(&self.dropped));
                    self.begun.notify_one();
                    std::future::pending().await
                }
                "sleep" => {
                    self.begun.notify_one();
                    let seconds = run.call.arguments.to_value()["seconds"].as_u64().unwrap();
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    done(Json::string("slept"))
                }
                "progress" => {
                    for step in [1.0, 2.0] {
                        run.helper.progress(ToolProgress { done: step, total: Some(2.0), message: None });
                    }
                    done(Json::string("done"))
                }
                "ask" => match run.answers {
                    None => ToolOutcome::InputRequired(questions()),
                    Some(answers) => done(Json::from_serializable(answers).unwrap()),
                },
                "echo" | "guarded" => done(run.call.arguments.clone()),
                _ => {
                    let city = run.call.arguments.to_value()["city"].as_str().unwrap_or_default().to_owned();
                    done(Json::string(&format!("Sunny in {city}")))
                }
            }
        })
    }
}

fn questions() -> ToolInputRequest {
    let schema: Value = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "title": "Your name"}},
        "required": ["name"],
    });
    ToolInputRequest {
        questions: vec![ToolQuestion {
            key: "who".to_owned(),
            message: "Who are you?".to_owned(),
            wants: QuestionKind::Form { schema: schema.into() },
        }],
        state: Some("step-2".to_owned()),
    }
}
