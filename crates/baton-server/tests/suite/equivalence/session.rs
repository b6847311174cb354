//! A session of one client with one engine.

use super::{
    Transcript,
    bindings::Binding,
    operation::{AnswerBody, ClientRequest, Items, Outcome, Result, StreamRecord},
    world::{IDLE, World, wait_until_idle},
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
    /// Open streams, by the index of their request.
    streams: Vec<(usize, Arc<Mutex<StreamRecord>>)>,
}

impl Session {
    pub(super) fn new(binding: Binding, world: World) -> Self {
        Self { world, binding, outcomes: Vec::new(), streams: Vec::new() }
    }

    /// Sends a request and waits until the engine is idle; streams stay open.
    pub(super) async fn ask(&mut self, ask: &ClientRequest) {
        let outcome = match tokio::time::timeout(IDLE, self.binding.ask(&self.world, ask)).await {
            Err(_) => Outcome { acknowledged: None, result: Result::Waiting },
            Ok(None) => Outcome { acknowledged: None, result: Result::Absent },
            Ok(Some(answer)) => {
                let result = match answer.body {
                    AnswerBody::Unary(result) => *result,
                    AnswerBody::Stream(items) => {
                        let seen = Arc::default();
                        tokio::spawn(watch(items, ask.disconnect_after, Arc::clone(&seen)));
                        self.streams.push((self.outcomes.len(), seen));
                        Result::Stream(StreamRecord::default())
                    }
                };
                Outcome { acknowledged: answer.acknowledged, result }
            }
        };
        self.outcomes.push(outcome);
        wait_until_idle().await;
    }

    pub(super) async fn end(mut self) -> Transcript {
        for (index, seen) in take(&mut self.streams) {
            let seen = take(&mut *seen.lock().unwrap());
            self.outcomes[index].result = Result::Stream(self.checked(seen));
        }
        Transcript { outcomes: self.outcomes, record: self.world.record().await }
    }

    /// Checks that in 0.3 exactly the last item of a stream has `final` set.
    fn checked(&self, mut seen: StreamRecord) -> StreamRecord {
        let last = seen.items.len().saturating_sub(1);
        for (index, item) in seen.items.iter_mut().enumerate() {
            let is_final = item.is_final.take();
            assert_eq!(is_final.is_some(), self.binding.is_old(), "{item:?}");
            let can_say = item.shown.status_update.is_some() || item.shown.message.is_some();
            let ends = index == last && seen.ended && can_say;
            // After a disconnect it is unknown whether more items would follow.
            let known = index < last || !seen.disconnected;
            assert!(is_final.is_none_or(|said| said == ends || !known), "final is {is_final:?}: {item:?}");
        }
        seen
    }
}

async fn watch(mut items: Items, disconnect_after: Option<usize>, seen: Arc<Mutex<StreamRecord>>) {
    for _ in 0..disconnect_after.unwrap_or(usize::MAX) {
        match items.next().await {
            Some(item) => seen.lock().unwrap().items.push(item),
            None => {
                seen.lock().unwrap().ended = true;
                return;
            }
        }
    }
    seen.lock().unwrap().disconnected = true;
}
