//! Context window, prices and token correction of a model.

use crate::catalog::{Catalog, Correction};
use async_stream::stream;
use baton_ports::{Clock, MicroDollars, Model, ModelCall, ModelEvent, ModelInfo, ModelStream};
use baton_types::Usage;
use futures_util::StreamExt;
use std::sync::Arc;

/// A model with a context window, prices and a token estimate that adapts to the counts of its provider.
pub struct Metered {
    inner: Arc<dyn Model>,
    about: ModelInfo,
    catalog: Arc<Catalog>,
    correction: Arc<Correction>,
    clock: Arc<dyn Clock>,
}

impl Metered {
    /// Wraps a model; data of the model itself takes precedence over the catalog.
    pub fn new(inner: Arc<dyn Model>, catalog: Arc<Catalog>, clock: Arc<dyn Clock>) -> Self {
        let known = catalog.about(inner.name());
        let own = inner.model_info();
        let about = ModelInfo {
            provider: own.provider.or(known.provider),
            window: own.window.or(known.window),
            max_output: own.max_output.or(known.max_output),
            images: own.images.or(known.images),
        };
        let correction = catalog.correction(inner.name());
        Self { inner, about, catalog, correction, clock }
    }
}

impl Model for Metered {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn model_info(&self) -> ModelInfo {
        self.about.clone()
    }

    fn tokens(&self, text: &str) -> u64 {
        self.correction.apply(crate::tokens::estimate(text))
    }

    fn price(&self, usage: Usage) -> Option<MicroDollars> {
        self.catalog.price(self.inner.name(), usage, self.clock.now())
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let correction = Arc::clone(&self.correction);
        // Token counts of files come from a table, so only calls without files update the correction.
        let plain = !crate::tokens::has_files(&call);
        let estimated = if plain { call.estimate_tokens(&crate::tokens::estimate) } else { 0 };
        let mut answer = self.inner.call(call);
        Box::pin(stream! {
            while let Some(event) = answer.next().await {
                if let Ok(ModelEvent::Done { usage, by: None, .. }) = &event {
                    correction.learn(estimated, usage.input_tokens);
                }
                yield event;
            }
        })
    }
}
