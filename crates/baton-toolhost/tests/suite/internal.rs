//! The built-in servers, with definitions and sessions kept by the test.

use crate::calls::{Listener, agent, tool};
use baton_ports::{
    AgentEditor, AgentFiles, AgentRepositoryError, AgentSource, AgentUpdate, BoxFuture, SearchText, SessionItems,
    SessionStore, SessionStoreError, TextSearch, ToolHost, ToolInvocation, ToolOutcome,
};
use baton_toolhost::{
    ConnectorRegistry, HostSettings, InternalConnector, InternalPorts, McpServers, Toolbox, TransportKind,
};
use baton_types::{
    AgentChange, AgentName, AgentResources, AgentSpec, CallId, ContextItem, ErrorCode, InclusionMode, ItemDraft,
    ItemKind, ItemName, Json, McpEra, McpPermissions, McpServer, McpTimeouts, McpTool, McpTransport, Permission,
    Principal, RelevanceLimits, TaskId, Thousandths, ToolCall, ToolRunner,
};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// One agent with editable rules, and its session.
struct World {
    agent: Mutex<AgentSpec>,
    session: Mutex<SessionItems>,
    changes: Mutex<Vec<AgentChange>>,
}

impl World {
    fn new() -> Arc<Self> {
        let mut agent = agent("tester", Vec::new());
        let always =
            ContextItem { include: InclusionMode::Always, ..ContextItem::new("tides", "Ships wait for the ebb.") };
        agent.knowledge.rules = vec![always, ContextItem::new("gulls", "Gulls steal chips.")];
        let (session, changes) = (Mutex::default(), Mutex::default());
        Arc::new(Self { agent: Mutex::new(agent), session, changes })
    }
}

impl AgentSource for World {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        vec![Arc::new(self.agent.lock().unwrap().clone())]
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.agents().into_iter().find(|agent| agent.name == *name)
    }

    fn agent_resources(&self, _: &AgentName) -> Arc<AgentResources> {
        let servers = ["rules", "tools", "supervision"].map(server).to_vec();
        Arc::new(AgentResources { servers, ..AgentResources::default() })
    }
}

fn server(tool: &str) -> McpServer {
    McpServer {
        name: tool.to_owned(),
        file: "mcp.json".to_owned(),
        transport: McpTransport::Internal { tool: tool.to_owned() },
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

impl AgentEditor for World {
    fn amend<'a>(
        &'a self,
        _: &'a AgentName,
        change: AgentChange,
    ) -> BoxFuture<'a, Result<AgentUpdate, AgentRepositoryError>> {
        Box::pin(async move {
            if let AgentChange::Create { item, .. } = &change {
                if item.name == "locked" {
                    let detail = "agent.yaml cannot be written".to_owned();
                    return Err(AgentRepositoryError { code: ErrorCode::AGENT_NOT_CHANGED, detail });
                }
                let rules = &mut self.agent.lock().unwrap().knowledge.rules;
                rules.push(ContextItem::new(&*item.name, item.text.clone().unwrap_or_default()));
            }
            self.changes.lock().unwrap().push(change);
            Ok(AgentUpdate { file: "agent.yaml".to_owned(), is_written: true })
        })
    }

    fn create<'a>(&'a self, _: AgentFiles) -> BoxFuture<'a, Result<AgentName, AgentRepositoryError>> {
        unreachable!("no server creates agents")
    }

    fn remove<'a>(&'a self, _: &'a AgentName) -> BoxFuture<'a, Result<(), AgentRepositoryError>> {
        unreachable!("no server removes agents")
    }
}

impl SessionStore for World {
    fn items<'a>(&'a self, _: &'a TaskId) -> BoxFuture<'a, Result<SessionItems, SessionStoreError>> {
        Box::pin(async { Ok(self.session.lock().unwrap().clone()) })
    }

    fn include<'a>(&'a self, _: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionStoreError>> {
        Box::pin(async { Ok(put(&mut self.session.lock().unwrap().included, item)) })
    }

    fn exclude<'a>(&'a self, _: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionStoreError>> {
        Box::pin(async { Ok(put(&mut self.session.lock().unwrap().excluded, item)) })
    }
}

fn put(list: &mut Vec<ItemName>, item: ItemName) -> bool {
    let is_new = !list.contains(&item);
    if is_new {
        list.push(item);
    }
    is_new
}

/// Embeddings are unavailable.
impl TextSearch for World {
    fn search<'a>(
        &'a self,
        _: &'a AgentName,
        _: &'a str,
        _: &'a [SearchText<'a>],
        _: RelevanceLimits,
    ) -> BoxFuture<'a, Result<Vec<(usize, Thousandths)>, String>> {
        Box::pin(async { Err("nobody makes them".to_owned()) })
    }
}

/// The toolbox of the world's agent, as runs use it.
fn toolbox(world: &Arc<World>, connect: InternalConnector) -> Arc<Toolbox> {
    let connect = Arc::new(connect);
    let connectors = ConnectorRegistry::new().with(TransportKind::Internal, connect.clone());
    let servers = McpServers::new(world.clone(), connectors, HostSettings::default());
    let toolbox = Arc::new(Toolbox::new(servers));
    let (tools, sessions, search): (Arc<dyn ToolHost>, Arc<dyn SessionStore>, Arc<dyn TextSearch>) =
        (toolbox.clone(), world.clone(), world.clone());
    connect.attach(InternalPorts {
        tools: Arc::downgrade(&tools),
        sessions: Arc::downgrade(&sessions),
        search: Arc::downgrade(&search),
    });
    toolbox
}

/// The result of the call, and whether it is an error.
async fn call(toolbox: &Toolbox, task: Option<&str>, server: &str, name: &str, arguments: Value) -> (bool, Value) {
    let runner = ToolRunner::Mcp(McpTool { server: server.to_owned(), tool: name.to_owned() });
    let spec = tool(&format!("{server}__{name}"), runner);
    let call = ToolCall { id: CallId::from("c1"), name: spec.name.clone(), arguments: Json::from(arguments) };
    let (agent, principal, helper) = (agent("tester", Vec::new()), Principal::local(), Listener::default());
    let task = task.map(TaskId::from);
    let run = ToolInvocation {
        agent: &agent,
        tool: &spec,
        call: &call,
        principal: &principal,
        task: task.as_ref(),
        trace: None,
        answers: None,
        helper: &helper,
    };
    match toolbox.call(run).await {
        ToolOutcome::Done(done) => (done.is_error, done.output.to_value()),
        ToolOutcome::InputRequired(asks) => panic!("unexpected input request: {asks:?}"),
    }
}

#[tokio::test]
async fn calls_reach_definitions_sessions_and_search() {
    let world = World::new();
    let toolbox = toolbox(&world, InternalConnector::with_editor(world.clone(), world.clone()));
    let rules = |task, name, arguments| call(&toolbox, task, "rules", name, arguments);
    let told = |words: &str| (false, json!(words));

    let created = rules(None, "createRule", json!({"name": "pier", "text": "Closed.", "priorityLevel": 7.0})).await;
    assert!(!created.0, "{created:?}");
    let draft = ItemDraft {
        name: "pier".to_owned(),
        priority: Some(7),
        text: Some("Closed.".to_owned()),
        ..ItemDraft::default()
    };
    assert_eq!(*world.changes.lock().unwrap(), [AgentChange::Create { kind: ItemKind::Rule, item: draft }]);

    let included = rules(Some("t"), "includeRule", json!({"name": "gulls"})).await;
    assert_eq!(included, told("The rule 'gulls' is part of this conversation from the next message on."));
    let included = rules(Some("t"), "includeRule", json!({"name": "tides"})).await;
    assert_eq!(included, told("The rule 'tides' is part of this conversation already."));
    assert!(!rules(Some("t"), "excludeRule", json!({"name": "tides"})).await.0);
    let (_, listed) = rules(Some("t"), "listContextRules", json!({})).await;
    assert_eq!(listed, json!({"rules": [{"name": "gulls", "include": "manual"}], "excluded": ["tides"]}));

    let (_, found) = rules(None, "searchRules", json!({"query": "who steals chips?"})).await;
    assert_eq!((&found["matches"][0]["name"], &found["matches"][1]), (&json!("gulls"), &Value::Null), "{found}");
    assert!(found["note"].as_str().unwrap().ends_with("no embeddings are available: nobody makes them"), "{found}");

    for (server, name, arguments, expect) in [
        ("rules", "includeRule", json!({"name": "gulls"}), "there is no conversation here"),
        ("rules", "getRule", json!({"name": "x"}), "there is no rule 'x'; there are: tides, gulls, pier"),
        ("rules", "createRule", json!({"name": "x", "text": "y", "weight": 1}), "unknown field `weight`"),
        ("rules", "createRule", json!({"name": "pier", "text": "y"}), "was not replaced; change it with updateRule"),
        ("rules", "createRule", json!({"name": "locked", "text": "y"}), ": agent.yaml cannot be written"),
        ("rules", "updateRule", json!({"name": "pier", "priorityLevel": 7.5}), "a whole number from 0 to 999, not 7.5"),
        (
            "tools",
            "getToolServer",
            json!({"name": "x"}),
            "there is no server 'x'; there are: rules, tools, supervision",
        ),
        ("tools", "setToolIncludeMode", json!({"toolName": "x", "mode": "never"}), "'mode': unknown variant `never`"),
    ] {
        let (is_error, said) = call(&toolbox, None, server, name, arguments).await;
        assert!(is_error && said.as_str().unwrap().contains(expect), "{name}: {said}");
    }
    assert_eq!(world.changes.lock().unwrap().len(), 1, "rejected calls change nothing");
}

#[tokio::test]
async fn definition_in_a_program_is_readable_but_not_editable() {
    let world = World::new();
    let toolbox = toolbox(&world, InternalConnector::new(world.clone()));
    let offered = toolbox.available_tools(&agent("tester", Vec::new()), Duration::from_secs(60)).await;
    assert!(offered.iter().any(|tool| tool.name == "rules__createRule"));
    let (is_error, said) = call(&toolbox, Some("t"), "rules", "deleteRule", json!({"name": "gulls"})).await;
    let expect = format!("{}: the definition of 'tester' is part of a program", ErrorCode::AGENT_NOT_CHANGED.code);
    assert!(is_error && said.as_str().unwrap().starts_with(&expect), "{said}");
    assert_eq!(
        call(&toolbox, None, "rules", "getRule", json!({"name": "gulls"})).await.1["text"],
        "Gulls steal chips."
    );
    let statuses = toolbox.servers(&AgentName::from("tester"));
    assert!(statuses[2].reason.as_deref().unwrap().contains("no internal server 'supervision' yet"), "{statuses:?}");
}
