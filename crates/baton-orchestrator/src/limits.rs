//! Limits of an orchestrator.

use std::time::Duration;

/// Limits of one request; the defaults suit interactive use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrchestratorLimits {
    /// Maximum number of tool rounds per agent.
    pub rounds: u32,
    /// Maximum number of calls that one agent may request at once.
    pub calls: usize,
    /// Maximum number of concurrent calls.
    pub concurrent_calls: usize,
    /// Maximum handoff depth.
    pub depth: u32,
    /// Deadline of a request, including all work that it starts.
    pub deadline: Duration,
    /// Timeout until an Environment is ready.
    pub environment_timeout: Duration,
}

impl Default for OrchestratorLimits {
    fn default() -> Self {
        Self {
            rounds: 20,
            calls: 64,
            concurrent_calls: 8,
            depth: 5,
            deadline: Duration::from_secs(30 * 60),
            environment_timeout: Duration::from_secs(30),
        }
    }
}
