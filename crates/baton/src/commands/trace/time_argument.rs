//! Parses time arguments.

use baton_document::duration;
use baton_types::Timestamp;

/// Point in time: relative to now, or absolute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeArgument {
    /// Duration before now.
    Ago(std::time::Duration),
    /// Absolute time.
    At(Timestamp),
}

/// Parses `90s`, `15m`, `1h`, `2d`, `2026-11-16`, `2026-11-16T08:00:00Z` or seconds since the Unix epoch.
pub(crate) fn parse_time(text: &str) -> Result<TimeArgument, String> {
    let text = text.trim();
    let wrong = || "expected a duration such as 15m, 1h or 2d, or a timestamp such as 2026-11-16T08:00:00Z".to_owned();
    if let Some(ago) = duration(text) {
        return Ok(TimeArgument::Ago(ago));
    }
    if let Ok(seconds) = text.parse::<i64>() {
        return seconds
            .checked_mul(1000)
            .map(|millis| TimeArgument::At(Timestamp::from_millis(millis)))
            .ok_or_else(wrong);
    }
    let midnight = format!("{text}T00:00:00Z");
    let moment = Timestamp::parse(text).or_else(|_| Timestamp::parse(&midnight));
    moment.map(TimeArgument::At).map_err(|_| wrong())
}

impl TimeArgument {
    /// Milliseconds since the Unix epoch.
    fn millis(self, now: Timestamp) -> u64 {
        let millis = match self {
            Self::Ago(ago) => now.as_millis().saturating_sub(i64::try_from(ago.as_millis()).unwrap_or(i64::MAX)),
            Self::At(moment) => moment.as_millis(),
        };
        u64::try_from(millis).unwrap_or(0)
    }

    /// Nanoseconds since the Unix epoch.
    pub(crate) fn nanos(self, now: Timestamp) -> u64 {
        self.millis(now).saturating_mul(1_000_000)
    }

    /// Seconds since the Unix epoch, rounded down.
    pub(crate) fn second_before(self, now: Timestamp) -> u64 {
        self.millis(now) / 1000
    }

    /// Seconds since the Unix epoch, rounded up.
    pub(crate) fn second_after(self, now: Timestamp) -> u64 {
        self.millis(now).div_ceil(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn human_readable_times_are_parsed() {
        let now = Timestamp::parse("2026-11-16T08:00:00.500Z").unwrap();
        let seconds = now.as_millis() as u64 / 1000;
        for (text, expect) in [
            ("1h", Some((seconds - 3600, seconds - 3599))),
            ("2026-11-16T07:00:00Z", Some((seconds - 3600, seconds - 3600))),
            ("2026-11-16T08:00:00+01:00", Some((seconds - 3600, seconds - 3600))),
            ("2026-11-16", Some((seconds - 8 * 3600, seconds - 8 * 3600))),
            ("1700000000", Some((1_700_000_000, 1_700_000_000))),
            ("yesterday", None),
            ("", None),
        ] {
            let read = parse_time(text).ok().map(|when| (when.second_before(now), when.second_after(now)));
            assert_eq!(read, expect, "{text}");
        }
    }
}
