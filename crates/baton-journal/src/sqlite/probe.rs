//! Write probe: tests whether writing works again when there are no other commits.

use super::{error::JobError, writer::JournalWriter};

/// Large enough to need new pages, so that a full database is detected.
const PROBE: &str = "INSERT INTO probe (bytes) VALUES (zeroblob(65536)); DELETE FROM probe;";

impl JournalWriter {
    pub(super) fn probe(&self) -> Result<(), JobError> {
        Ok(self.connection.execute_batch(PROBE)?)
    }
}
