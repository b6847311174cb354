//! The system clock.

use baton_types::{Clock, Timestamp};
use std::time::{SystemTime, UNIX_EPOCH};

/// The wall clock of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the real clock that everything else is given")]
    fn now(&self) -> Timestamp {
        let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, i64::wrapping_neg),
        };
        Timestamp::from_millis(millis)
    }
}
