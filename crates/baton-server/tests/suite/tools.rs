//! An agent's tools over HTTP: lists, calls and questions.

use crate::{
    bindings::{headers, raw},
    permission_cases::{CallOutcome, permission_cases},
    world::configured,
    world::{
        DiscardingWebhooks, ScriptedModel, SequentialIds, StaticAgents, TickingClock, WeatherTools, agent, options,
    },
};
use axum::Router;
use baton_api::{AnswerEntry, AnswerTool, ToolReply};
use baton_client::Client;
use baton_engine::{Engine, EngineOptions, Ports};
use baton_http_api::ToolPorts;
use baton_journal::MemoryJournal;
use baton_ports::{
    BoxFuture, SamplingRequest, ServerState, ServerStatus, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_server::app;
use baton_types::{
    AgentName, AgentSpec, AnswerAction, ArgumentMatch, Effects, Json, McpTool, Permission, PermissionRule,
    QuestionKind, ToolInputRequest, ToolPolicy, ToolQuestion, ToolRunner, ToolSpec,
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
    time::Duration,
};

/// Tools of an MCP server in addition to those of the definition; the name of a tool selects its behavior.
#[derive(Default)]
struct FakeToolHost {
    waited: Mutex<Vec<Duration>>,
    seen: Mutex<Vec<String>>,
}

fn of_server(tool: &str, permission: Permission) -> ToolSpec {
    ToolSpec {
        name: format!("shop__{tool}"),
        description: format!("Does {tool}"),
        parameters: json!({"type": "object"}).into(),
        effects: Effects::Unknown,
        runner: ToolRunner::Mcp(McpTool { server: "shop".to_owned(), tool: tool.to_owned() }),
        output: (tool == "echo").then(|| json!({"type": "object"}).into()),
        permission,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

fn question(key: &str) -> ToolQuestion {
    let schema = json!({"type": "object", "properties": {"size": {"type": "integer"}}}).into();
    ToolQuestion { key: key.to_owned(), message: "Which size?".to_owned(), wants: QuestionKind::Form { schema } }
}

impl ToolHost for FakeToolHost {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let done = |output: Json, is_error| ToolOutcome::Done(ToolOutput { output, is_error });
            let by = format!("{} for {}, trace {:?}", run.tool.name, run.principal.subject, run.trace);
            self.seen.lock().unwrap().push(by);
            match (run.tool.name.as_str(), run.answers) {
                ("shop__echo", _) => done(run.call.arguments.clone(), false),
                ("shop__break", _) => done(Json::string("it broke"), true),
                ("shop__write", _) => {
                    let ask = SamplingRequest::default();
                    done(Json::string(&run.helper.sample(ask).await.unwrap_err()), true)
                }
                ("shop__order" | "shop__buy", None) => {
                    let visit = ToolQuestion {
                        key: "login".to_owned(),
                        message: "Please log in".to_owned(),
                        wants: QuestionKind::Visit { url: "https://shop.example.com/login".to_owned() },
                    };
                    ToolOutcome::InputRequired(ToolInputRequest {
                        questions: vec![question("size"), visit],
                        state: Some("s:1".to_owned()),
                    })
                }
                ("shop__order" | "shop__buy", Some(answers)) => done(Json::from_serializable(answers).unwrap(), false),
                _ => done(Json::string("72°F, sunny"), false),
            }
        })
    }

    fn available_tools<'a>(&'a self, _: &'a AgentSpec, timeout: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        self.waited.lock().unwrap().push(timeout);
        let allowed = ["break", "echo", "order", "write"].map(|tool| of_server(tool, Permission::Allow));
        let offered = allowed.into_iter().chain([of_server("buy", Permission::Ask)]).collect();
        Box::pin(std::future::ready(offered))
    }

    fn servers(&self, _: &AgentName) -> Vec<ServerStatus> {
        let status = |name: &str, state| ServerStatus {
            name: name.to_owned(),
            transport: "stdio".to_owned(),
            state,
            protocol: None,
            tools: 0,
            reason: None,
            hint: None,
            log: Vec::new(),
        };
        let ready =
            ServerStatus { protocol: Some("2026-07-28".to_owned()), tools: 5, ..status("shop", ServerState::Ready) };
        let failed = ServerStatus {
            reason: Some("it exited with status 1".to_owned()),
            hint: Some("Install it".to_owned()),
            log: vec!["no such module".to_owned()],
            ..status("broken", ServerState::Failed)
        };
        vec![ready, failed]
    }
}

struct World {
    app: Router,
    client: Client,
    host: Arc<FakeToolHost>,
}

fn world() -> World {
    world_with(ToolPolicy::default())
}

fn world_with(policy: ToolPolicy) -> World {
    world_of(AgentSpec { policy, ..agent("weather") })
}

fn world_of(mut weather: AgentSpec) -> World {
    let host = Arc::new(FakeToolHost::default());
    let denied = ToolSpec { name: "forbidden".to_owned(), permission: Permission::Deny, ..weather.tools[0].clone() };
    weather.tools.push(denied);
    let ports = Ports {
        journal: Arc::new(MemoryJournal::default()),
        models: Arc::new(ScriptedModel),
        tools: Arc::new(WeatherTools),
        agents: Arc::new(StaticAgents(vec![Arc::new(weather)])),
        peers: Arc::new(baton_engine::NoPeers),
        webhooks: Arc::new(DiscardingWebhooks),
        watch: None,
        clock: Arc::new(TickingClock::default()),
        ids: Arc::new(SequentialIds::default()),
    };
    let tools = Some(ToolPorts { host: Arc::<FakeToolHost>::clone(&host) });
    let app = app(
        Engine::new(EngineOptions::default(), ports),
        configured(options(), |options| {
            options.api.tools = tools;
        }),
    );
    World { client: Client::in_memory(app.clone()), app, host }
}

async fn request(app: &Router, method: &str, path: &str, given: &[(&str, &str)], body: &str) -> (u16, String) {
    let response = raw(app, method, path, headers(given), body.to_owned()).await;
    let status = response.status().as_u16();
    (status, String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap())
}

const JSON: (&str, &str) = ("content-type", "application/json");
const TOOLS: &str = "/api/v1/agents/weather/tools";

fn answer(key: &str, action: AnswerAction, content: Option<Value>) -> AnswerEntry {
    AnswerEntry { key: key.to_owned(), action, content: content.map(Json::from) }
}

#[tokio::test]
async fn tools_and_servers_are_listed() {
    let world = world();
    let (status, list) = request(&world.app, "GET", &format!("{TOOLS}?wait=1s"), &[], "").await;
    assert_eq!(status, 200);
    insta::assert_snapshot!(format!("{:#}", serde_json::from_str::<Value>(&list).unwrap()));
    let typed = world.client.tools("weather", Duration::from_secs(3600)).await.unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), serde_json::from_str::<Value>(&list).unwrap());
    assert_eq!(request(&world.app, "GET", TOOLS, &[], "").await.0, 200);
    let waited = std::mem::take(&mut *world.host.waited.lock().unwrap());
    // Each list reads the tools a second time, after the states of the servers are known.
    assert_eq!(waited, [1, 0, 30, 0, 0, 0].map(Duration::from_secs));
}

/// Numbers are unchanged, tool failures are results, and the call has the caller's principal.
#[tokio::test]
async fn call_returns_the_tool_output() {
    let world = world();
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let given = [JSON, ("traceparent", trace)];
    let exact = r#"{"a":42.0,"b":123456789012345678901234567890,"arguments":{"x":1}}"#;
    let (status, reply) = request(&world.app, "POST", &format!("{TOOLS}/shop__echo"), &given, exact).await;
    assert_eq!((status, reply), (200, format!(r#"{{"output":{exact},"isError":false}}"#)));
    let seen = world.host.seen.lock().unwrap().pop();
    assert_eq!(seen, Some(format!("shop__echo for local, trace Some({trace:?})")));
    for (tool, body, given, expect) in [
        ("shop__echo", "", &[][..], r#"{"output":{},"isError":false}"#),
        ("shop__break", "{}", &[JSON], r#"{"output":"it broke","isError":true}"#),
        ("get_weather", "{}", &[JSON], r#"{"output":"72°F, sunny","isError":false}"#),
        (
            "shop__write",
            "{}",
            &[JSON],
            r#"{"output":"the tool requests model sampling, which is available only in a run of the agent or to an MCP client","isError":true}"#,
        ),
    ] {
        let (status, reply) = request(&world.app, "POST", &format!("{TOOLS}/{tool}"), given, body).await;
        assert_eq!((status, reply.as_str()), (200, expect), "{tool}");
    }
}

#[tokio::test]
async fn mistakes_are_named() {
    let world = world();
    let mut seen = String::new();
    for (method, path, given, body) in [
        ("GET", format!("{TOOLS}?wait=soon"), &[][..], ""),
        ("GET", "/api/v1/agents/nobody/tools".to_owned(), &[], ""),
        ("POST", format!("{TOOLS}/get_wether"), &[JSON], "{}"),
        ("POST", format!("{TOOLS}/launch"), &[JSON], "{}"),
        ("POST", format!("{TOOLS}/ask_user"), &[JSON], "{}"),
        ("POST", format!("{TOOLS}/forbidden"), &[JSON], "{}"),
        ("POST", format!("{TOOLS}/get_weather"), &[JSON], "[1]"),
        ("POST", format!("{TOOLS}/get_weather"), &[JSON], "{"),
        ("POST", format!("{TOOLS}/get_weather"), &[("content-type", "text/plain")], "{}"),
        ("POST", format!("{TOOLS}/get_weather/answers"), &[JSON], r#"{"arguments":{}}"#),
        ("POST", format!("{TOOLS}/get_weather/answers"), &[JSON], r#"{"answers":[{"key":"a","action":"maybe"}]}"#),
        ("POST", format!("{TOOLS}/get_weather/answers"), &[JSON], r#"{"answers":[],"state":"made up"}"#),
        ("POST", format!("{TOOLS}/get_weather/answers"), &[JSON], r#"{"answers":[],"arguments":[]}"#),
    ] {
        let (status, reply) = request(&world.app, method, &path, given, body).await;
        let code = reply.find("BTN-").map_or("-", |at| &reply[at..at + 8]);
        let message = serde_json::from_str::<Value>(&reply).unwrap()["error"]["message"].take();
        writeln!(seen, "{method} {path} {body}\n  {status} {code} {}", message.as_str().unwrap()).unwrap();
    }
    assert_eq!(*world.host.seen.lock().unwrap(), [""; 0], "no tool ran");
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn tool_with_questions_resumes_with_the_answers() {
    let world = world();
    let arguments = Json::from(json!({"item": "tea"}));
    let asked = world.client.call_tool("weather", "shop__order", &arguments).await.unwrap();
    insta::assert_snapshot!(format!("{:#}", serde_json::to_value(&asked).unwrap()));
    let answers = vec![
        answer("size", AnswerAction::Accept, Some(json!({"size": 42}))),
        answer("login", AnswerAction::Decline, None),
    ];
    let going_on = AnswerTool { arguments: Some(arguments), answers, state: asked.state };
    let done = world.client.answer_tool("weather", "shop__order", &going_on).await.unwrap();
    let received = r#"{"answers":[{"key":"size","action":"accept","content":{"size":42}},{"key":"login","action":"decline"}],"state":"s:1"}"#;
    assert_eq!(done.output.unwrap().as_str(), received);
}

/// Approval is requested first, stays valid through the tool's own questions, and is not passed to the tool.
#[tokio::test]
async fn a_tool_that_needs_approval_runs_only_with_it() {
    let world = world();
    let nothing = Json::from(json!({}));
    let asked = world.client.call_tool("weather", "shop__buy", &nothing).await.unwrap();
    let approval = &asked.questions[0];
    assert_eq!((asked.questions.len(), approval.key.as_str(), approval.approval), (1, "baton/approval", true));
    let go_on = |answers: Vec<AnswerEntry>, state: Option<String>| {
        let going_on = AnswerTool { arguments: None, answers, state };
        let client = world.client.clone();
        async move { client.answer_tool("weather", "shop__buy", &going_on).await }
    };

    for no in [AnswerAction::Decline, AnswerAction::Cancel] {
        let refused = go_on(vec![answer("baton/approval", no, None)], asked.state.clone()).await.unwrap_err();
        let refused = refused.refusal().unwrap();
        assert_eq!((refused.status, refused.baton_code.as_deref()), (403, Some("BTN-3012")));
    }
    let other = go_on(vec![answer("size", AnswerAction::Accept, None)], asked.state.clone()).await.unwrap();
    assert_eq!(other.questions, asked.questions, "other answers do not approve the call");
    assert_eq!(*world.host.seen.lock().unwrap(), [""; 0], "no tool ran");

    let yes = answer("baton/approval", AnswerAction::Accept, None);
    let asks = go_on(vec![yes.clone()], asked.state).await.unwrap();
    assert_eq!(asks.questions.iter().map(|ask| ask.key.as_str()).collect::<Vec<_>>(), ["size", "login"]);
    let done = go_on(vec![answer("size", AnswerAction::Accept, None)], asks.state).await.unwrap();
    let received = r#"{"answers":[{"key":"size","action":"accept"}],"state":"s:1"}"#;
    assert_eq!(
        done,
        ToolReply { output: Some(Json::parse(received).unwrap()), is_error: Some(false), ..ToolReply::default() }
    );

    let at_once = go_on(vec![yes], None).await.unwrap();
    assert_eq!(at_once.questions.len(), 2, "approval may be given in advance");
}

#[tokio::test]
async fn without_a_host_there_are_no_tools() {
    let app = crate::world::weather();
    let (status, reply) = request(&app, "GET", TOOLS, &[], "").await;
    assert_eq!(status, 400);
    assert!(reply.contains("BTN-1009"), "{reply}");
}

#[tokio::test]
async fn permission_rules_apply_to_api_calls() {
    let rule = |tool: &str, path: Option<&str>, permission| {
        let only = path.map(|path| ArgumentMatch { path: path.to_owned(), glob: "Mordor".to_owned() });
        PermissionRule { server: None, tool: tool.to_owned(), arguments: only.into_iter().collect(), permission }
    };
    let own = agent("weather").tools[0].name.clone();
    let rules = vec![
        rule("buy", None, Permission::Deny),
        rule(&own, Some("/location"), Permission::Deny),
        rule(&own, None, Permission::Ask),
    ];
    let world = world_with(ToolPolicy { rules, ..ToolPolicy::default() });
    let mordor = Json::from(json!({"location": "Mordor"}));
    for tool in ["shop__buy", own.as_str()] {
        let answers = vec![answer("baton/approval", AnswerAction::Accept, None)];
        let yes = AnswerTool { arguments: Some(mordor.clone()), answers, state: Some("approved".to_owned()) };
        let refusals = [
            world.client.call_tool("weather", tool, &mordor).await.unwrap_err(),
            world.client.answer_tool("weather", tool, &yes).await.unwrap_err(),
        ];
        for refused in refusals {
            assert_eq!(refused.refusal().unwrap().baton_code.as_deref(), Some("BTN-3012"), "{tool}");
        }
    }
    let asked = world.client.call_tool("weather", &own, &Json::from(json!({"location": "Oakland"}))).await.unwrap();
    assert!(asked.questions[0].approval, "{asked:?}");
    assert_eq!(*world.host.seen.lock().unwrap(), [""; 0], "no tool ran");
}

/// The same outcomes as in runs and over MCP.
#[tokio::test]
async fn permission_cases_have_their_outcome() {
    for case in permission_cases() {
        let mut weather = agent("weather");
        weather.policy = case.policy.clone();
        weather.tools[0] = case.tool(&weather.tools[0]);
        let world = world_of(weather);
        let tools = world.client.tools("weather", Duration::ZERO).await.unwrap().tools;
        assert_eq!(tools.iter().any(|tool| tool.name == "get_weather"), case.is_offered, "{}", case.name);
        let arguments = Json::from(json!({"path": case.path}));
        let mut called = world.client.call_tool("weather", "get_weather", &arguments).await;
        let CallOutcome { is_asked, refusal } = case.outcome;
        let questions = called.as_ref().map_or(0, |reply| reply.questions.len());
        assert_eq!(questions, usize::from(is_asked), "{}", case.name);
        if let (true, Ok(asked)) = (is_asked, &called) {
            assert_eq!(*world.host.seen.lock().unwrap(), [""; 0], "{}", case.name);
            let action = if case.is_approved { AnswerAction::Accept } else { AnswerAction::Decline };
            let answers = vec![answer("baton/approval", action, None)];
            let answered = AnswerTool { arguments: Some(arguments), answers, state: asked.state.clone() };
            called = world.client.answer_tool("weather", "get_weather", &answered).await;
        }
        assert_eq!(world.host.seen.lock().unwrap().is_empty(), refusal.is_some(), "{}", case.name);
        match (called, refusal) {
            (Ok(reply), None) => assert_eq!(reply.is_error, Some(false), "{}", case.name),
            (Err(error), Some(reason)) => {
                let refused = error.refusal().unwrap();
                assert_eq!((refused.status, refused.baton_code.as_deref()), (403, Some("BTN-3012")), "{}", case.name);
                let expect = format!("'get_weather' did not run, because {reason}");
                assert!(refused.message.starts_with(&expect), "{}: {}", case.name, refused.message);
            }
            (called, _) => panic!("{}: {called:?}", case.name),
        }
    }
}

/// A declined call does not run, even if it needs no approval any more.
#[tokio::test]
async fn declined_call_never_runs() {
    let answers = vec![answer("baton/approval", AnswerAction::Decline, None)];
    let no = AnswerTool { arguments: None, answers, state: Some("asked".to_owned()) };
    let world = world();
    let refused = world.client.answer_tool("weather", "get_weather", &no).await.unwrap_err();
    assert_eq!(refused.refusal().unwrap().baton_code.as_deref(), Some("BTN-3012"));
    assert_eq!(*world.host.seen.lock().unwrap(), [""; 0]);
}
