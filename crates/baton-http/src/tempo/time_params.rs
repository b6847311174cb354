//! Time parameters in the formats of Tempo clients: seconds, nanoseconds, RFC 3339, or a relative duration.

use super::{params::TempoParams, refusal::TempoRejection};
use baton_span_ports::TimeRange;
use baton_traceql::{FieldExpr, Literal, Mode, PipelineExpr, PipelineStage, Root, SpansetExpr, Steps, parse};
use baton_types::Timestamp;

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// Default range of a series.
const DEFAULT_RANGE_NANOS: u64 = 3600 * SECOND;

/// Range from `start` and `end`. The default end is now; the default start is `since`, or an hour, before that.
pub(super) fn range(params: &TempoParams, now: Timestamp) -> Result<TimeRange, TempoRejection> {
    let now = u64::try_from(now.as_millis()).unwrap_or(0).saturating_mul(MILLISECOND);
    let named = |name: &'static str| {
        params.text(name).map(|text| parse_time(name, text)).transpose().map_err(TempoRejection::bad_request)
    };
    let end = named("end")?.unwrap_or(now);
    let since = match params.text("since") {
        Some(text) => parse_duration("since", text)?,
        None => DEFAULT_RANGE_NANOS,
    };
    // The end may be in the future, where there is no data.
    let start = named("start")?.unwrap_or_else(|| end.min(now).saturating_sub(since));
    if start >= end {
        return Err(TempoRejection::bad_request("invalid start: it must be before end"));
    }
    Ok(TimeRange { start, end })
}

/// Intervals of a range, with length `step` or a suitable default.
pub(super) fn steps(params: &TempoParams, range: TimeRange) -> Result<Steps, TempoRejection> {
    let step = match params.text("step") {
        Some(text) => parse_duration("step", text)?,
        None => Steps::default_step(range.end - range.start),
    };
    Steps::cover(range.start, range.end, step).ok_or_else(|| {
        let max_intervals = u64::try_from(Steps::MAX_INTERVALS).unwrap_or(u64::MAX);
        // One less, because the first and the last interval may extend beyond the range.
        let min_seconds = (range.end - range.start).div_ceil(max_intervals.saturating_sub(1)).div_ceil(SECOND);
        TempoRejection::bad_request(format!(
            "invalid step: it splits the range into more than {max_intervals} intervals; use a step of \
             {min_seconds}s or more, or a shorter range"
        ))
    })
}

/// Parses a time: up to ten digits are seconds, sixteen or more are nanoseconds, anything else is RFC 3339.
pub(crate) fn parse_time(name: &str, text: &str) -> Result<u64, String> {
    let wrong =
        || format!("invalid {name}: '{text}' is not a time: write seconds or nanoseconds since 1970, or RFC 3339");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let parse_integer = || text.parse::<u64>().map_err(|_| wrong());
    if digits == text.len() {
        return match digits {
            1..=10 => Ok(parse_integer()?.saturating_mul(SECOND)),
            16.. => parse_integer(),
            _ => Err(wrong()),
        };
    }
    if let Some((seconds, fraction)) = text.split_once('.')
        && fraction.bytes().all(|digit| digit.is_ascii_digit())
    {
        // Parsed as digits: a float cannot hold current times in nanoseconds.
        let nanos: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
        let seconds = seconds.parse::<u32>().map_err(|_| wrong())?;
        return Ok(u64::from(seconds) * SECOND + nanos.parse::<u64>().map_err(|_| wrong())?);
    }
    let moment = Timestamp::parse(text).map_err(|_| wrong())?;
    Ok(u64::try_from(moment.as_millis()).map_err(|_| wrong())?.saturating_mul(MILLISECOND))
}

/// Parses a duration: with a TraceQL unit, or in seconds.
fn parse_duration(name: &str, text: &str) -> Result<u64, TempoRejection> {
    let seconds = || text.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    let nanos = parse_duration_literal(text).and_then(|nanos| u64::try_from(nanos).ok());
    let nanos = nanos.or_else(|| Some((seconds()? * SECOND as f64) as u64));
    nanos.filter(|nanos| *nanos > 0).ok_or_else(|| {
        TempoRejection::bad_request(format!("invalid {name}: '{text}' is not a duration such as 15s, 5m or 1h30m"))
    })
}

/// Parses a TraceQL duration literal.
pub(super) fn parse_duration_literal(text: &str) -> Option<i64> {
    let Root::Search(PipelineExpr::Pipeline(stages)) =
        parse(&format!("{{ duration > {text} }}"), Mode::Strict).ok()?.query.root
    else {
        return None;
    };
    let [PipelineStage::Spansets(SpansetExpr::Filter(Some(FieldExpr::Binary { right, .. })))] = stages.as_slice()
    else {
        return None;
    };
    match **right {
        FieldExpr::Literal(Literal::Duration(nanos)) => Some(nanos),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        for (text, expect) in [
            ("1794767304", Some(1_794_767_304_000_000_000)),
            ("0", Some(0)),
            ("1794767304.25", Some(1_794_767_304_250_000_000)),
            ("1794767304.000000001", Some(1_794_767_304_000_000_001)),
            ("1794767304664938900", Some(1_794_767_304_664_938_900)),
            ("2026-11-15T18:28:24.664Z", Some(1_794_767_304_664_000_000)),
            ("2026-11-15T19:28:24+01:00", Some(1_794_767_304_000_000_000)),
            ("1794767304664", None),
            ("99999999999999999999", None),
            ("1960-01-01T00:00:00Z", None),
            ("-5", None),
            ("now", None),
        ] {
            assert_eq!(parse_time("start", text).ok(), expect, "{text}");
        }
    }

    #[test]
    fn lengths() {
        for (text, expect) in [
            ("60s", Some(60 * SECOND)),
            ("1h30m", Some(5400 * SECOND)),
            ("250ms", Some(SECOND / 4)),
            ("15", Some(15 * SECOND)),
            ("0.5", Some(SECOND / 2)),
            ("0", None),
            ("0s", None),
            ("-5m", None),
            ("5", Some(5 * SECOND)),
            ("1s && true", None),
            ("inf", None),
            ("soon", None),
        ] {
            assert_eq!(parse_duration("step", text).ok(), expect, "{text}");
        }
    }
}
