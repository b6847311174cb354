//! Metrics source of the surface.

use baton_meters::Meters;
use std::{fmt, sync::Arc};

/// Metrics source and clock.
#[derive(Clone)]
pub struct MeterPorts {
    /// The meters of this process.
    pub meters: Arc<Meters>,
    /// Current time in nanoseconds since the Unix epoch.
    pub now: fn() -> u64,
}

impl fmt::Debug for MeterPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MeterPorts")
    }
}
