//! Resource subscriptions of a server, in both protocol eras.

use super::{ServerError, connection::ServerConnection};
use parking_lot::Mutex;
use rmcp::{
    model::{SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams},
    service::Subscription,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::sync::watch;

/// Maximum subscribed resources of one server.
const MAX_URIS: usize = 1000;
/// Delay before listening again after the server ended the subscription.
const RETRY_DELAY: Duration = Duration::from_secs(5);
const MAX_FAILURES: u32 = 5;
/// Maximum wait of a subscriber for the acknowledgement of the server.
const ACKNOWLEDGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Subscriber counts by resource; kept across connections.
#[derive(Default)]
pub(super) struct ResourceSubscriptions {
    counts: Mutex<BTreeMap<String, usize>>,
    /// Version of the subscription set, incremented with every change.
    requested: watch::Sender<u64>,
    /// Version acknowledged by a server of the newer protocol.
    acknowledged: watch::Sender<u64>,
}

impl ResourceSubscriptions {
    /// Adds a subscriber; changes are reported from now on.
    pub(super) async fn add(&self, uri: &str, connection: &ServerConnection) -> Result<(), ServerError> {
        let is_new = {
            let mut counts = self.counts.lock();
            if !counts.contains_key(uri) && counts.len() >= MAX_URIS {
                return Err(ServerError::Invalid {
                    reason: format!("the limit of {MAX_URIS} subscribed resources of this server is reached"),
                });
            }
            let count = counts.entry(uri.to_owned()).or_default();
            *count += 1;
            if *count == 1 {
                self.requested.send_modify(|version| *version += 1);
            }
            *count == 1
        };
        if connection.is_modern() {
            let version = *self.requested.borrow();
            // A server that does not acknowledge in time may still send notifications.
            let _ = tokio::time::timeout(
                ACKNOWLEDGE_TIMEOUT,
                self.acknowledged.subscribe().wait_for(|acknowledged| *acknowledged >= version),
            )
            .await;
            return Ok(());
        }
        if !is_new {
            return Ok(());
        }
        let result = subscribe(connection, uri).await;
        if result.is_err() {
            self.counts.lock().remove(uri);
        }
        result
    }

    /// Removes a subscriber.
    pub(super) async fn remove(&self, uri: &str, connection: &ServerConnection) -> Result<(), ServerError> {
        {
            let mut counts = self.counts.lock();
            match counts.get_mut(uri) {
                Some(count) if *count > 1 => {
                    *count -= 1;
                    return Ok(());
                }
                Some(_) => counts.remove(uri),
                None => return Ok(()),
            };
            self.requested.send_modify(|version| *version += 1);
        }
        if connection.is_modern() {
            return Ok(());
        }
        let params = UnsubscribeRequestParams::new(uri);
        connection
            .send_short_request("resources/unsubscribe", params, |params| connection.peer().unsubscribe(params))
            .await
    }

    /// Maintains the subscriptions on a new connection. With the older protocol it subscribes once and ends; with the
    /// newer one it listens until too many failures.
    pub(super) async fn listen(&self, connection: Arc<ServerConnection>) {
        if !connection.is_modern() {
            let uris: Vec<_> = self.counts.lock().keys().cloned().collect();
            for uri in uris {
                // A resource that is gone after a restart is ignored.
                let _ = subscribe(&connection, &uri).await;
            }
            return;
        }
        let mut requested = self.requested.subscribe();
        let mut failures = 0;
        let mut open: Option<Subscription> = None;
        while failures < MAX_FAILURES {
            let version = *requested.borrow_and_update();
            let Some(filter) = self.filter(&connection) else {
                open = None;
                self.acknowledged.send_replace(version);
                let _ = requested.changed().await;
                continue;
            };
            let Ok(subscription) = connection.peer().listen(filter).await else {
                failures += 1;
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            };
            // The previous subscription ends only now, so that no change is missed.
            let subscription = open.insert(subscription);
            self.acknowledged.send_replace(version);
            tokio::select! {
                // Notifications are handled with all incoming messages; this only drains the stream.
                () = drain(subscription) => {
                    failures += 1;
                    tokio::time::sleep(RETRY_DELAY).await;
                }
                _ = requested.changed() => failures = 0,
            }
        }
    }

    fn filter(&self, connection: &ServerConnection) -> Option<SubscriptionFilter> {
        let can = &connection.info().capabilities;
        let uris: Vec<_> = self.counts.lock().keys().cloned().collect();
        let mut filter = SubscriptionFilter::new();
        filter.tools_list_changed = can.tools.as_ref().and_then(|tools| tools.list_changed).filter(|can| *can);
        filter.prompts_list_changed = can.prompts.as_ref().and_then(|prompts| prompts.list_changed).filter(|can| *can);
        filter.resources_list_changed =
            can.resources.as_ref().and_then(|resources| resources.list_changed).filter(|can| *can);
        filter.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        let is_empty = filter == SubscriptionFilter::new();
        (!is_empty).then_some(filter)
    }
}

async fn subscribe(connection: &ServerConnection, uri: &str) -> Result<(), ServerError> {
    let params = SubscribeRequestParams::new(uri);
    connection.send_short_request("resources/subscribe", params, |params| connection.peer().subscribe(params)).await
}

async fn drain(subscription: &mut Subscription) {
    while let Ok(Some(_)) = subscription.next().await {}
}
