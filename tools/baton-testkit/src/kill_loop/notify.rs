//! Push receivers: they fail at random while the loop runs and get every notification in the end.

use super::{chance::Chance, collect, crowd::Crowd};
use crate::{Arrival, Attempt, Conduct, History, Receiver, Webhook};
use anyhow::Result;
use baton_client::Client;
use baton_types::MessageId;
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    net::Ipv4Addr,
};

/// Upper bound of consecutive failures; more would only lengthen the retry delays.
const MOST: u32 = 2;

/// Opens one webhook for all messages; each message has its own path.
pub(super) async fn open(seed: u64) -> Result<Webhook> {
    let webhook = Webhook::open(Ipv4Addr::LOCALHOST.into()).await?;
    let mut chance = Chance::of(seed, "webhook");
    let mut failures: HashMap<String, u32> = HashMap::new();
    webhook.behave(move |arrival| {
        let failed = failures.entry(arrival.path.clone()).or_default();
        if *failed == MOST || !chance.one_in(4) {
            *failed = 0;
            return Conduct::Answer(204);
        }
        *failed += 1;
        let itself = arrival.path.clone();
        let faults = [
            Conduct::Answer(500),
            Conduct::Answer(503),
            Conduct::HangUp,
            Conduct::Hang,
            Conduct::Redirect(302, itself),
        ];
        chance.pick(&faults).cloned().unwrap_or(Conduct::HangUp)
    });
    Ok(webhook)
}

pub(super) fn path(message: &MessageId) -> String {
    format!("/{message}")
}

/// Waits until every receiver registered with a recorded message has all its notifications; missing ones are reported
/// by the checker.
pub(super) async fn all_told(client: &Client, crowd: &Crowd) -> Result<()> {
    crowd.webhook.behave(|_| Conduct::Answer(204));
    let begun = collect::begun(client).await?;
    let mut listed = BTreeMap::new();
    for receiver in crowd.receivers() {
        if let Some(task) = begun.get(&receiver.message) {
            listed.insert(task.clone(), (collect::listed(client, task).await?, receiver));
        }
    }
    let history = History::listed(listed.iter().map(|(task, (events, _))| (task, events.as_slice())))?;
    let mut open: Vec<(&Receiver, Vec<Value>)> =
        listed.iter().map(|(task, (_, receiver))| (receiver, receiver.owed(&history, task))).collect();
    let told = crowd.webhook.until("the last notification", |arrivals| {
        let attempts = by_path(arrivals);
        open.retain(|(receiver, owed)| with(receiver, &attempts).missing(owed).is_ok_and(|missing| missing > 0));
        open.is_empty()
    });
    // Not an error: the checker reports missing notifications in more detail.
    drop(told.await);
    Ok(())
}

/// The receivers with all their notifications.
pub(super) fn receivers(crowd: &Crowd) -> Vec<Receiver> {
    let arrivals = crowd.webhook.arrivals();
    let attempts = by_path(&arrivals);
    crowd.receivers().iter().map(|receiver| with(receiver, &attempts)).collect()
}

fn by_path(arrivals: &[Arrival]) -> HashMap<&str, Vec<&Arrival>> {
    let mut paths: HashMap<&str, Vec<&Arrival>> = HashMap::new();
    for arrival in arrivals {
        paths.entry(&arrival.path).or_default().push(arrival);
    }
    paths
}

fn with(receiver: &Receiver, arrivals: &HashMap<&str, Vec<&Arrival>>) -> Receiver {
    let attempts = arrivals.get(path(&receiver.message).as_str()).into_iter().flatten();
    Receiver { attempts: attempts.map(|arrival| Attempt::from(*arrival)).collect(), ..receiver.clone() }
}
