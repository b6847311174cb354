//! Replay of a cassette instead of a model.

use super::{
    canonical::{canonical, key},
    event::CassetteEvent,
    file::Cassette,
};
use baton_ports::{MicroDollars, Model, ModelCall, ModelError, ModelInfo, ModelStream};
use baton_types::Usage;
use futures_util::stream::iter;
use std::sync::Arc;

/// A model that replays the answers of a cassette.
pub struct ReplayModel {
    name: String,
    cassette: Arc<Cassette>,
    secrets: Arc<[String]>,
    live: Option<Arc<dyn Model>>,
}

impl ReplayModel {
    /// Creates a replay under this name; a call that is not recorded fails, and the error shows the difference to the
    /// nearest recorded call.
    pub fn strict(name: impl Into<String>, cassette: Arc<Cassette>, secrets: impl IntoIterator<Item = String>) -> Self {
        Self { name: name.into(), cassette, secrets: secrets.into_iter().collect(), live: None }
    }

    /// Creates a replay that forwards unrecorded calls to this model, which may be a [`RecorderModel`](super::RecorderModel)
    /// on the same cassette.
    pub fn with_live_model(
        live: Arc<dyn Model>,
        cassette: Arc<Cassette>,
        secrets: impl IntoIterator<Item = String>,
    ) -> Self {
        let name = live.name().to_owned();
        Self { name, cassette, secrets: secrets.into_iter().collect(), live: Some(live) }
    }
}

impl Model for ReplayModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn model_info(&self) -> ModelInfo {
        self.live.as_ref().map(|live| live.model_info()).unwrap_or_default()
    }

    fn tokens(&self, text: &str) -> u64 {
        self.live.as_ref().map_or_else(|| crate::tokens::estimate_tokens(text), |live| live.tokens(text))
    }

    /// Replayed answers cost nothing; with a live model, its price applies.
    fn price(&self, usage: Usage) -> Option<MicroDollars> {
        self.live.as_ref().map_or(Some(0), |live| live.price(usage))
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let canonical_call = canonical(&call, &self.secrets);
        if let Some(events) = self.cassette.next_answer(&key(&canonical_call)) {
            return Box::pin(iter(events.into_iter().map(CassetteEvent::into_event).map(Ok)));
        }
        if let Some(live) = &self.live {
            return live.call(call);
        }
        let path = self.cassette.path().display();
        let problem = match self.cassette.difference(&canonical_call) {
            Some(difference) => {
                format!(
                    "the cassette {path} has no answer to this call; difference to the nearest recorded call:\n{difference}"
                )
            }
            None => format!("the cassette {path} is empty; record it first"),
        };
        Box::pin(iter([Err(ModelError::Configuration(problem))]))
    }
}
