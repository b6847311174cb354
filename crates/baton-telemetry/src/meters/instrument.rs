//! What can be measured.

/// One thing that is measured: a row of the table.
#[derive(Debug, PartialEq)]
pub struct Instrument {
    /// Its name, with dots.
    pub name: &'static str,
    /// Its unit, as UCUM writes it: `s`, `By`, or `{span}` for what is counted.
    pub unit: &'static str,
    /// How its figures come about.
    pub kind: InstrumentKind,
    /// The names of its labels; a series has a value for each that is known.
    pub labels: &'static [&'static str],
    /// One sentence for people.
    pub help: &'static str,
}

/// How figures come about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InstrumentKind {
    /// Only grows while the process lives.
    Counter,
    /// What there is at a moment.
    Gauge,
    /// How often values fell into which bucket, only growing.
    Histogram {
        /// The upper ends of the buckets but the last, which has none, in the unit; each belongs to its bucket.
        bounds: &'static [f64],
        /// How many of what is recorded make one of the unit: nanoseconds of a second, tokens of a token.
        per_unit: u64,
    },
}
