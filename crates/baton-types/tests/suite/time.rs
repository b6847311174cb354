use baton_types::Timestamp;
use proptest::prelude::*;
use std::time::Duration;

#[test]
fn moments_are_read_with_any_offset_and_written_in_utc() {
    for (text, written) in [
        ("2026-11-15T19:46:00Z", "2026-11-15T19:46:00.000Z"),
        ("2026-11-15T19:46:00.1239Z", "2026-11-15T19:46:00.123Z"),
        ("2026-11-15T21:46:00.5+02:00", "2026-11-15T19:46:00.500Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ("9999-12-30T22:00:00.9999Z", "9999-12-30T22:00:00.999Z"),
        ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999Z"),
        ("-009999-01-02T01:59:59Z", "-009999-01-02T01:59:59.000Z"),
    ] {
        assert_eq!(Timestamp::parse(text).unwrap().to_string(), written, "{text}");
    }
    for text in
        ["", "yesterday", "2026-11-15", "2026-11-15T19:46:00", "2026-13-15T19:46:00Z", "1794770760000", "9999-12-31Z"]
    {
        assert!(Timestamp::parse(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn timestamps_round_trip(millis in -62_000_000_000_000..253_402_300_800_000i64) {
        let moment = Timestamp::from_millis(millis);
        prop_assert_eq!(Timestamp::parse(&moment.to_string()).unwrap(), moment);
        prop_assert_eq!(serde_json::to_string(&moment).unwrap(), millis.to_string());
    }

    #[test]
    fn moments_are_ordered_and_never_overflow(one in any::<i64>(), other in any::<i64>(), wait in any::<u64>()) {
        let (one, other) = (Timestamp::from_millis(one), Timestamp::from_millis(other));
        let later = one.after(Duration::from_millis(wait));
        prop_assert!(later >= one && !later.to_string().is_empty());
        prop_assert_eq!(one.until(other).is_zero(), other <= one);
        if other >= one && one.until(other) < Duration::from_millis(i64::MAX.unsigned_abs()) {
            prop_assert_eq!(one.after(one.until(other)), other);
        }
    }
}
