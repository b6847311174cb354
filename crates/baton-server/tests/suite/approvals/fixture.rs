//! Agents that require approval, ask questions and hand off; every tool run is recorded.

use crate::{
    bindings::{headers, raw},
    world::configured,
    world::{DiscardingWebhooks, SequentialIds, StaticAgents, TickingClock, agent, message, options},
};
use async_stream::stream;
use axum::Router;
use baton_client::{Client, SendRequest};
use baton_engine::{Engine, EngineOptions, Ports};
use baton_http::AccessOptions;
use baton_journal::MemoryJournal;
use baton_ports::{
    AuthenticatedCaller, Authenticator, BoxFuture, ChatMessage, FinishReason, Model, ModelCall, ModelError, ModelEvent,
    ModelResolver, ModelStream, PeerGateway, TokenRejection, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_server::app;
use baton_types::{
    AgentSpec, HandoffTarget, Json, ModelSpec, Permission, Principal, QuestionKind, ToolCall, ToolInputRequest,
    ToolQuestion, ToolSpec, Usage,
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

pub(super) struct ApprovalFixture {
    pub(super) app: Router,
    pub(super) ran: Arc<Mutex<Vec<String>>>,
}

impl ApprovalFixture {
    pub(super) fn new() -> Self {
        Self::with(Arc::new(baton_engine::NoPeers))
    }

    pub(super) fn with(peers: Arc<dyn PeerGateway>) -> Self {
        let ran = Arc::<Mutex<Vec<String>>>::default();
        let mut clerk = agent("clerk");
        let guarded = ToolSpec { name: "pay".to_owned(), permission: Permission::Ask, ..clerk.tools[0].clone() };
        let order = ToolSpec { name: "order".to_owned(), ..clerk.tools[0].clone() };
        clerk.tools = vec![guarded, order];
        let mut boss = agent("boss");
        boss.enable_handoff = true;
        boss.handoffs = vec![HandoffTarget { agent: "clerk".into(), description: String::new(), url: None }];
        let mut abroad = agent("abroad");
        abroad.model = ModelSpec::Peer { url: "https://abroad.example.com".to_owned(), listed: false };
        let ports = Ports {
            journal: Arc::new(MemoryJournal::default()),
            models: Arc::new(ToolCallModel),
            tools: Arc::new(RecordingToolHost(Arc::clone(&ran))),
            agents: Arc::new(StaticAgents([clerk, boss, abroad].into_iter().map(Arc::new).collect())),
            peers,
            webhooks: Arc::new(DiscardingWebhooks),
            watch: None,
            clock: Arc::new(TickingClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        let access = AccessOptions { identity: Some(Arc::new(NameAuthenticator)), ..AccessOptions::default() };
        let options = configured(options(), |options| {
            options.http.access = access;
        });
        Self { app: app(Engine::new(EngineOptions::default(), ports), options), ran }
    }

    pub(super) fn client(&self, who: &str) -> Client {
        Client::in_memory(self.app.clone()).with_token(who).unwrap()
    }

    /// Sends a message as `ann` in a new conversation; returns the task id once the task is idle.
    pub(super) async fn send(&self, agent: &str, text: &str) -> String {
        self.client("ann").send(agent, SendRequest::new(message(text))).await.unwrap().id.into_owned()
    }

    pub(super) async fn request(&self, who: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
        let bearer = format!("Bearer {who}");
        let given = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        let response = raw(&self.app, method, path, headers(&given), body.to_owned()).await;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    /// Sends a request; returns request and reply on two lines.
    pub(super) async fn describe(&self, who: &str, method: &str, path: &str, body: &str) -> String {
        let (status, reply) = self.request(who, method, path, body).await;
        let told = match reply.get("error") {
            Some(error) => {
                let detail = &error["details"][0]["metadata"]["batonCode"];
                format!("{} {}", detail.as_str().unwrap(), error["message"].as_str().unwrap())
            }
            None => reply.to_string(),
        };
        format!("{who} {method} {path} {body}\n  {status} {told}\n")
    }

    /// Agent, state and last message of a task.
    pub(super) async fn task_state(&self, task: &str) -> String {
        wait_until_idle().await;
        let entry = self.client("ann").task(task).await.unwrap();
        let said = entry.task.status.message.as_ref().and_then(|message| message.parts.first()?.text.clone());
        let state = entry.task.status.state.to_task_state().unwrap().as_str();
        format!("{} is {state}: {}", entry.agent, said.unwrap_or_default())
    }

    pub(super) fn ran(&self) -> Vec<String> {
        std::mem::take(&mut *self.ran.lock().unwrap())
    }
}

/// Snapshot settings that replace ids and times.
pub(super) fn snapshot(check: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.add_filter(r"\bid-\d+\b", "[id]");
    settings.add_filter(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "[time]");
    settings.bind(check);
}

/// Waits until all pending work is done: paused time advances only when every task is idle.
pub(super) async fn wait_until_idle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// A token is `name` or `name.scope`, with `/` in place of `:`; the default scope is `call`.
struct NameAuthenticator;

impl Authenticator for NameAuthenticator {
    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<AuthenticatedCaller, TokenRejection>> {
        let (name, scope) = bearer.split_once('.').unwrap_or((bearer, "call"));
        let scopes = std::iter::once(scope.replace('/', ":").into()).collect();
        let principal = Principal { tenant: "acme".into(), subject: name.into(), scopes };
        Box::pin(std::future::ready(Ok(AuthenticatedCaller {
            principal: Arc::new(principal),
            credential: name.into(),
        })))
    }

    fn issuers(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Calls the tools that the message selects and repeats their output.
struct ToolCallModel;

impl ModelResolver for ToolCallModel {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(Self))
    }
}

impl Model for ToolCallModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let last = call.messages.last().cloned();
        Box::pin(stream! {
            let calls = match &last {
                Some(ChatMessage::User { text, .. }) => match text.as_str() {
                    "pay" => vec![("pay", json!({"amount": 42.0}))],
                    "pay twice" => vec![("pay", json!({"amount": 1})), ("order", json!({"now": true})), ("pay", json!({"amount": 2}))],
                    "form" | "both" | "visit" => vec![("order", json!({"want": text}))],
                    "ask" => vec![("ask_user", json!({"question": "Which day?"}))],
                    "let pay" | "let ask" => {
                        vec![("handoff", json!({"agent_uri": "clerk", "message": text.trim_start_matches("let ")}))]
                    }
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            let finish = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
            for (index, (name, arguments)) in calls.into_iter().enumerate() {
                let id = format!("call-{}", index + 1).into();
                yield Ok(ModelEvent::ToolCall(ToolCall { id, name: name.to_owned(), arguments: arguments.into() }));
            }
            if finish == FinishReason::Stop {
                let text = match last {
                    Some(ChatMessage::Tool { output, .. }) => output.to_plain_text(),
                    Some(ChatMessage::User { text, .. }) => text,
                    _ => "?".to_owned(),
                };
                yield Ok(ModelEvent::Text(text));
            }
            yield Ok(ModelEvent::Done { usage: Usage::default(), finish, answered_by: None });
        })
    }
}

/// Records tool runs; `order` asks questions first.
struct RecordingToolHost(Arc<Mutex<Vec<String>>>);

fn form() -> ToolQuestion {
    let schema = json!({"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]});
    let wants = QuestionKind::Form { schema: schema.into() };
    ToolQuestion { key: "size".to_owned(), message: "Which size?".to_owned(), wants }
}

fn visit() -> ToolQuestion {
    let wants = QuestionKind::Visit { url: "https://shop.example.com/login".to_owned() };
    ToolQuestion { key: "login".to_owned(), message: "Please log in".to_owned(), wants }
}

impl ToolHost for RecordingToolHost {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let want = run.call.arguments.to_value()["want"].as_str().unwrap_or_default().to_owned();
            let questions = match (want.as_str(), run.answers) {
                ("form", None) => vec![form()],
                ("visit", None) => vec![visit()],
                ("both", None) => vec![form(), visit()],
                _ => Vec::new(),
            };
            if !questions.is_empty() {
                return ToolOutcome::InputRequired(ToolInputRequest { questions, state: None });
            }
            let answers = run.answers.map(|answers| Json::from_serializable(&answers.answers).unwrap());
            let answers = answers.map(|answers| format!(" answered {}", answers.as_str())).unwrap_or_default();
            let did = format!("{} {}{answers}", run.tool.name, run.call.arguments.as_str());
            self.0.lock().unwrap().push(did.clone());
            ToolOutcome::Done(ToolOutput { output: Json::string(&did), is_error: false })
        })
    }
}
