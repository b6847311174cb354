//! An agent with servers.

use super::script::Script;
use baton_ports::{
    AgentSource, BoxFuture, ChangeStream, SamplingRequest, SamplingResult, ServerStatus, ToolHelper, ToolInvocation,
    ToolOutcome, ToolProgress,
};
use baton_toolhost::{
    BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, ConnectorRegistry, HostSettings, McpServers,
    ServerConnector, StdioConnector, Toolbox, TransportKind,
};
use baton_types::{
    AgentName, AgentResources, AgentSpec, AgentVariables, CallId, Json, McpEra, McpPermissions, McpServer, McpTimeouts,
    McpTool, McpTransport, Permission, Principal, TaskId, ToolAnswers, ToolCall, ToolRunner,
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::watch;

/// A source of agents with one editable set of resources.
#[derive(Clone)]
pub(crate) struct Agents(watch::Sender<Arc<AgentResources>>);

impl Agents {
    pub(crate) fn with_servers(servers: Vec<McpServer>) -> Self {
        Self(watch::Sender::new(resources(servers)))
    }

    /// The same with environment variables.
    pub(super) fn with_variables(servers: Vec<McpServer>, variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let kit = AgentResources { servers, variables: AgentVariables(variables), ..AgentResources::default() };
        Self(watch::Sender::new(Arc::new(kit)))
    }

    pub(super) fn change(&self, servers: Vec<McpServer>) {
        self.0.send_replace(resources(servers));
    }
}

fn resources(servers: Vec<McpServer>) -> Arc<AgentResources> {
    Arc::new(AgentResources { servers, ..AgentResources::default() })
}

impl AgentSource for Agents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        vec![Arc::new(agent())]
    }

    fn agent(&self, _: &AgentName) -> Option<Arc<AgentSpec>> {
        Some(Arc::new(agent()))
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        self.0.borrow().clone()
    }

    fn changes(&self) -> ChangeStream {
        Box::pin(futures_util::stream::unfold(self.0.subscribe(), |mut changes| async move {
            changes.changed().await.ok()?;
            Some(((), changes))
        }))
    }
}

pub(crate) fn name() -> AgentName {
    AgentName::from("tester")
}

pub(crate) fn agent() -> AgentSpec {
    crate::calls::agent("tester", Vec::new())
}

/// A server whose transport does not matter; an internal one, so that a script can replace it.
pub(crate) fn server(name: &str) -> McpServer {
    McpServer {
        name: name.into(),
        file: "mcp.json".into(),
        transport: McpTransport::Internal { tool: name.into() },
        enabled: true,
        era: McpEra::Auto,
        timeouts: McpTimeouts::default(),
        permissions: McpPermissions { default: Permission::Allow, rules: Vec::new() },
        include: Vec::new(),
        exclude: Vec::new(),
        modes: Default::default(),
        prefix: None,
        required: false,
        trusted: false,
        oauth: None,
    }
}

/// The test that acts as a server in a child process.
pub(super) const SERVER_TEST_NAME: &str = "servers::programs::plays_a_server";

/// The test binary as a server of this kind.
pub(super) fn program(name: &str, kind: &str) -> McpServer {
    let command = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let args = [SERVER_TEST_NAME, "--exact", "--nocapture", "--test-threads=1"];
    McpServer {
        transport: McpTransport::Stdio {
            command,
            args: args.map(str::to_owned).to_vec(),
            env: BTreeMap::from([("SCRIPTED_SERVER".to_owned(), kind.to_owned())]),
            env_file: None,
            cwd: None,
            base: std::env::temp_dir().to_string_lossy().into_owned(),
        },
        ..server(name)
    }
}

/// Scripts by server name.
#[derive(Clone, Default)]
pub(super) struct Scripts(Arc<Mutex<HashMap<String, Script>>>);

impl ServerConnector for Scripts {
    fn open<'a>(
        &'a self,
        target: ConnectTarget<'a>,
        _: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>> {
        let link = self.0.lock().unwrap()[&target.server.name].link();
        Box::pin(std::future::ready(Ok(link)))
    }
}

/// Servers of one agent, with their scripts.
pub(super) fn host(agents: &Agents, scripts: &[(&str, &Script)]) -> McpServers {
    host_with(agents, scripts, HostSettings::default())
}

pub(super) fn host_with(agents: &Agents, scripts: &[(&str, &Script)], settings: HostSettings) -> McpServers {
    let known = scripts.iter().map(|(name, script)| ((*name).to_owned(), (*script).clone())).collect();
    let scripts = Scripts(Arc::new(Mutex::new(known)));
    let connectors = ConnectorRegistry::new()
        .with(TransportKind::Internal, Arc::new(scripts))
        .with(TransportKind::Stdio, Arc::new(StdioConnector::new()));
    McpServers::new(Arc::new(agents.clone()), connectors, settings)
}

/// A single server with its script.
pub(super) fn single_server(script: &Script) -> (Agents, McpServers) {
    let agents = Agents::with_servers(vec![server("s")]);
    let servers = host(&agents, &[("s", script)]);
    (agents, servers)
}

pub(crate) async fn tools(servers: &McpServers) -> Vec<String> {
    let offered = servers.tools(&agent(), Duration::from_secs(600)).await;
    offered.into_iter().map(|tool| tool.spec.name).collect()
}

pub(super) fn status(servers: &McpServers, name: &str) -> ServerStatus {
    servers.statuses(&self::name()).into_iter().find(|status| status.name == name).unwrap()
}

/// Waits until the server statuses match.
pub(super) async fn eventually(servers: &McpServers, is_there: impl Fn(&[ServerStatus]) -> bool) {
    let mut events = servers.events(&name());
    while !is_there(&servers.statuses(&name())) {
        events.recv().await.unwrap();
    }
}

/// Answers of a run to the requests of a tool.
#[derive(Default)]
pub(super) struct Helper {
    pub(super) asked: Mutex<Vec<SamplingRequest>>,
    pub(super) progress: Mutex<Vec<f64>>,
}

impl ToolHelper for Helper {
    fn sample(&self, ask: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>> {
        let reply = match ask.agent_uri.as_deref() {
            Some("agent://nobody") => Err("no such agent".to_owned()),
            Some(_) => Ok(SamplingResult {
                text: "handed over".into(),
                model: "a2a-agent/weather".into(),
                task: Some("task-7".into()),
                context: Some("context-7".into()),
            }),
            None => Ok(SamplingResult { text: "a poem".into(), model: "poet-1".into(), ..SamplingResult::default() }),
        };
        self.asked.lock().unwrap().push(ask);
        Box::pin(std::future::ready(reply))
    }

    fn progress(&self, progress: ToolProgress) {
        self.progress.lock().unwrap().push(progress.done);
    }
}

/// Calls a tool of the server `s` as a run does.
pub(super) async fn run(toolbox: &Toolbox, helper: &Helper, tool: &str, answers: Option<&ToolAnswers>) -> ToolOutcome {
    run_as(toolbox, helper, tool, answers, (None, "c1")).await
}

/// The same with a task and a call id.
pub(super) async fn run_as(
    toolbox: &Toolbox,
    helper: &Helper,
    tool: &str,
    answers: Option<&ToolAnswers>,
    (task, id): (Option<&str>, &str),
) -> ToolOutcome {
    use baton_ports::ToolHost as _;
    let runner = ToolRunner::Mcp(McpTool { server: "s".into(), tool: tool.into() });
    let spec = crate::calls::tool(&format!("s__{tool}"), runner);
    let call = ToolCall { id: CallId::from(id), name: spec.name.clone(), arguments: Json::parse("{}").unwrap() };
    let (agent, principal, task) = (agent(), Principal::local(), task.map(TaskId::from));
    toolbox
        .call(ToolInvocation {
            agent: &agent,
            tool: &spec,
            call: &call,
            principal: &principal,
            task: task.as_ref(),
            trace: None,
            answers,
            helper,
        })
        .await
}
