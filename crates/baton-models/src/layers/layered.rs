//! All layers in their order.

use super::{Chance, Fallback, Gate, Gated, Metered, Retry, RetryPolicy, Timeout, Timeouts, Total};
use crate::{catalog::Catalog, rescue::Rescue};
use baton_ports::{Clock, Model};
use std::{sync::Arc, time::Duration};

/// The layers around the models of one provider.
///
/// From the inside out, with reasons:
///
/// 1. [`Timeout`]: next to the network, because outer layers hold back text or wait on purpose.
/// 2. [`Rescue`]: before any layer counts a first byte, so that a tool call in text that breaks off can be retried.
/// 3. [`Gated`]: a slot is held by a request in flight, not by a caller that waits for a retry.
/// 4. [`Retry`]: every attempt goes through the gate again.
/// 5. [`Metered`]: one model, one price, one token correction; a chain has several.
///
/// [`chain`] combines several of these: [`Fallback`] switches to the next model when all attempts of a model are
/// exhausted, and [`Total`] limits the duration of the whole call. [`Recorder`](crate::Recorder) and
/// [`Replay`](crate::Replay) belong outside of all layers: a cassette contains the answer that the agent received, and
/// a replay neither waits nor counts. Dropping the outermost stream drops all of them, down to the connection.
#[derive(Clone)]
pub struct Layers {
    /// Timeouts for the first and the next pieces of an answer.
    pub timeouts: Timeouts,
    /// Whether tool calls written as text are recognized.
    pub rescue: bool,
    /// Gate of the provider.
    pub gate: Arc<Gate>,
    /// Retry policy.
    pub retry: RetryPolicy,
    /// Source of the retry jitter.
    pub chance: Chance,
    /// Context windows and prices.
    pub catalog: Arc<Catalog>,
    /// Clock for prices that depend on the date.
    pub clock: Arc<dyn Clock>,
}

impl Layers {
    /// Creates the default layers.
    pub fn new(gate: Arc<Gate>, catalog: Arc<Catalog>, clock: Arc<dyn Clock>) -> Self {
        Self {
            timeouts: Timeouts::default(),
            rescue: true,
            gate,
            retry: RetryPolicy::default(),
            chance: Chance::default(),
            catalog,
            clock,
        }
    }

    /// Wraps the model in all layers.
    pub fn around(&self, model: Arc<dyn Model>) -> Arc<dyn Model> {
        let mut model: Arc<dyn Model> = Arc::new(Timeout::new(model, self.timeouts));
        if self.rescue {
            model = Arc::new(Rescue::new(model));
        }
        model = Arc::new(Gated::new(model, Arc::clone(&self.gate)));
        model = Arc::new(Retry::new(model, self.retry, self.chance.clone()));
        Arc::new(Metered::new(model, Arc::clone(&self.catalog), Arc::clone(&self.clock)))
    }
}

/// Chains models as fallbacks of each other, each already wrapped in its layers, with a time limit for the whole call.
pub fn chain(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>, limit: Duration) -> Arc<dyn Model> {
    let model = if others.is_empty() { first } else { Arc::new(Fallback::new(first, others)) as Arc<dyn Model> };
    Arc::new(Total::new(model, limit))
}
