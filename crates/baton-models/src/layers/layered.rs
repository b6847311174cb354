//! All layers in the order in which they work.

use super::{Chance, Fallback, Gate, Gated, Metered, Retry, RetryPolicy, Timeout, Timeouts, Total};
use crate::{catalog::Catalog, rescue::Rescue};
use baton_ports::{Clock, Model};
use std::{sync::Arc, time::Duration};

/// What is put around the models of one provider.
///
/// From the inside out, and why:
///
/// 1. [`Timeout`]: nearest to the wire, because layers further out hold text back or wait on purpose.
/// 2. [`Rescue`]: before anybody counts a first byte, so that a call in text that breaks off can be tried again.
/// 3. [`Gated`]: a place is held by a request, not by somebody who waits for the next try.
/// 4. [`Retry`]: every try takes its turn at the gate anew.
/// 5. [`Metered`]: one model, one price, one way to count; a chain has several.
///
/// [`chain`] puts several of these together: [`Fallback`] goes on when all tries of a model are spent, and [`Total`] is
/// around everything that takes time. [`Recorder`](crate::Recorder) and [`Replay`](crate::Replay) belong outside of it all: a cassette has what
/// the agent heard, and its replay neither waits nor counts. To drop the stream of the outermost is to drop all of
/// them, down to the connection.
#[derive(Clone)]
pub struct Layers {
    /// Limits to silence.
    pub timeouts: Timeouts,
    /// Whether calls of tools are understood when they are written as text.
    pub rescue: bool,
    /// The gate of the provider.
    pub gate: Arc<Gate>,
    /// When to try again.
    pub retry: RetryPolicy,
    /// What decides how long a wait is.
    pub chance: Chance,
    /// Windows and prices.
    pub catalog: Arc<Catalog>,
    /// What prices are of today.
    pub clock: Arc<dyn Clock>,
}

impl Layers {
    /// The usual ones.
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

    /// The model with everything around it.
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

/// Models that stand in for each other, each with its layers around it, in all within this time.
pub fn chain(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>, limit: Duration) -> Arc<dyn Model> {
    let model = if others.is_empty() { first } else { Arc::new(Fallback::new(first, others)) as Arc<dyn Model> };
    Arc::new(Total::new(model, limit))
}
