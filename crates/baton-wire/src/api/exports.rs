//! How it goes with those who are sent what Baton keeps.

use serde::{Deserialize, Serialize};

/// All of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportList {
    /// One entry for each target and each kind of thing that it is sent.
    pub exports: Vec<ExportEntry>,
}

/// What became of everything of one kind that a target was to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportEntry {
    /// What the target is called.
    pub target: String,
    /// Where it is: scheme, host and port.
    pub place: String,
    /// `traces`, `metrics` or `logs`.
    pub signal: String,
    /// Whether nobody named it.
    #[serde(default)]
    pub assumed: bool,
    /// How things stand.
    pub state: ExportStanding,
    /// Why nothing can be sent at the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How many items it took, since the start.
    pub sent: u64,
    /// How many it refused for good.
    pub failed: u64,
    /// How many went because too many waited.
    pub dropped: u64,
    /// How many bytes wait.
    pub waiting_bytes: u64,
}

/// How things stand with a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportStanding {
    /// Nothing was sent yet.
    #[default]
    Idle,
    /// What was sent last was decided.
    Well,
    /// It does not answer, or has no time.
    Away,
    /// It turns everything away until somebody changes a setting.
    Blocked,
}
