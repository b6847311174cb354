//! Push dispatcher: loads open outbox entries and delivers their notifications when due.

use super::{
    CHANNEL,
    deliver::deliver,
    delivery_queue::{DeliveryOutcome, DueDelivery, PushKey},
    host_queues::ReceiverHost,
};
use crate::{
    engine::EngineInner,
    retry::{JOURNAL_RETRY, PUSH_RETRY},
};
use baton_types::{Backoff, PushConfig};
use std::{
    future::pending,
    sync::{Arc, atomic::Ordering},
};

/// Outbox entries read per page at startup.
const PAGE: usize = 512;

impl EngineInner {
    /// Starts the dispatcher; idempotent.
    pub(crate) fn start_push_dispatcher(self: &Arc<Self>) {
        if !self.dispatcher_started.swap(true, Ordering::AcqRel) {
            self.drivers.spawn(load_open_entries(Arc::clone(self)));
            self.drivers.spawn(dispatch_deliveries(Arc::clone(self)));
        }
    }
}

/// Loads the outbox entries left open by an earlier process.
async fn load_open_entries(inner: Arc<EngineInner>) {
    let mut after = None;
    let mut backoff = Backoff::new(JOURNAL_RETRY);
    while !inner.stopping.is_cancelled() {
        match inner.journal().outbox_open(CHANNEL, after.clone(), PAGE).await {
            Ok(page) => {
                backoff.reset();
                for entry in &page {
                    let receiver = entry.body.read::<PushConfig>().map(|config| ReceiverHost::from_url(&config.url));
                    match PushKey::from_entry(entry) {
                        // An unreadable configuration is reported at delivery.
                        Some(key) => inner.delivery_queue.restore(&key, receiver.unwrap_or_default(), &entry.progress),
                        None => tracing::error!(id = entry.id, "an outbox entry has an invalid id"),
                    }
                }
                match page.last() {
                    Some(last) => after = Some(last.id.clone()),
                    None => return,
                }
            }
            Err(error) => {
                tracing::warn!(%error, "pending notifications could not be read; retrying");
                tokio::select! {
                    () = inner.stopping.cancelled() => return,
                    () = tokio::time::sleep(backoff.next_delay()) => {}
                }
            }
        }
    }
}

async fn dispatch_deliveries(inner: Arc<EngineInner>) {
    loop {
        let now = inner.ports.clock.now();
        let (deliveries, next) = inner.delivery_queue.take_due(now);
        for delivery in deliveries {
            inner.drivers.spawn(run_delivery(Arc::clone(&inner), delivery));
        }
        let timer = async {
            match next {
                Some(due) => tokio::time::sleep(now.until(due)).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = inner.stopping.cancelled() => return,
            () = inner.delivery_queue.wakeup.notified() => {}
            () = timer => {}
        }
    }
}

async fn run_delivery(inner: Arc<EngineInner>, delivery: DueDelivery) {
    let DueDelivery { key, stop } = delivery;
    let mut guard = DeliveryGuard { inner: &inner, key: &key, outcome: None };
    guard.outcome = Some(deliver(&inner, &key, &stop).await);
}

/// Reports the outcome on drop, so that no entry stays in flight forever.
struct DeliveryGuard<'a> {
    inner: &'a EngineInner,
    key: &'a PushKey,
    outcome: Option<DeliveryOutcome>,
}

impl Drop for DeliveryGuard<'_> {
    fn drop(&mut self) {
        let retry = || DeliveryOutcome::RetryAt(self.inner.ports.clock.now().after(PUSH_RETRY.delay(u32::MAX)));
        self.inner.delivery_queue.finish(self.key, self.outcome.unwrap_or_else(retry));
    }
}
