//! Isolation of principals: a resource of another principal looks exactly like a missing one, in every operation,
//! binding and dialect.

use super::{
    response_text::response_text,
    server::{TestServer, bearer, principal, token, wait_until_idle},
};
use crate::bindings::{Binding, Headers, Op, ask, headers, open, raw};
use baton_ports::{ChatMessage, Journal as _, OutboxEntry, StoredEvent, StreamHead, StreamQuery};
use baton_types::{HandoffEvent, JournalEvent, StreamId};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

pub(super) const CONTEXT: &str = "context-1";
pub(super) const PUSH: &str = "push-1";
const KEY: &str = "key-1";
/// Text that only the owner may read.
const SECRET: &str = "the secret of the owner";

fn owner() -> String {
    token("acme", "ann", "call")
}

/// Principals other than the owner, with various scopes.
fn other_principals() -> [String; 3] {
    [token("acme", "bob", "call"), token("other", "ann", "call"), token("acme", "root", "admin")]
}

/// Resources of the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnedResources {
    /// One task each that is working, waiting for input and completed, and one with a handoff.
    pub(super) tasks: Vec<String>,
    pub(super) handoff: String,
}

fn send_params(text: &str) -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

fn first_message() -> Value {
    let mut params = send_params("hang");
    params["message"]["contextId"] = CONTEXT.into();
    params["configuration"] = json!({
        "returnImmediately": true,
        "taskPushNotificationConfig": {"id": PUSH, "url": "https://example.com/hook"},
    });
    params
}

pub(super) async fn create_resources(server: &TestServer) -> OwnedResources {
    let authorization = bearer(&owner());
    let known: Headers<'_> = &[("authorization", &authorization), ("idempotency-key", KEY)];
    let mut tasks = Vec::new();
    for (text, headers) in [("hang", known), ("ask", &known[..1]), (SECRET, &known[..1]), ("hand over", &known[..1])] {
        let mut params = if text == "hang" { first_message() } else { send_params(text) };
        params["message"]["contextId"] = CONTEXT.into();
        let sent = ask(&server.app, Binding::JsonRpc, Op::Send, &params, headers).await.unwrap();
        tasks.push(sent.task()["id"].as_str().unwrap().to_owned());
        wait_until_idle().await;
    }
    let events = server.journal.tail(0, 1000).await.unwrap();
    let handoff = events.iter().find_map(|event| match &event.fact {
        JournalEvent::Handoff(HandoffEvent::Created(handoff)) => Some(handoff.id.to_string()),
        _ => None,
    });
    OwnedResources { tasks, handoff: handoff.unwrap() }
}

/// Journal content of the owner.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    heads: Vec<StreamHead>,
    events: Vec<Arc<StoredEvent>>,
    outbox: Vec<OutboxEntry>,
}

async fn record(server: &TestServer, owned: &OwnedResources) -> Record {
    let owner = principal(&owner()).unwrap();
    let heads = server.journal.list(&owner, &StreamQuery::tasks(1000)).await.unwrap().heads;
    let mut streams: BTreeSet<StreamId> = heads.iter().map(|head| head.stream.clone()).collect();
    let mut outbox = Vec::new();
    for head in &heads {
        outbox.extend(server.journal.outbox("push", &head.stream).await.unwrap());
    }
    let mut events = server.journal.tail(0, 100_000).await.unwrap();
    streams.insert(StreamId::Handoff(owned.handoff.as_str().into()));
    events.retain(|event| streams.contains(&event.stream));
    Record { heads, events, outbox }
}

/// A missing id of the same length, because gRPC frames contain byte counts.
fn missing_id(id: &str) -> String {
    let (_, rest) = id.split_at(2);
    format!("no{rest}")
}

/// One request with ids of the owner or with missing ids.
struct Attempt {
    name: String,
    request: AttemptRequest,
    headers: Vec<(&'static str, String)>,
    /// Error code for a missing resource; `None` if the request succeeds.
    refused: Option<&'static str>,
}

enum AttemptRequest {
    Operation(Op, Value),
    ContextCore(&'static str, Value),
    Get(String),
}

fn attempts(binding: Option<Binding>, task: &str, context: &str, handoff: &str) -> Vec<Attempt> {
    let missing = Some("BTN-2003");
    let attempt =
        |name: &str, request, refused| Attempt { name: name.to_owned(), request, headers: Vec::new(), refused };
    let addressed = |params: &mut Value| params["message"]["taskId"] = task.into();
    if binding.is_none() {
        let request = json!({"role": "user", "messageId": "m", "parts": [{"type": "text", "text": "stranger"}]});
        let get = |path: String| AttemptRequest::Get(path);
        return vec![
            attempt("tasks.list", AttemptRequest::ContextCore("tasks.list", json!({"contextId": context})), None),
            attempt("tasks.get", AttemptRequest::ContextCore("tasks.get", json!({"taskId": task})), missing),
            attempt("tasks.cancel", AttemptRequest::ContextCore("tasks.cancel", json!({"taskId": task})), missing),
            attempt(
                "message.send to the task",
                AttemptRequest::ContextCore("message.send", json!({"message": request, "taskId": task})),
                missing,
            ),
            attempt(
                "message.send in the context",
                AttemptRequest::ContextCore("message.send", json!({"message": request, "contextId": context})),
                None,
            ),
            attempt("api task", get(format!("/api/v1/tasks/{task}")), missing),
            attempt("api events", get(format!("/api/v1/tasks/{task}/events?after=0")), missing),
            attempt("api handoff", get(format!("/api/v1/handoffs/{handoff}")), Some("BTN-2010")),
        ];
    }
    let mut all = Vec::new();
    for params in [json!({}), json!({"contextId": context}), json!({"status": "TASK_STATE_WORKING"})] {
        all.push(attempt(&format!("list {params}"), AttemptRequest::Operation(Op::List, params), None));
    }
    let named = json!({"taskId": task, "id": PUSH});
    let hook = json!({"taskId": task, "id": PUSH, "url": "https://example.com/mine"});
    for (op, params) in [
        (Op::Get, json!({"id": task})),
        (Op::Subscribe, json!({"id": task})),
        (Op::GetPush, named.clone()),
        (Op::ListPush, json!({"taskId": task})),
        (Op::CreatePush, hook),
        (Op::DeletePush, named),
        (Op::Cancel, json!({"id": task})),
    ] {
        all.push(attempt(&format!("{op:?}"), AttemptRequest::Operation(op, params), missing));
    }
    let mut resumed =
        attempt("subscribe after an event", AttemptRequest::Operation(Op::Subscribe, json!({"id": task})), missing);
    resumed.headers.push(("last-event-id", "1".to_owned()));
    all.push(resumed);
    for op in [Op::Send, Op::Stream] {
        let mut to_task = send_params("stranger");
        addressed(&mut to_task);
        let mut placed = to_task.clone();
        placed["message"]["contextId"] = context.into();
        let mut pushed = to_task.clone();
        pushed["configuration"] = json!({"taskPushNotificationConfig": {"url": "https://example.com/mine"}});
        for (name, params) in [("to the task", to_task), ("in its context", placed), ("with a receiver", pushed)] {
            all.push(attempt(&format!("{op:?} {name}"), AttemptRequest::Operation(op, params), missing));
        }
        let mut within = send_params("stranger");
        within["message"]["contextId"] = context.into();
        let mut referring = send_params("stranger");
        referring["message"]["referenceTaskIds"] = json!([task]);
        for (name, params) in [("in the context", within), ("referring to the task", referring)] {
            all.push(attempt(&format!("{op:?} {name}"), AttemptRequest::Operation(op, params), None));
        }
    }
    all
}

async fn try_out(
    server: &TestServer,
    binding: Option<Binding>,
    attempt: &Attempt,
    authorization: &str,
) -> Option<String> {
    let mut pairs = vec![("authorization", authorization)];
    pairs.extend(attempt.headers.iter().map(|(name, value)| (*name, value.as_str())));
    let response = match (&attempt.request, binding) {
        (AttemptRequest::Operation(op, params), Some(binding)) => {
            open(&server.app, binding, *op, params, &grpc(binding, &pairs)).await?
        }
        (AttemptRequest::ContextCore(method, params), _) => {
            pairs.push(("content-type", "application/json"));
            let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
            raw(&server.app, "POST", "/agents/weather", headers(&pairs), body).await
        }
        (AttemptRequest::Get(path), _) => raw(&server.app, "GET", path, headers(&pairs), "").await,
        (AttemptRequest::Operation(..), None) => return None,
    };
    let text = response_text(response).await;
    wait_until_idle().await;
    Some(text)
}

/// Adds the agent's name to gRPC metadata, because the server has several agents.
fn grpc<'a>(binding: Binding, pairs: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut pairs = pairs.to_vec();
    if binding.is_grpc() {
        pairs.push(("baton-agent", "weather"));
    }
    pairs
}

/// Two identical servers, down to their ids: one gets requests for the owner's resources, the other for missing ones.
/// The replies must be identical, byte for byte, except for the requested ids.
async fn compare(binding: Option<Binding>, stranger: &str) {
    let (foreign, missing) = (TestServer::new(), TestServer::new());
    let (owned, same) = (create_resources(&foreign).await, create_resources(&missing).await);
    assert_eq!(owned, same);
    let before = record(&foreign, &owned).await;
    assert_eq!((before.heads.len(), before.outbox.len()), (5, 1), "{before:?}");
    foreign.model_calls.lock().unwrap().clear();
    let authorization = bearer(stranger);
    let nothing = (missing_id(CONTEXT), missing_id(&owned.handoff));
    let mut tried = 0;
    for task in &owned.tasks {
        let there = attempts(binding, task, CONTEXT, &owned.handoff);
        let not_there = attempts(binding, &missing_id(task), &nothing.0, &nothing.1);
        for (there, not_there) in there.iter().zip(&not_there) {
            let place = format!("{} {binding:?} {stranger} {task}", there.name);
            let seen = try_out(&foreign, binding, there, &authorization).await;
            let expect = try_out(&missing, binding, not_there, &authorization).await;
            let (Some(seen), Some(expect)) = (seen, expect) else { continue };
            let expect = owned.tasks.iter().fold(expect, |text, task| text.replace(&missing_id(task), task));
            let expect = expect.replace(&nothing.0, CONTEXT).replace(&nothing.1, &owned.handoff);
            assert_eq!(seen, expect, "{place}");
            assert_eq!(seen.contains("BTN-"), there.refused.is_some(), "{place}: {seen}");
            assert!(there.refused.is_none_or(|code| seen.contains(code)), "{place}: {seen}");
            assert!(!seen.contains(SECRET), "{place}: {seen}");
            // Lists are empty until the other principal has tasks.
            let lists = there.name.to_lowercase().contains("list") && there.refused.is_none();
            assert!(task != &owned.tasks[0] || !lists || !seen.contains("id-"), "{place}: {seen}");
            tried += 1;
        }
    }
    assert!(tried >= 4 * 8, "{tried}");
    same_key(binding, &foreign, &missing, &authorization).await;
    assert_eq!(record(&foreign, &owned).await, before, "{binding:?} {stranger}");
    let model_calls = std::mem::take(&mut *foreign.model_calls.lock().unwrap());
    assert!(!model_calls.is_empty());
    assert!(!format!("{model_calls:?}").contains(SECRET), "{model_calls:?}");
}

/// Idempotency keys are scoped to their principal: the owner's key creates a new task for another principal.
async fn same_key(binding: Option<Binding>, foreign: &TestServer, missing: &TestServer, authorization: &str) {
    let Some(binding) = binding else { return };
    // The owner would get its own task for this message and key.
    for (params, key) in [(first_message(), KEY), (send_params("another"), "key-2")] {
        let mut replies = Vec::new();
        for (server, key) in [(foreign, key), (missing, missing_id(key).as_str())] {
            let pairs = [("authorization", authorization), ("idempotency-key", key)];
            let sent = open(&server.app, binding, Op::Send, &params, &grpc(binding, &pairs)).await.unwrap();
            replies.push(response_text(sent).await);
            wait_until_idle().await;
        }
        assert_eq!(replies[0], replies[1]);
        assert!(!replies[0].contains("BTN-"), "{}", replies[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn other_principals_see_nothing_of_the_owner() {
    for stranger in other_principals() {
        for binding in Binding::ALL.into_iter().map(Some).chain([None]) {
            compare(binding, &stranger).await;
        }
    }
}

/// Guards against a server that rejects every request: the owner can read all of its resources.
#[tokio::test(start_paused = true)]
async fn owner_can_read_all_own_resources() {
    let server = TestServer::new();
    let owned = create_resources(&server).await;
    let authorization = bearer(&owner());
    for binding in Binding::ALL.into_iter().map(Some).chain([None]) {
        for attempt in attempts(binding, &owned.tasks[2], CONTEXT, &owned.handoff) {
            let reads = match &attempt.request {
                AttemptRequest::Operation(op, _) => matches!(op, Op::Get | Op::List | Op::ListPush),
                AttemptRequest::ContextCore(method, _) => matches!(*method, "tasks.get" | "tasks.list"),
                AttemptRequest::Get(_) => true,
            };
            if !reads {
                continue;
            }
            if let Some(seen) = try_out(&server, binding, &attempt, &authorization).await {
                assert!(!seen.contains("BTN-"), "{} {binding:?}: {seen}", attempt.name);
            }
        }
    }
    // Another token of the same subject continues the owner's context, with its history.
    server.model_calls.lock().unwrap().clear();
    let mut params = send_params("what was it?");
    params["message"]["contextId"] = CONTEXT.into();
    let again = bearer(&token("acme", "ann", "call/weather"));
    ask(&server.app, Binding::JsonRpc, Op::Send, &params, &[("authorization", &again)]).await.unwrap().task();
    let model_calls = server.model_calls.lock().unwrap().clone();
    let reminded = |message: &ChatMessage| matches!(message, ChatMessage::User { text, .. } if text == SECRET);
    assert!(model_calls[0].messages.iter().any(reminded), "{model_calls:?}");
}
