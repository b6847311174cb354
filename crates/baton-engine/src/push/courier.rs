//! Push dispatcher: loads open outbox entries and delivers their notifications when due.

use super::{
    CHANNEL,
    deliver::deliver,
    lanes::Receiver,
    orders::{Departure, Key, Return},
};
use crate::engine::Inner;
use baton_rules::push_backoff;
use baton_types::PushConfig;
use std::{
    future::pending,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// Outbox entries read per page at startup.
const PAGE: usize = 512;

/// Delay between attempts while the journal rejects.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl Inner {
    /// Starts the dispatcher; idempotent.
    pub(crate) fn start_courier(self: &Arc<Self>) {
        if !self.courier_started.swap(true, Ordering::AcqRel) {
            self.drivers.spawn(take_up(Arc::clone(self)));
            self.drivers.spawn(work(Arc::clone(self)));
        }
    }
}

/// Loads the outbox entries left open by an earlier process.
async fn take_up(inner: Arc<Inner>) {
    let mut after = None;
    let mut pause = FIRST_PAUSE;
    while !inner.stopping.is_cancelled() {
        match inner.journal().outbox_open(CHANNEL, after.clone(), PAGE).await {
            Ok(page) => {
                pause = FIRST_PAUSE;
                for entry in &page {
                    let receiver = entry.body.read::<PushConfig>().map(|config| Receiver::of(&config.url));
                    match Key::of(entry) {
                        // An unreadable configuration is reported at delivery.
                        Some(key) => inner.orders.known(&key, receiver.unwrap_or_default(), &entry.progress),
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
                    () = tokio::time::sleep(pause) => {}
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

async fn work(inner: Arc<Inner>) {
    loop {
        let now = inner.ports.clock.now();
        let (departures, next) = inner.orders.departures(now);
        for departure in departures {
            inner.drivers.spawn(carry_out(Arc::clone(&inner), departure));
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
            () = inner.orders.bell.notified() => {}
            () = timer => {}
        }
    }
}

async fn carry_out(inner: Arc<Inner>, departure: Departure) {
    let Departure { key, stop } = departure;
    let mut trip = Trip { inner: &inner, key: &key, came: None };
    trip.came = Some(deliver(&inner, &key, &stop).await);
}

/// Reports the outcome on drop, so that no entry stays in flight forever.
struct Trip<'a> {
    inner: &'a Inner,
    key: &'a Key,
    came: Option<Return>,
}

impl Drop for Trip<'_> {
    fn drop(&mut self) {
        let later = || Return::Later(self.inner.ports.clock.now().after(push_backoff(u32::MAX, 0)));
        self.inner.orders.back(self.key, self.came.unwrap_or_else(later));
    }
}
