//! Write probe: tests whether writing works again when there are no other commits.

use super::{error::Failure, writer::Writer};

/// Large enough to need new pages, so that a full database is detected.
const PROBE: &str = "INSERT INTO probe (bytes) VALUES (zeroblob(65536)); DELETE FROM probe;";

impl Writer {
    pub(super) fn probe(&self) -> Result<(), Failure> {
        Ok(self.connection.execute_batch(PROBE)?)
    }
}
