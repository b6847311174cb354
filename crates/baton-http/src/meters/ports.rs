//! What the surface is told about meters.

use baton_telemetry::Meters;
use std::{fmt, sync::Arc};

/// Who counts and times.
#[derive(Clone)]
pub struct MeterPorts {
    /// The meters of this process.
    pub meters: Arc<Meters>,
    /// The present moment, in nanoseconds since the Unix epoch.
    pub now: fn() -> u64,
}

impl fmt::Debug for MeterPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MeterPorts")
    }
}
