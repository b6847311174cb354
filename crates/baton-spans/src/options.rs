//! Resource limits and retention of a span store.

use std::{fmt, sync::Arc, time::Duration};

/// Resource limits and retention of a span store.
#[derive(Clone, Debug)]
pub struct SpanStoreOptions {
    /// Upper bound of spans queued for the disk; beyond it the store is busy.
    pub queue_spans: usize,
    /// Upper bound of bytes queued for the disk.
    pub queue_bytes: usize,
    /// Spans kept in memory before they are flushed to a block.
    pub head_spans: usize,
    /// Bytes kept in memory before they are flushed to a block: encoded spans and their index.
    pub head_bytes: usize,
    /// Maximum age of spans in memory before they are flushed to a block, however few they are.
    pub head_age: Duration,
    /// With fewer spans than this, closing the store leaves them in the log: replaying them is cheaper than a tiny
    /// block.
    pub close_spans: usize,
    /// Target number of spans of a merged block.
    pub merged_spans: u64,
    /// Retention limits that the store enforces.
    pub retention: TelemetryRetention,
    /// Interval between retention checks.
    pub retention_period: Duration,
    /// Maximum number of concurrent searches; further ones are queued.
    pub searches: usize,
    /// Time limit of a search; after it, the partial result is returned.
    pub search_budget: Duration,
    /// Clock: nanoseconds since the Unix epoch.
    pub now: fn() -> u64,
    /// Called at every step that a crash could fall between.
    pub probe: Probe,
    /// Log retention for readers that forward spans.
    pub log_retention: LogRetentionOptions,
}

/// Named log readers that forward spans, and the size of the log retained for them beyond the needs of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogRetentionOptions {
    /// Reader names: letters, digits, dashes and underscores.
    pub readers: Vec<String>,
    /// Upper bound of retained bytes; the oldest files are deleted first. With 0, readers see only the log that the
    /// store itself needs.
    pub bytes: u64,
}

/// Retention of telemetry; spans of class memory are always kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TelemetryRetention {
    /// Maximum age of telemetry.
    pub max_age: Option<Duration>,
    /// Maximum total size of telemetry blocks in bytes; the oldest are deleted first.
    pub max_bytes: Option<u64>,
}

impl Default for SpanStoreOptions {
    fn default() -> Self {
        Self {
            queue_spans: 64 * 1024,
            queue_bytes: 48 << 20,
            head_spans: 64 * 1024,
            head_bytes: 16 << 20,
            head_age: Duration::from_secs(5 * 60),
            close_spans: 8 * 1024,
            merged_spans: 1 << 20,
            retention: TelemetryRetention {
                max_age: Some(Duration::from_secs(14 * 24 * 3600)),
                max_bytes: Some(8 << 30),
            },
            retention_period: Duration::from_secs(60),
            searches: 4,
            search_budget: Duration::from_secs(10),
            now: wall_clock,
            probe: Probe::default(),
            log_retention: LogRetentionOptions::default(),
        }
    }
}

/// Callback for every step that changes the directory, so that tests can inspect the state that a crash would leave.
#[derive(Clone, Default)]
pub struct Probe(Option<Arc<dyn Fn(&'static str) + Send + Sync>>);

impl Probe {
    /// Calls the function at every step, on the thread that performed it.
    pub fn new(hears: impl Fn(&'static str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hears)))
    }

    pub(crate) fn step(&self, name: &'static str) {
        if let Some(hears) = &self.0 {
            hears(name);
        }
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Probe").field(&self.0.is_some()).finish()
    }
}

/// Wall clock of this machine, in nanoseconds since the Unix epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "spans are stamped in nanoseconds, which the port of the clock does not have"
)]
pub fn wall_clock() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
