//! Context windows, capabilities and prices of models by name.

mod abilities;
mod correction;
mod prices;

pub use correction::TokenCorrection;
pub use prices::TokenRates;

use baton_ports::{MicroDollars, ModelInfo};
use baton_types::{Timestamp, Usage};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// Context window assumed for an unknown model.
pub const UNKNOWN_WINDOW: u64 = 32_768;

/// Maximum number of models with a cached token correction.
const MAX_CORRECTIONS: usize = 1_024;

/// Model data by names such as `anthropic:claude-sonnet-4-5`; prices configured by the user take precedence.
#[derive(Debug, Default)]
pub struct ModelCatalog {
    user_rates: BTreeMap<String, TokenRates>,
    corrections: Mutex<HashMap<String, Arc<TokenCorrection>>>,
}

/// Splits `provider:model` at the first colon; a name without a colon is a model name.
fn split(name: &str) -> (Option<&str>, &str) {
    match name.split_once(':') {
        Some((provider, model)) => (Some(provider), model),
        None => (None, name),
    }
}

impl ModelCatalog {
    /// Creates a catalog with user-configured prices, keyed by `provider:model` or by the model name alone.
    pub fn new(own: impl IntoIterator<Item = (String, TokenRates)>) -> Self {
        Self { user_rates: own.into_iter().collect(), corrections: Mutex::default() }
    }

    /// Context window, maximum output and image support. For an unknown model the window is small and a warning is
    /// logged.
    pub fn model_info(&self, name: &str) -> ModelInfo {
        let (provider, model) = split(name);
        let found = abilities::find_capabilities(model);
        let window = prices::window(provider, model).or(found.map(|found| found.window));
        if window.is_none() && !prices::is_playbook(name) {
            tracing::warn!(
                model = name,
                window = UNKNOWN_WINDOW,
                "the context window of this model is unknown; using the default"
            );
        }
        ModelInfo {
            provider: provider.map(str::to_owned),
            window: Some(window.unwrap_or(UNKNOWN_WINDOW)),
            max_output: found.map(|found| found.max_output),
            images: found.map(|found| found.images),
        }
    }

    /// Whether the context window is known rather than assumed.
    pub fn knows_window(&self, name: &str) -> bool {
        let (provider, model) = split(name);
        prices::window(provider, model).is_some() || abilities::find_capabilities(model).is_some()
    }

    /// Standard rates per million tokens; `None` for an unknown model.
    pub fn rates(&self, name: &str, at: Timestamp) -> Option<TokenRates> {
        self.find_user_rates(name).or_else(|| prices::rates(split(name), at))
    }

    /// Price of a call with this usage, including long-context rates where they exist; `None` for an unknown model.
    pub fn price(&self, name: &str, usage: Usage, at: Timestamp) -> Option<MicroDollars> {
        match self.find_user_rates(name) {
            Some(rates) => Some(rates.price(usage)),
            None => prices::price(split(name), usage, at),
        }
    }

    fn find_user_rates(&self, name: &str) -> Option<TokenRates> {
        self.user_rates.get(name).or_else(|| self.user_rates.get(split(name).1)).copied()
    }

    /// Token correction of this model.
    pub(crate) fn correction(&self, name: &str) -> Arc<TokenCorrection> {
        let mut corrections = self.corrections.lock();
        if let Some(correction) = corrections.get(name) {
            return Arc::clone(correction);
        }
        if corrections.len() >= MAX_CORRECTIONS
            && let Some(any) = corrections.keys().next().cloned()
        {
            corrections.remove(&any);
        }
        Arc::clone(corrections.entry(name.to_owned()).or_insert_with(|| Arc::new(TokenCorrection::for_model(name))))
    }
}
