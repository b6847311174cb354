//! What a span store may use, and how long it keeps what.

use std::{fmt, sync::Arc, time::Duration};

/// What a span store may use, and how long it keeps what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Spans that may wait for the disk; beyond that the store is busy.
    pub queue_spans: usize,
    /// Bytes that may wait for the disk.
    pub queue_bytes: usize,
    /// Spans that are kept in memory before they become a block.
    pub head_spans: usize,
    /// Bytes that are kept in memory before they become a block.
    pub head_bytes: usize,
    /// How long spans wait in memory before they become a block, however few they are.
    pub head_age: Duration,
    /// Fewer spans than this stay in the log when the store closes: reading them again is cheaper than a tiny block.
    pub close_spans: usize,
    /// Blocks are merged until they have about this many spans.
    pub merged_spans: u64,
    /// What goes by itself.
    pub retention: Retention,
    /// How often it is looked whether something has to go.
    pub retention_period: Duration,
    /// Searches that run at the same time; the others wait.
    pub searches: usize,
    /// How long a search may take before it answers with what it has.
    pub search_budget: Duration,
    /// The present moment, in nanoseconds since the Unix epoch.
    pub now: fn() -> u64,
    /// Hears of every step that a crash could come between.
    pub probe: Probe,
    /// Who reads the log to send spans on.
    pub hold: Hold,
}

/// Who reads the log to send spans on, and how much of it is held for them when the store itself needs it no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// Their names: letters, digits, dashes and underscores.
    pub readers: Vec<String>,
    /// Most bytes that are held; the oldest go first. With none, readers see what the store needs itself.
    pub bytes: u64,
}

/// How much telemetry is kept; what agents remember is kept anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Telemetry older than this goes.
    pub max_age: Option<Duration>,
    /// Telemetry beyond this many bytes of blocks goes, oldest first.
    pub max_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            queue_spans: 64 * 1024,
            queue_bytes: 48 << 20,
            head_spans: 64 * 1024,
            head_bytes: 24 << 20,
            head_age: Duration::from_secs(5 * 60),
            close_spans: 8 * 1024,
            merged_spans: 1 << 20,
            retention: Retention { max_age: Some(Duration::from_secs(14 * 24 * 3600)), max_bytes: Some(8 << 30) },
            retention_period: Duration::from_secs(60),
            searches: 4,
            search_budget: Duration::from_secs(10),
            now: wall_clock,
            probe: Probe::default(),
            hold: Hold::default(),
        }
    }
}

/// Hears of every step that changes the directory, so that a test can look at it as a crash would leave it.
#[derive(Clone, Default)]
pub struct Probe(Option<Arc<dyn Fn(&'static str) + Send + Sync>>);

impl Probe {
    /// Calls this at every step, on the thread that did it.
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

/// The wall clock of this machine, in nanoseconds since the Unix epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "spans are stamped in nanoseconds, which the port of the clock does not have"
)]
pub fn wall_clock() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
