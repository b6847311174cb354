//! Deterministic random choices from a seed.

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use std::{ops::Range, time::Duration};

/// Random generator of one actor, seeded by its name and the loop's seed, independent of other actors.
pub(crate) struct SeededRandom(SmallRng);

impl SeededRandom {
    pub(crate) fn new(seed: u64, actor: &str) -> Self {
        // FNV-1a, because the standard hashers guarantee no stable result.
        let name = actor
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(SmallRng::seed_from_u64(seed ^ name))
    }

    pub(crate) fn one_in(&mut self, times: u32) -> bool {
        self.0.random_range(0..times) == 0
    }

    pub(crate) fn millis(&mut self, range: Range<u64>) -> Duration {
        Duration::from_millis(self.0.random_range(range))
    }

    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.0.random_range(0..choices.len().max(1)))
    }
}
