//! Status of telemetry export targets.

/// State of an export target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExportState {
    /// Nothing was sent yet.
    #[default]
    Idle,
    /// The last request was accepted or refused for good.
    Healthy,
    /// The target does not answer or is overloaded; retried.
    Unreachable {
        /// The observed error.
        why: String,
    },
    /// The target rejects everything until a setting changes on either side; retried at long intervals.
    Blocked {
        /// The reason that the target gave.
        why: String,
    },
}

/// Export status of one signal to one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportReport {
    /// Name of the target.
    pub target: String,
    /// Scheme, host and port of the target; contains no secrets.
    pub endpoint: String,
    /// The exported signal: `traces`, `metrics` or `logs`.
    pub signal: &'static str,
    /// Whether the target is a default, not configured explicitly.
    pub is_default: bool,
    /// Current state.
    pub state: ExportState,
    /// Number of accepted items.
    pub sent: u64,
    /// Number of items refused for good.
    pub failed: u64,
    /// Number of items dropped because the queue was full.
    pub dropped: u64,
    /// Bytes in the queue.
    pub queued_bytes: u64,
}

/// Reports the status of all export targets.
pub trait ExportMonitor: Send + Sync + 'static {
    /// One report per target and signal.
    fn reports(&self) -> Vec<ExportReport>;
}
