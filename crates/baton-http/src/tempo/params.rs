//! Query parameters in the format of Tempo clients.

use super::refusal::TempoRejection;
use axum::extract::FromRequestParts;
use baton_span_ports::TimeRange;
use http::request::Parts;
use std::{convert::Infallible, str::FromStr};

const SECOND: u64 = 1_000_000_000;

/// Pairs of a query string. The first of several with the same name counts.
pub(super) struct TempoParams(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for TempoParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect()))
    }
}

impl TempoParams {
    /// Text of a parameter; an empty one counts as missing.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).filter(|text| !text.is_empty())
    }

    /// Whether a flag is set.
    pub(super) fn is_on(&self, name: &str) -> bool {
        matches!(self.text(name), Some("1" | "true"))
    }

    /// Number of a parameter.
    pub(super) fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, TempoRejection> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number = text.parse().map(Some);
        number.map_err(|_| {
            TempoRejection::bad_request(format!("invalid {name}: '{text}' is not a whole number in the valid range"))
        })
    }

    /// Range from `start` and `end` in seconds since the Unix epoch; it includes the second that `end` names.
    pub(super) fn range(&self) -> Result<TimeRange, TempoRejection> {
        let (start, end) = (self.number::<u64>("start")?, self.number::<u64>("end")?);
        let range = TimeRange {
            start: start.map_or(TimeRange::ALL.start, |start| start.saturating_mul(SECOND)),
            end: end.map_or(TimeRange::ALL.end, |end| end.saturating_mul(SECOND).saturating_add(SECOND - 1)),
        };
        if range.start > range.end {
            return Err(TempoRejection::bad_request("invalid start: it must not be after end"));
        }
        Ok(range)
    }
}
