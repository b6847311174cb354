//! Status of the telemetry export targets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Status of all exports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportList {
    /// One entry per target and signal.
    pub exports: Vec<ExportEntry>,
}

/// Status of one signal of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportEntry {
    /// Name of the target.
    pub target: String,
    /// Scheme, host and port of the target.
    pub endpoint: String,
    /// `traces`, `metrics` or `logs`.
    pub signal: String,
    /// Whether the target is a default, not configured.
    #[serde(default)]
    pub is_default: bool,
    /// Current state.
    pub state: ExportTargetState,
    /// Reason that nothing can be sent at the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of accepted items since the start.
    pub sent: u64,
    /// Number of permanently rejected items.
    pub failed: u64,
    /// Number of items dropped because the queue was full.
    pub dropped: u64,
    /// Number of queued bytes.
    pub waiting_bytes: u64,
}

/// State of an export target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportTargetState {
    /// Nothing was sent yet.
    #[default]
    Idle,
    /// The last export was accepted or permanently rejected.
    Well,
    /// The target is unreachable or overloaded.
    Away,
    /// The target rejects all exports until a setting is changed.
    Blocked,
}
