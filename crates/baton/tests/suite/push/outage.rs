//! Receivers that are away while the server is killed.
//!
//! `BATON_SOAK_OUTAGE` says for how many seconds they are really away (none: the outage lasts as long as it takes to
//! show itself).

use super::talk::{AGENT, DIALECTS, Place, Registered, all_told, config, events, register, say, webhook};
use baton_testkit::{Receiver, Server, Webhook, WebhookArrival, WebhookReaction, checker::check};
use baton_types::{PushDialect, TaskId};
use futures_util::future::join_all;
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

/// What is said; every end that a task can have, with few events and with many.
const WORK: [&str; 6] = ["hello", "ask", "publish", "tell me", "reject this", "fail"];

/// Tasks of each kind.
const ROUNDS: usize = 10;

/// How often somebody tried to bring something to each path.
fn tries(arrivals: &[WebhookArrival]) -> BTreeMap<&str, usize> {
    let mut tries = BTreeMap::new();
    for arrival in arrivals {
        *tries.entry(arrival.path.as_str()).or_default() += 1;
    }
    tries
}

/// One task with one receiver, run to its end.
async fn one_task(server: &Server, webhook: &Webhook, number: usize, words: &str) -> Registered {
    let round = number / WORK.len();
    let dialect = DIALECTS[round % 2];
    let (path, message) = (format!("/{number}"), format!("m-{number}"));
    let config = config(dialect, &webhook.url(&path));
    let asks = words == "ask";
    // Whoever asks back can be registered for in the middle, and there both ways are taken.
    let later = asks && round % 4 < 2;
    let task = say(server, dialect, &message, words, None, if later { &Value::Null } else { &config }).await;
    let after = if later { events(server, &task).await } else { 0 };
    if later {
        register(server, dialect, &task, config).await;
    }
    if asks {
        say(server, dialect, &format!("{message}-answer"), "blue", Some(&task), &Value::Null).await;
    }
    let receiver = Receiver { message: message.as_str().into(), dialect, after, attempts: Vec::new() };
    Registered { task, paths: vec![path], receiver }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receivers_that_were_away_are_told_everything_in_order_after_a_kill() {
    let outage = std::env::var("BATON_SOAK_OUTAGE").map_or(0, |text| text.parse().expect("seconds"));
    let half = Duration::from_secs(outage) / 2;
    let (place, mut webhook) = (Place::new(), webhook("127.0.0.1").await);
    webhook.set_reaction(|_| WebhookReaction::HangUp);
    let server = place.up(LOOPBACK).await;
    let tasks = (0..WORK.len() * ROUNDS).map(|number| one_task(&server, &webhook, number, WORK[number % WORK.len()]));
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
    assert!(webhook.arrivals().iter().all(|arrival| !arrival.is_accepted()), "nobody took anything yet");

    webhook.set_reaction(|_| WebhookReaction::Answer(204));
    let mut evidence = all_told(&server, &webhook, &registered).await;
    evidence.acknowledged = registered.iter().map(|one| one.task.clone()).collect();
    let violations = check(&evidence);
    assert!(violations.is_empty(), "every task has ended, and its end was told last: {violations:#?}");
    let told = webhook.arrivals();
    eprintln!(
        "push: {all} receivers, away for {outage} s besides {} failed tries; {} notifications taken in order",
        told.iter().filter(|arrival| !arrival.is_accepted()).count(),
        told.iter().filter(|arrival| arrival.is_accepted()).count(),
    );

    // What was told is on record: a third server has nothing to say but what is new, and here and there the last word of
    // the second, which died with it.
    server.kill().await.expect("killed");
    let server = place.up(LOOPBACK).await;
    let last = one_task(&server, &webhook, all, "hello").await;
    all_told(&server, &webhook, std::slice::from_ref(&last)).await;
    all_told(&server, &webhook, &registered).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_is_killed_in_the_middle_goes_on_telling() {
    let (place, webhook) = (Place::new(), webhook("127.0.0.1").await);
    let server = place.up(LOOPBACK).await;
    let mut registered = Vec::new();
    for (number, dialect) in DIALECTS.into_iter().enumerate() {
        let (path, message) = (format!("/{number}"), format!("m-{number}"));
        let config = config(dialect, &webhook.url(&path));
        let task = say(&server, dialect, &message, "hang", None, &config).await;
        let receiver = Receiver { message: message.as_str().into(), dialect, after: 0, attempts: Vec::new() };
        registered.push(Registered { task, paths: vec![path], receiver });
    }
    all_told(&server, &webhook, &registered).await;
    server.kill().await.expect("killed");
    let server = place.up(LOOPBACK).await;
    for one in &registered {
        cancel(&server, &one.task).await;
    }
    all_told(&server, &webhook, &registered).await;
    let last = webhook.arrivals().into_iter().map(|arrival| (arrival.path, arrival.body)).collect::<BTreeMap<_, _>>();
    let state = |path: &str, at: &str| last[path].pointer(at).and_then(Value::as_str).map(str::to_owned);
    assert_eq!(state("/0", "/statusUpdate/status/state").as_deref(), Some("TASK_STATE_CANCELED"));
    assert_eq!(state("/1", "/status/state").as_deref(), Some("canceled"));
    assert_eq!(registered[1].receiver.dialect, PushDialect::V03);
}

async fn cancel(server: &Server, task: &TaskId) {
    server.client().cancel(AGENT, task.as_str()).await.expect("canceled");
}
