//! Timestamps in milliseconds since the Unix epoch.

use jiff::{SignedDuration, civil::DateTime};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// A UTC timestamp with millisecond precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// Error for text that is not an RFC 3339 timestamp.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not an RFC 3339 timestamp such as 2026-11-15T19:46:00.000Z")]
pub struct TimestampError(String);

impl Timestamp {
    /// Creates a timestamp from milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This timestamp plus a duration.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Duration until `later`; zero if it has passed.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }

    /// Parses RFC 3339 with any offset.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let parsed = text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
        parsed.ok().or_else(|| parse_last_day(text)).map(Self).ok_or_else(|| TimestampError(text.to_owned()))
    }
}

/// Unix epoch, for timestamps that `jiff` represents only as a civil date and time.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Parses the last day of the year 9999, which some peers send for "never". `jiff` timestamps end shortly before it, so
/// that each has a date in every time zone.
fn parse_last_day(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z').filter(|text| text.starts_with("9999-12-3") && text.contains('T'))?;
    let moment: DateTime = text.parse().ok()?;
    i64::try_from(moment.duration_since(EPOCH).as_millis()).ok()
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not built from milliseconds: that constructor rejects the last second that the parser accepts.
        let nanos = i32::try_from(self.0.rem_euclid(1000)).unwrap_or_default() * 1_000_000;
        if let Ok(moment) = jiff::Timestamp::new(self.0.div_euclid(1000), nanos) {
            return write!(f, "{moment:.3}");
        }
        match EPOCH.checked_add(SignedDuration::from_millis(self.0)) {
            Ok(moment) => write!(f, "{moment:.3}Z"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}
