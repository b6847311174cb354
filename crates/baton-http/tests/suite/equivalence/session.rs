//! One client that talks to one engine.

use super::{
    Told,
    ask::{Arriving, Ask, Items, Outcome, Result, Seen},
    bindings::Binding,
    world::{IDLE, World, settled},
};
use futures_util::StreamExt as _;
use std::{
    mem::take,
    sync::{Arc, Mutex},
};

pub(super) struct Session {
    pub(super) world: World,
    binding: Binding,
    outcomes: Vec<Outcome>,
    /// Streams that may still show something, by the request that opened them.
    streams: Vec<(usize, Arc<Mutex<Seen>>)>,
}

impl Session {
    pub(super) fn new(binding: Binding, world: World) -> Self {
        Self { world, binding, outcomes: Vec::new(), streams: Vec::new() }
    }

    /// Asks, and waits until everything that follows has happened; streams stay open meanwhile and afterwards.
    pub(super) async fn ask(&mut self, ask: &Ask) {
        let outcome = match tokio::time::timeout(IDLE, self.binding.ask(&self.world, ask)).await {
            Err(_) => Outcome { acknowledged: None, result: Result::Waiting },
            Ok(None) => Outcome { acknowledged: None, result: Result::Absent },
            Ok(Some(answer)) => {
                let result = match answer.arriving {
                    Arriving::Whole(result) => *result,
                    Arriving::Piecemeal(items) => {
                        let seen = Arc::default();
                        tokio::spawn(watch(items, ask.leaves_after, Arc::clone(&seen)));
                        self.streams.push((self.outcomes.len(), seen));
                        Result::Stream(Seen::default())
                    }
                };
                Outcome { acknowledged: answer.acknowledged, result }
            }
        };
        self.outcomes.push(outcome);
        settled().await;
    }

    pub(super) async fn end(mut self) -> Told {
        for (index, seen) in take(&mut self.streams) {
            let seen = take(&mut *seen.lock().unwrap());
            self.outcomes[index].result = Result::Stream(self.checked(seen));
        }
        Told { outcomes: self.outcomes, record: self.world.record().await }
    }

    /// 0.3 says of every item whether the stream ends with it, and says it of the last one only.
    fn checked(&self, mut seen: Seen) -> Seen {
        let last = seen.items.len().saturating_sub(1);
        for (index, item) in seen.items.iter_mut().enumerate() {
            let is_final = item.is_final.take();
            assert_eq!(is_final.is_some(), self.binding.is_old(), "{item:?}");
            let can_say = item.shown.status_update.is_some() || item.shown.message.is_some();
            let ends = index == last && seen.ended && can_say;
            // Who hung up cannot know whether there was more to come.
            let known = index < last || !seen.left;
            assert!(is_final.is_none_or(|said| said == ends || !known), "final is {is_final:?}: {item:?}");
        }
        seen
    }
}

async fn watch(mut items: Items, leaves_after: Option<usize>, seen: Arc<Mutex<Seen>>) {
    for _ in 0..leaves_after.unwrap_or(usize::MAX) {
        match items.next().await {
            Some(item) => seen.lock().unwrap().items.push(item),
            None => {
                seen.lock().unwrap().ended = true;
                return;
            }
        }
    }
    seen.lock().unwrap().left = true;
}
