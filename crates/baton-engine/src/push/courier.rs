//! The worker behind push notifications: takes up what the journal owes, and sends it on its way when it is due.

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

/// Open orders read at once at the start.
const PAGE: usize = 512;

/// Between two looks at a journal that refuses.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl Inner {
    /// Begins to deliver; a second start changes nothing.
    pub(crate) fn start_courier(self: &Arc<Self>) {
        if !self.courier_started.swap(true, Ordering::AcqRel) {
            self.drivers.spawn(take_up(Arc::clone(self)));
            self.drivers.spawn(work(Arc::clone(self)));
        }
    }
}

/// Reads what an earlier life left open.
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
                        // A configuration that cannot be read is found out when the order is carried out.
                        Some(key) => inner.orders.known(&key, receiver.unwrap_or_default(), &entry.progress),
                        None => tracing::error!(id = entry.id, "a standing order has an id that means nothing"),
                    }
                }
                match page.last() {
                    Some(last) => after = Some(last.id.clone()),
                    None => return,
                }
            }
            Err(error) => {
                tracing::warn!(%error, "owed notifications could not be read; trying again");
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

/// Reports back whatever happens, so that no order stays under way for ever.
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
