//! Receivers that are unreachable while the server is killed.
//!
//! `BATON_SOAK_OUTAGE` is the length of the outage in seconds (default: until every receiver had a failed attempt).

use super::harness::{
    AGENT, DIALECTS, RegisteredReceiver, ServerSetup, await_all_deliveries, config, events, register, send, webhook,
};
use baton_testkit::{Receiver, Server, Webhook, WebhookArrival, WebhookReaction, checker::check};
use baton_types::{PushDialect, TaskId};
use futures_util::future::join_all;
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

/// Messages that lead to every final state, with few events and with many.
const MESSAGES: [&str; 6] = ["hello", "ask", "publish", "tell me", "reject this", "fail"];

/// Tasks for each message.
const ROUNDS: usize = 10;

/// Number of delivery attempts by path.
fn tries(arrivals: &[WebhookArrival]) -> BTreeMap<&str, usize> {
    let mut tries = BTreeMap::new();
    for arrival in arrivals {
        *tries.entry(arrival.path.as_str()).or_default() += 1;
    }
    tries
}

/// One task with one receiver, run to its end.
async fn one_task(server: &Server, webhook: &Webhook, number: usize, words: &str) -> RegisteredReceiver {
    let round = number / MESSAGES.len();
    let dialect = DIALECTS[round % 2];
    let (path, message) = (format!("/{number}"), format!("m-{number}"));
    let config = config(dialect, &webhook.url(&path));
    let asks = words == "ask";
    // A task that asks for input can also be registered for while it waits; both ways are used.
    let later = asks && round % 4 < 2;
    let task = send(server, dialect, &message, words, None, if later { &Value::Null } else { &config }).await;
    let after = if later { events(server, &task).await } else { 0 };
    if later {
        register(server, dialect, &task, config).await;
    }
    if asks {
        send(server, dialect, &format!("{message}-answer"), "blue", Some(&task), &Value::Null).await;
    }
    let receiver = Receiver { message: message.as_str().into(), dialect, after, attempts: Vec::new() };
    RegisteredReceiver { task, paths: vec![path], receiver }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreachable_receivers_get_all_events_in_order_after_a_kill() {
    let outage = std::env::var("BATON_SOAK_OUTAGE").map_or(0, |text| text.parse().expect("seconds"));
    let half = Duration::from_secs(outage) / 2;
    let (place, mut webhook) = (ServerSetup::new(), webhook("127.0.0.1").await);
    webhook.set_reaction(|_| WebhookReaction::HangUp);
    let server = place.up(LOOPBACK).await;
    let tasks = (0..MESSAGES.len() * ROUNDS)
        .map(|number| one_task(&server, &webhook, number, MESSAGES[number % MESSAGES.len()]));
    let registered = join_all(tasks).await;
    let all = registered.len();
    webhook.wait_until("a try at every receiver", |arrivals| tries(arrivals).len() == all).await.expect("tries");
    webhook.close_for(half).await;

    server.kill().await.expect("killed");
    let before = webhook.arrivals();
    let server = place.up(LOOPBACK).await;
    webhook.close_for(half).await;
    webhook.reopen().await.expect("the same address");
    let again = |arrivals: &[WebhookArrival]| tries(&arrivals[before.len()..]).len() == all;
    webhook.wait_until("another try at every receiver", again).await.expect("tries by the second server");
    assert!(webhook.arrivals().iter().all(|arrival| !arrival.is_accepted()), "no notification was accepted yet");

    webhook.set_reaction(|_| WebhookReaction::Answer(204));
    let mut evidence = await_all_deliveries(&server, &webhook, &registered).await;
    evidence.acknowledged = registered.iter().map(|one| one.task.clone()).collect();
    let violations = check(&evidence);
    assert!(violations.is_empty(), "every task has ended and its final state was delivered last: {violations:#?}");
    let arrivals = webhook.arrivals();
    eprintln!(
        "push: {all} receivers, away for {outage} s besides {} failed tries; {} notifications taken in order",
        arrivals.iter().filter(|arrival| !arrival.is_accepted()).count(),
        arrivals.iter().filter(|arrival| arrival.is_accepted()).count(),
    );

    // Deliveries are recorded: a third server sends only new events, and possibly a repeat of the last one that the
    // second server delivered but could not record.
    server.kill().await.expect("killed");
    let server = place.up(LOOPBACK).await;
    let last = one_task(&server, &webhook, all, "hello").await;
    await_all_deliveries(&server, &webhook, std::slice::from_ref(&last)).await;
    await_all_deliveries(&server, &webhook, &registered).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_continue_for_tasks_interrupted_by_a_kill() {
    let (place, webhook) = (ServerSetup::new(), webhook("127.0.0.1").await);
    let server = place.up(LOOPBACK).await;
    let mut registered = Vec::new();
    for (number, dialect) in DIALECTS.into_iter().enumerate() {
        let (path, message) = (format!("/{number}"), format!("m-{number}"));
        let config = config(dialect, &webhook.url(&path));
        let task = send(&server, dialect, &message, "hang", None, &config).await;
        let receiver = Receiver { message: message.as_str().into(), dialect, after: 0, attempts: Vec::new() };
        registered.push(RegisteredReceiver { task, paths: vec![path], receiver });
    }
    await_all_deliveries(&server, &webhook, &registered).await;
    server.kill().await.expect("killed");
    let server = place.up(LOOPBACK).await;
    for one in &registered {
        cancel(&server, &one.task).await;
    }
    await_all_deliveries(&server, &webhook, &registered).await;
    let last = webhook.arrivals().into_iter().map(|arrival| (arrival.path, arrival.body)).collect::<BTreeMap<_, _>>();
    let state = |path: &str, at: &str| last[path].pointer(at).and_then(Value::as_str).map(str::to_owned);
    assert_eq!(state("/0", "/statusUpdate/status/state").as_deref(), Some("TASK_STATE_CANCELED"));
    assert_eq!(state("/1", "/status/state").as_deref(), Some("canceled"));
    assert_eq!(registered[1].receiver.dialect, PushDialect::V03);
}

async fn cancel(server: &Server, task: &TaskId) {
    server.client().cancel(AGENT, task.as_str()).await.expect("canceled");
}
