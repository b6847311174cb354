//! What bounds the work of an orchestrator.

use std::time::Duration;

/// How often, how deep, how many and how long; the defaults suit people who wait for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often one agent may have tools run for one request.
    pub rounds: u32,
    /// How many calls one agent may ask for at a time.
    pub calls: usize,
    /// How many of them run at the same time.
    pub calls_at_once: usize,
    /// How often work may be handed over.
    pub depth: u32,
    /// How long everything may take that one request begins.
    pub deadline: Duration,
    /// How long an Environment may take until it can be called.
    pub environment: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 20,
            calls: 64,
            calls_at_once: 8,
            depth: 5,
            deadline: Duration::from_secs(30 * 60),
            environment: Duration::from_secs(30),
        }
    }
}
