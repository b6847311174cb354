//! Options of telemetry.

use baton_export::{DEFAULT_METRICS_INTERVAL, ExportTarget};
use baton_peers::{Credential, SecretRef};
use baton_telemetry::TelemetrySettings;
use std::time::Duration;

/// Default limit of data queued for unavailable targets.
const DEFAULT_QUEUE_BYTES: u64 = 1 << 30;

/// Spans and metrics of the server, their retention and export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TelemetryOptions {
    /// Settings of what is recorded.
    pub settings: TelemetrySettings,
    /// Maximum age of telemetry; default of the store if not given.
    pub max_age: Option<Duration>,
    /// Maximum size of telemetry, oldest deleted first; default of the store if not given.
    pub max_bytes: Option<u64>,
    /// A Tempo server that is queried as well.
    pub tempo: Option<TempoServer>,
    /// Export targets.
    pub export: ExportSettings,
}

/// Export targets and limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSettings {
    /// The targets.
    pub targets: Vec<ExportTarget>,
    /// Additional request headers by target name.
    pub headers: Vec<(String, Vec<(String, HeaderText)>)>,
    /// Maximum bytes queued for unavailable targets.
    pub max_queue_bytes: u64,
    /// Collection interval of metrics.
    pub metrics_interval: Duration,
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            targets: Vec::new(),
            headers: Vec::new(),
            max_queue_bytes: DEFAULT_QUEUE_BYTES,
            metrics_interval: DEFAULT_METRICS_INTERVAL,
        }
    }
}

/// Value of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderText {
    /// Literal value.
    Plain(String),
    /// Reference to a secret.
    Secret(SecretRef),
}

/// A Tempo server that answers span queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TempoServer {
    /// Base URL.
    pub url: String,
    /// Source of query results.
    pub mode: TempoMode,
    /// Age up to which the local store is authoritative.
    pub hot: Duration,
    /// Value of `X-Scope-OrgID`.
    pub tenant: Option<String>,
    /// Credential of requests.
    pub credential: Credential,
    /// Additional headers.
    pub headers: Vec<(String, HeaderText)>,
}

/// Source of span query results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TempoMode {
    /// Local store and Tempo, merged.
    #[default]
    Tee,
    /// Tempo only.
    Tempo,
}
