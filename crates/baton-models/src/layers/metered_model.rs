//! Context window, prices and token correction of a model.

use crate::catalog::{ModelCatalog, TokenCorrection};
use async_stream::stream;
use baton_ports::{MicroDollars, Model, ModelCall, ModelEvent, ModelInfo, ModelStream};
use baton_types::{Clock, Usage};
use futures_util::StreamExt;
use std::sync::Arc;

/// A model with a context window, prices and a token estimate that adapts to the counts of its provider.
pub struct MeteredModel {
    inner: Arc<dyn Model>,
    info: ModelInfo,
    catalog: Arc<ModelCatalog>,
    correction: Arc<TokenCorrection>,
    clock: Arc<dyn Clock>,
}

impl MeteredModel {
    /// Wraps a model; data of the model itself takes precedence over the catalog.
    pub fn new(inner: Arc<dyn Model>, catalog: Arc<ModelCatalog>, clock: Arc<dyn Clock>) -> Self {
        let catalog_info = catalog.model_info(inner.name());
        let own = inner.model_info();
        let info = ModelInfo {
            provider: own.provider.or(catalog_info.provider),
            window: own.window.or(catalog_info.window),
            max_output: own.max_output.or(catalog_info.max_output),
            images: own.images.or(catalog_info.images),
        };
        let correction = catalog.correction(inner.name());
        Self { inner, info, catalog, correction, clock }
    }
}

impl Model for MeteredModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn model_info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn tokens(&self, text: &str) -> u64 {
        self.correction.apply(crate::tokens::estimate_tokens(text))
    }

    fn price(&self, usage: Usage) -> Option<MicroDollars> {
        self.catalog.price(self.inner.name(), usage, self.clock.now())
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let correction = Arc::clone(&self.correction);
        // Token counts of files come from a table, so only calls without files update the correction.
        let plain = !crate::tokens::has_files(&call);
        let estimated = if plain { call.estimate_tokens(&crate::tokens::estimate_tokens) } else { 0 };
        let mut answer = self.inner.call(call);
        Box::pin(stream! {
            while let Some(event) = answer.next().await {
                if let Ok(ModelEvent::Done { usage, answered_by: None, .. }) = &event {
                    correction.learn(estimated, usage.input_tokens);
                }
                yield event;
            }
        })
    }
}
