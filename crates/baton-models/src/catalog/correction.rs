//! Ratio between the token count of a provider and the estimate.

use std::sync::atomic::{AtomicU64, Ordering};

/// Weight of the newest call in the moving average.
const WEIGHT: f64 = 0.2;
/// Minimum estimate of a call that is learned from: in shorter calls the fixed overhead of the provider distorts the
/// ratio.
const MIN_ESTIMATE: u64 = 200;
/// Bounds of the ratio; a count outside of them is wrong or measures something else.
const MIN_RATIO: f64 = 0.5;
const MAX_RATIO: f64 = 2.5;
/// Initial factor of models whose tokenizers produce more tokens than those the estimate is calibrated for.
const FINE_TOKENIZER_FACTOR: f64 = 1.15;

/// Moving average of the ratio of counted to estimated tokens.
#[derive(Debug)]
pub struct TokenCorrection(AtomicU64);

impl TokenCorrection {
    /// Initial factor for this model, before any call.
    pub(super) fn for_model(name: &str) -> Self {
        let finer = ["claude", "gemini", "nova"].iter().any(|family| name.contains(family));
        Self(AtomicU64::new(if finer { FINE_TOKENIZER_FACTOR } else { 1.0 }.to_bits()))
    }

    /// Current factor.
    pub fn factor(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// Applies the factor to an estimate.
    pub fn apply(&self, estimated: u64) -> u64 {
        (estimated as f64 * self.factor()).ceil() as u64
    }

    /// Updates the average with the count of the provider for an estimate.
    pub fn learn(&self, estimated: u64, counted: u64) {
        if estimated < MIN_ESTIMATE || counted == 0 {
            return;
        }
        let ratio = (counted as f64 / estimated as f64).clamp(MIN_RATIO, MAX_RATIO);
        let average = |bits: u64| Some((f64::from_bits(bits) * (1.0 - WEIGHT) + ratio * WEIGHT).to_bits());
        // The closure always returns `Some`, so the update cannot fail.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, average);
    }
}
