//! Receivers that fail in every way, and receivers that were deleted.

use super::harness::{
    DIALECTS, RegisteredReceiver, ServerSetup, await_all_deliveries, call, config, register, send, webhook,
};
use baton_testkit::{Receiver, WebhookArrival, WebhookReaction};
use baton_types::PushDialect;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

/// Faults by path, with the number of notifications that meet them before the receiver recovers.
const FAULTS: [(&str, usize); 8] = [
    ("refuses", 2),
    ("limits", 1),
    ("is-missing", 1),
    ("hangs-up", 2),
    ("hangs", 1),
    ("circles", 4),
    ("moves", usize::MAX),
    ("turns-into-a-question", 1),
];

/// The response of a receiver before it recovers.
fn fault(way: &str, base: &str) -> WebhookReaction {
    match way {
        "refuses" => WebhookReaction::Answer(500),
        "limits" => WebhookReaction::Answer(429),
        "is-missing" => WebhookReaction::Answer(404),
        "hangs-up" => WebhookReaction::HangUp,
        "hangs" => WebhookReaction::Hang,
        "circles" => WebhookReaction::Redirect(308, format!("{base}/{way}")),
        "moves" => WebhookReaction::Redirect(307, "/moved".to_owned()),
        _ => WebhookReaction::Redirect(303, format!("{base}/{way}")),
    }
}

fn count(arrivals: &[WebhookArrival], path: &str) -> usize {
    arrivals.iter().filter(|arrival| arrival.path == path).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_receivers_catch_up_without_delaying_others() {
    let (place, webhook) = (ServerSetup::new(), webhook("127.0.0.1").await);
    let base = webhook.url("");
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    webhook.set_reaction(move |arrival| {
        let met = met.entry(arrival.path.clone()).or_default();
        *met += 1;
        let way = FAULTS.iter().find(|(way, _)| arrival.path[1..] == **way);
        way.filter(|(_, times)| *met <= *times).map_or(WebhookReaction::Answer(202), |(way, _)| fault(way, &base))
    });
    let server = place.up(LOOPBACK).await;
    let mut registered = Vec::new();
    for (number, (way, _)) in FAULTS.into_iter().enumerate() {
        let dialect = DIALECTS[number % 2];
        let (path, message) = (format!("/{way}"), format!("m-{number}"));
        let task = send(&server, dialect, &message, "hello", None, &config(dialect, &webhook.url(&path))).await;
        let receiver = Receiver { message: message.as_str().into(), dialect, after: 0, attempts: Vec::new() };
        let paths = if way == "moves" { vec![path, "/moved".to_owned()] } else { vec![path] };
        registered.push(RegisteredReceiver { task, paths, receiver });
    }
    let hanging = registered.remove(4);
    await_all_deliveries(&server, &webhook, &registered).await;
    let arrivals = webhook.arrivals();
    assert_eq!(count(&arrivals, "/hangs"), 1, "there is no second attempt while the first one hangs");
    assert!(arrivals.iter().all(|arrival| arrival.path != "/moves" || !arrival.is_accepted()));
    // A redirect loop ends after three redirects and counts as one failed attempt with its backoff.
    assert!(arrivals.iter().filter(|arrival| arrival.path == "/circles").skip(4).all(WebhookArrival::is_accepted));

    webhook.set_reaction(|_| WebhookReaction::Answer(200));
    await_all_deliveries(&server, &webhook, &[hanging]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_receiver_gets_no_notifications_even_after_a_kill() {
    let (place, webhook) = (ServerSetup::new(), webhook("127.0.0.1").await);
    webhook.set_reaction(|_| WebhookReaction::Answer(500));
    let server = place.up(LOOPBACK).await;
    let both = |one: &str, other: &str, least: usize| {
        let (one, other) = (one.to_owned(), other.to_owned());
        move |arrivals: &[WebhookArrival]| count(arrivals, &one) >= least && count(arrivals, &other) >= least
    };
    for dialect in DIALECTS {
        let name = if dialect == PushDialect::V1 { "new" } else { "old" };
        let (dropped, kept) = (format!("/{name}/dropped"), format!("/{name}/kept"));
        let task = send(&server, dialect, name, "ask", None, &Value::Null).await;
        register(&server, dialect, &task, config(dialect, &webhook.url(&kept))).await;
        let id = register(&server, dialect, &task, config(dialect, &webhook.url(&dropped))).await;
        send(&server, dialect, &format!("{name}-answer"), "blue", Some(&task), &Value::Null).await;
        webhook.wait_until("a first try at both", both(&kept, &dropped, 1)).await.expect("tries");
        let (method, params) = match dialect {
            PushDialect::V1 => {
                ("DeleteTaskPushNotificationConfig", json!({"taskId": task.as_str(), "id": id.as_str()}))
            }
            PushDialect::V03 => (
                "tasks/pushNotificationConfig/delete",
                json!({"id": task.as_str(), "pushNotificationConfigId": id.as_str()}),
            ),
        };
        let deleted = call(&server, dialect, method, params).await;
        assert!(deleted.body["error"].is_null(), "{}", deleted.body);
    }
    let dropped = ["/new/dropped", "/old/dropped"];
    let tries = |arrivals: &[WebhookArrival]| dropped.map(|path| count(arrivals, path));
    let before = tries(&webhook.arrivals());
    webhook.wait_until("two more tries at the others", both("/new/kept", "/old/kept", 3)).await.expect("tries");
    assert_eq!(tries(&webhook.arrivals()), before);

    server.kill().await.expect("killed");
    let _server = place.up(LOOPBACK).await;
    webhook.wait_until("tries by the second server", both("/new/kept", "/old/kept", 4)).await.expect("tries");
    assert_eq!(tries(&webhook.arrivals()), before);
}
