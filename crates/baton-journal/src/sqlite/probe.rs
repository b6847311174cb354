//! Finding out whether writing works again, when nobody else tries.

use super::{error::Failure, writer::Writer};

/// Large enough to need fresh pages, so that a full database is noticed.
const PROBE: &str = "INSERT INTO probe (bytes) VALUES (zeroblob(65536)); DELETE FROM probe;";

impl Writer {
    pub(super) fn probe(&self) -> Result<(), Failure> {
        Ok(self.connection.execute_batch(PROBE)?)
    }
}
