//! Days and months, in UTC.

use baton_types::Timestamp;

const MILLI: u64 = 1_000_000;
/// A day, in nanoseconds.
pub(super) const DAY: u64 = 24 * 60 * 60 * 1_000 * MILLI;

/// Time range in nanoseconds since the Unix epoch; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Start of the day that contains `moment`.
pub(super) fn day_start(moment: u64) -> u64 {
    moment - moment % DAY
}

/// Start of the month that contains `moment`.
pub(super) fn month_start(moment: u64) -> u64 {
    let first = format!("{}-01T00:00:00Z", date(moment).get(..7).unwrap_or_default());
    let millis = Timestamp::parse(&first).map_or(0, Timestamp::as_millis);
    u64::try_from(millis).unwrap_or(0).saturating_mul(MILLI)
}

/// Date of a moment: `2026-11-16`.
pub(super) fn date(moment: u64) -> String {
    timestamp(moment).to_string().chars().take_while(|character| *character != 'T').collect()
}

/// Timestamp with millisecond precision.
pub(super) fn timestamp(moment: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(moment / MILLI).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months() {
        let nanos = |text: &str| u64::try_from(Timestamp::parse(text).unwrap().as_millis()).unwrap() * MILLI;
        for (moment, day, month) in [
            ("2026-11-16T08:00:00.123Z", "2026-11-16", "2026-11-01"),
            ("2024-02-29T23:59:59.999Z", "2024-02-29", "2024-02-01"),
            ("2026-01-01T00:00:00Z", "2026-01-01", "2026-01-01"),
            ("1970-01-01T00:00:00Z", "1970-01-01", "1970-01-01"),
        ] {
            let moment = nanos(moment);
            assert_eq!((date(moment).as_str(), day_start(moment)), (day, nanos(&format!("{day}T00:00:00Z"))));
            assert_eq!(month_start(moment), nanos(&format!("{month}T00:00:00Z")));
        }
    }
}
