//! A stranger's token sees nothing: what belongs to somebody else looks exactly like what never was, in every
//! operation, binding and dialect.

use super::{
    house::{House, bearer, principal, settled, token},
    whole::whole,
};
use crate::speak::{Binding, Headers, Op, ask, headers, open, raw};
use baton_ports::{ChatMessage, Journal as _, OutboxEntry, StoredEvent, StreamHead, StreamQuery};
use baton_types::{HandoffEvent, JournalEvent, StreamId};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

pub(super) const CONTEXT: &str = "context-1";
pub(super) const PUSH: &str = "push-1";
const KEY: &str = "key-1";
/// What nobody but the owner may ever read.
const SECRET: &str = "the secret of the owner";

fn owner() -> String {
    token("acme", "ann", "call")
}

/// Those who have nothing to do with the owner's tasks, whatever else they may.
fn strangers() -> [String; 3] {
    [token("acme", "bob", "call"), token("other", "ann", "call"), token("acme", "root", "admin")]
}

/// What the owner has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owned {
    /// Working, asking, done, and one that handed work over.
    pub(super) tasks: Vec<String>,
    pub(super) handoff: String,
}

fn saying(text: &str) -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

fn first_message() -> Value {
    let mut params = saying("hang");
    params["message"]["contextId"] = CONTEXT.into();
    params["configuration"] = json!({
        "returnImmediately": true,
        "taskPushNotificationConfig": {"id": PUSH, "url": "https://example.com/hook"},
    });
    params
}

pub(super) async fn furnish(house: &House) -> Owned {
    let authorization = bearer(&owner());
    let known: Headers<'_> = &[("authorization", &authorization), ("idempotency-key", KEY)];
    let mut tasks = Vec::new();
    for (text, headers) in [("hang", known), ("ask", &known[..1]), (SECRET, &known[..1]), ("hand over", &known[..1])] {
        let mut params = if text == "hang" { first_message() } else { saying(text) };
        params["message"]["contextId"] = CONTEXT.into();
        let sent = ask(&house.app, Binding::JsonRpc, Op::Send, &params, headers).await.unwrap();
        tasks.push(sent.task()["id"].as_str().unwrap().to_owned());
        settled().await;
    }
    let events = house.journal.tail(0, 1000).await.unwrap();
    let handoff = events.iter().find_map(|event| match &event.fact {
        JournalEvent::Handoff(HandoffEvent::Created(handoff)) => Some(handoff.id.to_string()),
        _ => None,
    });
    Owned { tasks, handoff: handoff.unwrap() }
}

/// Everything that the journal has of the owner.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    heads: Vec<StreamHead>,
    events: Vec<Arc<StoredEvent>>,
    outbox: Vec<OutboxEntry>,
}

async fn record(house: &House, owned: &Owned) -> Record {
    let owner = principal(&owner()).unwrap();
    let heads = house.journal.list(&owner, &StreamQuery::tasks(1000)).await.unwrap().heads;
    let mut streams: BTreeSet<StreamId> = heads.iter().map(|head| head.stream.clone()).collect();
    let mut outbox = Vec::new();
    for head in &heads {
        outbox.extend(house.journal.outbox("push", &head.stream).await.unwrap());
    }
    let mut events = house.journal.tail(0, 100_000).await.unwrap();
    streams.insert(StreamId::Handoff(owned.handoff.as_str().into()));
    events.retain(|event| streams.contains(&event.stream));
    Record { heads, events, outbox }
}

/// An id of the same length that never was, because gRPC counts bytes.
fn never(id: &str) -> String {
    let (_, rest) = id.split_at(2);
    format!("no{rest}")
}

/// One thing to try, with ids that are the owner's or never were.
struct Attempt {
    name: String,
    said: Said,
    headers: Vec<(&'static str, String)>,
    /// The code that a missing thing is refused with; none when something is answered.
    refused: Option<&'static str>,
}

enum Said {
    Operation(Op, Value),
    ContextCore(&'static str, Value),
    Get(String),
}

fn attempts(binding: Option<Binding>, task: &str, context: &str, handoff: &str) -> Vec<Attempt> {
    let missing = Some("BTN-2003");
    let attempt = |name: &str, said, refused| Attempt { name: name.to_owned(), said, headers: Vec::new(), refused };
    let addressed = |params: &mut Value| params["message"]["taskId"] = task.into();
    if binding.is_none() {
        let said = json!({"role": "user", "messageId": "m", "parts": [{"type": "text", "text": "stranger"}]});
        let get = |path: String| Said::Get(path);
        return vec![
            attempt("tasks.list", Said::ContextCore("tasks.list", json!({"contextId": context})), None),
            attempt("tasks.get", Said::ContextCore("tasks.get", json!({"taskId": task})), missing),
            attempt("tasks.cancel", Said::ContextCore("tasks.cancel", json!({"taskId": task})), missing),
            attempt(
                "message.send to the task",
                Said::ContextCore("message.send", json!({"message": said, "taskId": task})),
                missing,
            ),
            attempt(
                "message.send in the context",
                Said::ContextCore("message.send", json!({"message": said, "contextId": context})),
                None,
            ),
            attempt("api task", get(format!("/api/v1/tasks/{task}")), missing),
            attempt("api events", get(format!("/api/v1/tasks/{task}/events?after=0")), missing),
            attempt("api handoff", get(format!("/api/v1/handoffs/{handoff}")), Some("BTN-2010")),
        ];
    }
    let mut all = Vec::new();
    for params in [json!({}), json!({"contextId": context}), json!({"status": "TASK_STATE_WORKING"})] {
        all.push(attempt(&format!("list {params}"), Said::Operation(Op::List, params), None));
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
        all.push(attempt(&format!("{op:?}"), Said::Operation(op, params), missing));
    }
    let mut resumed = attempt("subscribe after an event", Said::Operation(Op::Subscribe, json!({"id": task})), missing);
    resumed.headers.push(("last-event-id", "1".to_owned()));
    all.push(resumed);
    for op in [Op::Send, Op::Stream] {
        let mut to_task = saying("stranger");
        addressed(&mut to_task);
        let mut placed = to_task.clone();
        placed["message"]["contextId"] = context.into();
        let mut pushed = to_task.clone();
        pushed["configuration"] = json!({"taskPushNotificationConfig": {"url": "https://example.com/mine"}});
        for (name, params) in [("to the task", to_task), ("in its context", placed), ("with a receiver", pushed)] {
            all.push(attempt(&format!("{op:?} {name}"), Said::Operation(op, params), missing));
        }
        let mut within = saying("stranger");
        within["message"]["contextId"] = context.into();
        let mut referring = saying("stranger");
        referring["message"]["referenceTaskIds"] = json!([task]);
        for (name, params) in [("in the context", within), ("referring to the task", referring)] {
            all.push(attempt(&format!("{op:?} {name}"), Said::Operation(op, params), None));
        }
    }
    all
}

async fn try_out(house: &House, binding: Option<Binding>, attempt: &Attempt, authorization: &str) -> Option<String> {
    let mut pairs = vec![("authorization", authorization)];
    pairs.extend(attempt.headers.iter().map(|(name, value)| (*name, value.as_str())));
    let response = match (&attempt.said, binding) {
        (Said::Operation(op, params), Some(binding)) => {
            open(&house.app, binding, *op, params, &grpc(binding, &pairs)).await?
        }
        (Said::ContextCore(method, params), _) => {
            pairs.push(("content-type", "application/json"));
            let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
            raw(&house.app, "POST", "/agents/weather", headers(&pairs), body).await
        }
        (Said::Get(path), _) => raw(&house.app, "GET", path, headers(&pairs), "").await,
        (Said::Operation(..), None) => return None,
    };
    let text = whole(response).await;
    settled().await;
    Some(text)
}

/// With several agents, gRPC is told which one is meant.
fn grpc<'a>(binding: Binding, pairs: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut pairs = pairs.to_vec();
    if binding.is_grpc() {
        pairs.push(("baton-agent", "weather"));
    }
    pairs
}

/// Two houses that are the same down to their ids: in one the stranger asks for what is the owner's, in the other for
/// what never was. Every reply must be the same, byte for byte, but for the name that was asked for.
async fn compare(binding: Option<Binding>, stranger: &str) {
    let (foreign, missing) = (House::new(), House::new());
    let (owned, same) = (furnish(&foreign).await, furnish(&missing).await);
    assert_eq!(owned, same);
    let before = record(&foreign, &owned).await;
    assert_eq!((before.heads.len(), before.outbox.len()), (5, 1), "{before:?}");
    foreign.heard.lock().unwrap().clear();
    let authorization = bearer(stranger);
    let nothing = (never(CONTEXT), never(&owned.handoff));
    let mut tried = 0;
    for task in &owned.tasks {
        let there = attempts(binding, task, CONTEXT, &owned.handoff);
        let not_there = attempts(binding, &never(task), &nothing.0, &nothing.1);
        for (there, not_there) in there.iter().zip(&not_there) {
            let place = format!("{} {binding:?} {stranger} {task}", there.name);
            let seen = try_out(&foreign, binding, there, &authorization).await;
            let expect = try_out(&missing, binding, not_there, &authorization).await;
            let (Some(seen), Some(expect)) = (seen, expect) else { continue };
            let expect = owned.tasks.iter().fold(expect, |text, task| text.replace(&never(task), task));
            let expect = expect.replace(&nothing.0, CONTEXT).replace(&nothing.1, &owned.handoff);
            assert_eq!(seen, expect, "{place}");
            assert_eq!(seen.contains("BTN-"), there.refused.is_some(), "{place}: {seen}");
            assert!(there.refused.is_none_or(|code| seen.contains(code)), "{place}: {seen}");
            assert!(!seen.contains(SECRET), "{place}: {seen}");
            // Before the stranger has tasks, lists are empty.
            let lists = there.name.to_lowercase().contains("list") && there.refused.is_none();
            assert!(task != &owned.tasks[0] || !lists || !seen.contains("id-"), "{place}: {seen}");
            tried += 1;
        }
    }
    assert!(tried >= 4 * 8, "{tried}");
    same_key(binding, &foreign, &missing, &authorization).await;
    assert_eq!(record(&foreign, &owned).await, before, "{binding:?} {stranger}");
    let heard = std::mem::take(&mut *foreign.heard.lock().unwrap());
    assert!(!heard.is_empty());
    assert!(!format!("{heard:?}").contains(SECRET), "{heard:?}");
}

/// The owner's key is free for the stranger, and its message is the stranger's own.
async fn same_key(binding: Option<Binding>, foreign: &House, missing: &House, authorization: &str) {
    let Some(binding) = binding else { return };
    // The same words under the same key would be the owner's task.
    for (params, key) in [(first_message(), KEY), (saying("another"), "key-2")] {
        let mut replies = Vec::new();
        for (house, key) in [(foreign, key), (missing, never(key).as_str())] {
            let pairs = [("authorization", authorization), ("idempotency-key", key)];
            let sent = open(&house.app, binding, Op::Send, &params, &grpc(binding, &pairs)).await.unwrap();
            replies.push(whole(sent).await);
            settled().await;
        }
        assert_eq!(replies[0], replies[1]);
        assert!(!replies[0].contains("BTN-"), "{}", replies[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_strangers_token_sees_nothing() {
    for stranger in strangers() {
        for binding in Binding::ALL.into_iter().map(Some).chain([None]) {
            compare(binding, &stranger).await;
        }
    }
}

/// The table above would hold for a server that shows nobody anything; this one shows the owner everything.
#[tokio::test(start_paused = true)]
async fn the_owner_sees_all_of_it() {
    let house = House::new();
    let owned = furnish(&house).await;
    let authorization = bearer(&owner());
    for binding in Binding::ALL.into_iter().map(Some).chain([None]) {
        for attempt in attempts(binding, &owned.tasks[2], CONTEXT, &owned.handoff) {
            let reads = match &attempt.said {
                Said::Operation(op, _) => matches!(op, Op::Get | Op::List | Op::ListPush),
                Said::ContextCore(method, _) => matches!(*method, "tasks.get" | "tasks.list"),
                Said::Get(_) => true,
            };
            if !reads {
                continue;
            }
            if let Some(seen) = try_out(&house, binding, &attempt, &authorization).await {
                assert!(!seen.contains("BTN-"), "{} {binding:?}: {seen}", attempt.name);
            }
        }
    }
    // Another token of the same subject is the owner, too, and in the owner's context the model is reminded.
    house.heard.lock().unwrap().clear();
    let mut params = saying("what was it?");
    params["message"]["contextId"] = CONTEXT.into();
    let again = bearer(&token("acme", "ann", "call/weather"));
    ask(&house.app, Binding::JsonRpc, Op::Send, &params, &[("authorization", &again)]).await.unwrap().task();
    let heard = house.heard.lock().unwrap().clone();
    let reminded = |message: &ChatMessage| matches!(message, ChatMessage::User { text, .. } if text == SECRET);
    assert!(heard[0].messages.iter().any(reminded), "{heard:?}");
}
