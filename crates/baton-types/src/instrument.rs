//! Definition of an instrument.

/// An instrument: a row of the table.
#[derive(Debug, PartialEq)]
pub struct Instrument {
    /// Name, with dots.
    pub name: &'static str,
    /// UCUM unit: `s`, `By`, or `{span}` for counts.
    pub unit: &'static str,
    /// Kind of the instrument.
    pub kind: InstrumentKind,
    /// Label names; a series has a value for each known label.
    pub labels: &'static [&'static str],
    /// Description in one sentence.
    pub help: &'static str,
}

/// Kind of an instrument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InstrumentKind {
    /// Monotonic over the lifetime of the process.
    Counter,
    /// Current value.
    Gauge,
    /// Cumulative counts by bucket.
    Histogram {
        /// Inclusive upper bounds of all buckets except the last, in the unit.
        bounds: &'static [f64],
        /// Recorded units per display unit: 1e9 for nanoseconds to seconds, 1 for tokens.
        per_unit: u64,
    },
}
