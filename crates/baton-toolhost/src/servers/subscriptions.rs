//! Which resources somebody wants to hear about, and telling the server so in its own era.

use super::{ServerError, connection::Connection};
use parking_lot::Mutex;
use rmcp::{
    model::{SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams},
    service::Subscription,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::sync::Notify;

/// Resources of one server that are listened to.
const MAX_URIS: usize = 1000;
/// How long to wait before listening again after a server ended that.
const PAUSE: Duration = Duration::from_secs(5);
const MAX_FAILURES: u32 = 5;

/// The resources that are listened to, with how many listen; they outlive connections.
#[derive(Default)]
pub(super) struct Subscriptions {
    counts: Mutex<BTreeMap<String, usize>>,
    changed: Notify,
}

impl Subscriptions {
    /// One more listens.
    pub(super) async fn add(&self, uri: &str, connection: &Connection) -> Result<(), ServerError> {
        {
            let mut counts = self.counts.lock();
            if !counts.contains_key(uri) && counts.len() >= MAX_URIS {
                return Err(ServerError::Invalid {
                    reason: format!("{MAX_URIS} resources of this server are listened to already"),
                });
            }
            let count = counts.entry(uri.to_owned()).or_default();
            *count += 1;
            if *count > 1 {
                return Ok(());
            }
        }
        self.changed.notify_one();
        if connection.is_modern() {
            return Ok(());
        }
        let told = connection.soon(connection.peer().subscribe(SubscribeRequestParams::new(uri))).await;
        if told.is_err() {
            self.counts.lock().remove(uri);
        }
        told
    }

    /// One less listens.
    pub(super) async fn remove(&self, uri: &str, connection: &Connection) -> Result<(), ServerError> {
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
        }
        self.changed.notify_one();
        if connection.is_modern() {
            return Ok(());
        }
        connection.soon(connection.peer().unsubscribe(UnsubscribeRequestParams::new(uri))).await
    }

    /// Keeps a new connection told; ends when there is nothing to listen to any more.
    pub(super) async fn listen(&self, connection: Arc<Connection>) {
        if !connection.is_modern() {
            let uris: Vec<_> = self.counts.lock().keys().cloned().collect();
            for uri in uris {
                // One that is gone after a restart stays silent.
                let _ = connection.soon(connection.peer().subscribe(SubscribeRequestParams::new(uri))).await;
            }
            return;
        }
        let mut failures = 0;
        while failures < MAX_FAILURES {
            let Some(filter) = self.filter(&connection) else {
                self.changed.notified().await;
                continue;
            };
            let Ok(subscription) = connection.peer().listen(filter).await else {
                failures += 1;
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            tokio::select! {
                // What is told is heard where all messages pass; here it is only kept flowing.
                () = drain(subscription) => {
                    failures += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                () = self.changed.notified() => failures = 0,
            }
        }
    }

    fn filter(&self, connection: &Connection) -> Option<SubscriptionFilter> {
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

async fn drain(mut subscription: Subscription) {
    while let Ok(Some(_)) = subscription.next().await {}
}
