//! The built-in servers, with definitions in memory and a session kept by the test.

use crate::calls::{Listener, agent, tool};
use baton_agentdir::error_codes;
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{
    AgentFiles, AgentPersistence, AgentRepository as _, AgentSource as _, AgentStorage, AgentStorageError, BoxFuture,
    SearchText, SessionItems, SessionStore, SessionStoreError, TextSearch, ToolHost, ToolInvocation, ToolOutcome,
};
use baton_toolhost::{
    ConnectorRegistry, HostSettings, InternalConnector, InternalPorts, McpServers, Toolbox, TransportKind,
};
use baton_types::{
    AgentName, CallId, Digest, ItemName, Json, McpTool, Principal, RelevanceLimits, TaskId, Thousandths, ToolCall,
    ToolRunner,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

const AGENT: &str = "name: tester
rules:
  - { name: tides, text: Ships wait for the ebb., include: always }
  - { name: gulls, text: Gulls steal chips. }
";
const SERVERS: &str = r#"{"mcpServers": {
  "rules": {"type": "internal", "tool": "rules", "permissions": {"default": "allow"}},
  "tools": {"type": "internal", "tool": "tools", "permissions": {"default": "allow"}},
  "supervision": {"type": "internal", "tool": "supervision", "permissions": {"default": "allow"}}
}}"#;

/// Storage in memory that rejects writes of one rule.
#[derive(Default)]
struct TestStorage(MemoryStorage);

impl AgentStorage for TestStorage {
    fn keys(&self) -> Result<Vec<String>, AgentStorageError> {
        self.0.keys()
    }

    fn read(&self, key: &str) -> Result<(AgentFiles, Digest), AgentStorageError> {
        self.0.read(key)
    }

    fn replace(
        &self,
        key: &str,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Digest, AgentStorageError> {
        let is_locked = |content: &Option<Vec<u8>>| {
            content.as_deref().is_some_and(|content| String::from_utf8_lossy(content).contains("locked"))
        };
        match changes.iter().any(|(path, content)| path.contains("locked") || is_locked(content)) {
            true => Err(AgentStorageError::Unavailable("the disk is full".to_owned())),
            false => self.0.replace(key, expected, changes),
        }
    }

    fn create(&self, key: &str, files: &AgentFiles) -> Result<Digest, AgentStorageError> {
        self.0.create(key, files)
    }

    fn remove(&self, key: &str) -> Result<(), AgentStorageError> {
        self.0.remove(key)
    }
}

/// One agent with editable rules, and its session.
struct World {
    agents: Arc<DirectoryAgents>,
    session: Mutex<SessionItems>,
}

impl World {
    async fn new() -> Arc<Self> {
        let agents = DirectoryAgents::open_with(&[], vec![Arc::new(TestStorage::default())], None);
        let files = [("agent.yaml", AGENT), ("prompt.md", "You are a test."), ("mcp.json", SERVERS)];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        agents.create_agent(files.into(), AgentPersistence::Temporary).await.unwrap();
        Arc::new(Self { agents: Arc::new(agents), session: Mutex::default() })
    }

    /// Names, texts and priorities of the rules.
    fn rules(&self) -> Vec<(String, String, u16)> {
        let agent = self.agents.agent(&"tester".into()).unwrap();
        let rules = agent.knowledge.rules.iter();
        rules.map(|rule| (rule.name.clone(), rule.text.clone(), rule.priority)).collect()
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
    let servers = McpServers::new(world.agents.clone(), connectors, HostSettings::default());
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
    let world = World::new().await;
    let connect = InternalConnector::with_repository(world.agents.clone(), world.agents.clone());
    let toolbox = toolbox(&world, connect);
    let before = world.rules();
    let rules = |task, name, arguments| call(&toolbox, task, "rules", name, arguments);
    let told = |words: &str| (false, json!(words));

    let created = rules(None, "createRule", json!({"name": "pier", "text": "Closed.", "priorityLevel": 7.0})).await;
    assert!(!created.0, "{created:?}");
    let pier = ("pier".to_owned(), "Closed.".to_owned(), 7);
    let created = world.rules();
    assert_eq!(created.iter().filter(|rule| !before.contains(rule)).collect::<Vec<_>>(), [&pier]);

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
        ("rules", "getRule", json!({"name": "x"}), "there is no rule 'x'; there are: pier, gulls, tides"),
        ("rules", "createRule", json!({"name": "x", "text": "y", "weight": 1}), "unknown field `weight`"),
        ("rules", "createRule", json!({"name": "pier", "text": "y"}), "was not replaced; change it with updateRule"),
        ("rules", "createRule", json!({"name": "locked", "text": "y"}), " cannot be written: the disk is full"),
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
    assert_eq!(world.rules(), created, "rejected calls change nothing");
}

#[tokio::test]
async fn definition_in_a_program_is_readable_but_not_editable() {
    let world = World::new().await;
    let toolbox = toolbox(&world, InternalConnector::new(world.agents.clone()));
    let offered = toolbox.available_tools(&agent("tester", Vec::new()), Duration::from_secs(60)).await;
    assert!(offered.iter().any(|tool| tool.name == "rules__createRule"));
    let (is_error, said) = call(&toolbox, Some("t"), "rules", "deleteRule", json!({"name": "gulls"})).await;
    let expect = format!("{}: the definition of 'tester' is part of a program", error_codes::AGENT_NOT_CHANGED.code);
    assert!(is_error && said.as_str().unwrap().starts_with(&expect), "{said}");
    assert_eq!(
        call(&toolbox, None, "rules", "getRule", json!({"name": "gulls"})).await.1["text"],
        "Gulls steal chips."
    );
    let statuses = toolbox.servers(&AgentName::from("tester"));
    assert!(statuses[2].reason.as_deref().unwrap().contains("no internal server 'supervision' yet"), "{statuses:?}");
}
