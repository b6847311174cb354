//! Push receivers: they fail at random while the loop runs and get every notification in the end.

use super::{chance::SeededRandom, collect, crowd::LoopState};
use crate::{DeliveryAttempt, History, Receiver, Webhook, WebhookArrival, WebhookReaction};
use anyhow::Result;
use baton_client::Client;
use baton_types::MessageId;
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    net::Ipv4Addr,
};

/// Upper bound of consecutive failures; more would only lengthen the retry delays.
const MAX_CONSECUTIVE_FAILURES: u32 = 2;

/// Opens one webhook for all messages; each message has its own path.
pub(super) async fn open(seed: u64) -> Result<Webhook> {
    let webhook = Webhook::open(Ipv4Addr::LOCALHOST.into()).await?;
    let mut chance = SeededRandom::new(seed, "webhook");
    let mut failures: HashMap<String, u32> = HashMap::new();
    webhook.set_reaction(move |arrival| {
        let failed = failures.entry(arrival.path.clone()).or_default();
        if *failed == MAX_CONSECUTIVE_FAILURES || !chance.one_in(4) {
            *failed = 0;
            return WebhookReaction::Answer(204);
        }
        *failed += 1;
        let itself = arrival.path.clone();
        let faults = [
            WebhookReaction::Answer(500),
            WebhookReaction::Answer(503),
            WebhookReaction::HangUp,
            WebhookReaction::Hang,
            WebhookReaction::Redirect(302, itself),
        ];
        chance.pick(&faults).cloned().unwrap_or(WebhookReaction::HangUp)
    });
    Ok(webhook)
}

pub(super) fn path(message: &MessageId) -> String {
    format!("/{message}")
}

/// Waits until every receiver registered with a recorded message has all its notifications; missing ones are reported
/// by the checker.
pub(super) async fn wait_for_notifications(client: &Client, crowd: &LoopState) -> Result<()> {
    crowd.webhook.set_reaction(|_| WebhookReaction::Answer(204));
    let begun = collect::tasks_by_first_message(client).await?;
    let mut listed = BTreeMap::new();
    for receiver in crowd.receivers() {
        if let Some(task) = begun.get(&receiver.message) {
            listed.insert(task.clone(), (collect::list_events(client, task).await?, receiver));
        }
    }
    let history = History::from_entries(listed.iter().map(|(task, (events, _))| (task, events.as_slice())))?;
    let mut open: Vec<(&Receiver, Vec<Value>)> =
        listed.iter().map(|(task, (_, receiver))| (receiver, receiver.expected_payloads(&history, task))).collect();
    let all_received = crowd.webhook.wait_until("the last notification", |arrivals| {
        let attempts = by_path(arrivals);
        open.retain(|(receiver, expected)| {
            with_attempts(receiver, &attempts).count_missing(expected).is_ok_and(|missing| missing > 0)
        });
        open.is_empty()
    });
    // Not an error: the checker reports missing notifications in more detail.
    drop(all_received.await);
    Ok(())
}

/// The receivers with all their notifications.
pub(super) fn receivers(crowd: &LoopState) -> Vec<Receiver> {
    let arrivals = crowd.webhook.arrivals();
    let attempts = by_path(&arrivals);
    crowd.receivers().iter().map(|receiver| with_attempts(receiver, &attempts)).collect()
}

fn by_path(arrivals: &[WebhookArrival]) -> HashMap<&str, Vec<&WebhookArrival>> {
    let mut paths: HashMap<&str, Vec<&WebhookArrival>> = HashMap::new();
    for arrival in arrivals {
        paths.entry(&arrival.path).or_default().push(arrival);
    }
    paths
}

fn with_attempts(receiver: &Receiver, arrivals: &HashMap<&str, Vec<&WebhookArrival>>) -> Receiver {
    let attempts = arrivals.get(path(&receiver.message).as_str()).into_iter().flatten();
    Receiver { attempts: attempts.map(|arrival| DeliveryAttempt::from(*arrival)).collect(), ..receiver.clone() }
}
