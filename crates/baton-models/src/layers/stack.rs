//! All layers in their order.

use super::{
    DeadlineModel, FallbackModel, GatedModel, JitterSource, MeteredModel, ProviderGate, RetryModel, RetryPolicy,
    StreamTimeouts, TimeoutModel,
};
use crate::{catalog::ModelCatalog, rescue::RescueModel};
use baton_ports::Model;
use baton_types::Clock;
use std::{sync::Arc, time::Duration};

/// The layers around the models of one provider.
///
/// From the inside out, with reasons:
///
/// 1. [`TimeoutModel`]: next to the network, because outer layers hold back text or wait on purpose.
/// 2. [`RescueModel`]: before any layer counts a first byte, so that a tool call in text that breaks off can be retried.
/// 3. [`GatedModel`]: a slot is held by a request in flight, not by a caller that waits for a retry.
/// 4. [`RetryModel`]: every attempt goes through the gate again.
/// 5. [`MeteredModel`]: one model, one price, one token correction; a chain has several.
///
/// [`chain`] combines several of these: [`FallbackModel`] switches to the next model when all attempts of a model are
/// exhausted, and [`DeadlineModel`] limits the duration of the whole call. [`RecorderModel`](crate::RecorderModel) and
/// [`ReplayModel`](crate::ReplayModel) belong outside of all layers: a cassette contains the answer that the agent received, and
/// a replay neither waits nor counts. Dropping the outermost stream drops all of them, down to the connection.
#[derive(Clone)]
pub struct ModelLayers {
    /// Timeouts for the first and the next pieces of an answer.
    pub timeouts: StreamTimeouts,
    /// Whether tool calls written as text are recognized.
    pub rescue: bool,
    /// Gate of the provider.
    pub gate: Arc<ProviderGate>,
    /// Retry policy.
    pub retry: RetryPolicy,
    /// Source of the retry jitter.
    pub jitter: JitterSource,
    /// Context windows and prices.
    pub catalog: Arc<ModelCatalog>,
    /// Clock for prices that depend on the date.
    pub clock: Arc<dyn Clock>,
}

impl ModelLayers {
    /// Creates the default layers.
    pub fn new(gate: Arc<ProviderGate>, catalog: Arc<ModelCatalog>, clock: Arc<dyn Clock>) -> Self {
        Self {
            timeouts: StreamTimeouts::default(),
            rescue: true,
            gate,
            retry: RetryPolicy::default(),
            jitter: JitterSource::default(),
            catalog,
            clock,
        }
    }

    /// Wraps the model in all layers.
    pub fn wrap(&self, model: Arc<dyn Model>) -> Arc<dyn Model> {
        let mut model: Arc<dyn Model> = Arc::new(TimeoutModel::new(model, self.timeouts));
        if self.rescue {
            model = Arc::new(RescueModel::new(model));
        }
        model = Arc::new(GatedModel::new(model, Arc::clone(&self.gate)));
        model = Arc::new(RetryModel::new(model, self.retry, self.jitter.clone()));
        Arc::new(MeteredModel::new(model, Arc::clone(&self.catalog), Arc::clone(&self.clock)))
    }
}

/// Chains models as fallbacks of each other, each already wrapped in its layers, with a time limit for the whole call.
pub fn chain(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>, limit: Duration) -> Arc<dyn Model> {
    let model = if others.is_empty() { first } else { Arc::new(FallbackModel::new(first, others)) as Arc<dyn Model> };
    Arc::new(DeadlineModel::new(model, limit))
}
