//! How far a model's own count is from the estimate.

use std::sync::atomic::{AtomicU64, Ordering};

/// How much one call counts among all that came before.
const WEIGHT: f64 = 0.2;
/// Calls that are shorter teach nothing: what services add to each would pass for words.
const SHORTEST: u64 = 200;
/// A service that counts otherwise is wrong, or counts something else.
const LEAST: f64 = 0.5;
const MOST: f64 = 2.5;
/// Models that cut words into more pieces than those whose counts the estimate is made for.
const FINER: f64 = 1.15;

/// A moving average of what a service counted for every token that was estimated.
#[derive(Debug)]
pub struct Correction(AtomicU64);

impl Correction {
    /// As it is before anything was learned.
    pub(super) fn of(name: &str) -> Self {
        let finer = ["claude", "gemini", "nova"].iter().any(|family| name.contains(family));
        Self(AtomicU64::new(if finer { FINER } else { 1.0 }.to_bits()))
    }

    /// The factor now.
    pub fn factor(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// The estimate as this model counts it.
    pub fn apply(&self, estimated: u64) -> u64 {
        (estimated as f64 * self.factor()).ceil() as u64
    }

    /// Takes in what a service counted where so much was estimated.
    pub fn learn(&self, estimated: u64, counted: u64) {
        if estimated < SHORTEST || counted == 0 {
            return;
        }
        let ratio = (counted as f64 / estimated as f64).clamp(LEAST, MOST);
        let average = |bits: u64| Some((f64::from_bits(bits) * (1.0 - WEIGHT) + ratio * WEIGHT).to_bits());
        // The closure never declines, so there is nothing to do about the result.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, average);
    }
}
