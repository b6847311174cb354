//! TraceQL metrics queries.

use super::{
    otlp::{self, Number},
    search::{CANONICAL, WARNINGS, said},
};
use crate::{Client, ClientError, call::unintelligible};
use baton_types::SpanValue;
use baton_wire::path_segment;
use serde::{Deserialize, Deserializer, de};
use std::fmt::{self, Write as _};

/// A metrics query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricsRequest {
    /// The query, in TraceQL.
    pub query: String,
    /// Start time, in nanoseconds since the Unix epoch.
    pub start: u64,
    /// End time.
    pub end: u64,
    /// Interval in nanoseconds; chosen by the server if not given.
    pub step: Option<u64>,
    /// Whether to parse the query exactly as Tempo does.
    pub strict: bool,
}

/// Result of a metrics query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsReply {
    /// The original response, in Tempo's JSON.
    pub body: String,
    /// The canonical form of the query, if the server returns it.
    pub canonical: Option<String>,
    /// Rewritten, ignored or incomplete parts, in one line.
    pub warnings: Option<String>,
    /// The series, by their labels.
    pub series: Vec<SeriesHit>,
}

/// One series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesHit {
    /// Labels that identify the series.
    pub labels: Vec<(String, SpanValue)>,
    /// End of each interval in milliseconds since the Unix epoch, and its value.
    pub samples: Vec<(u64, f64)>,
}

impl Client {
    /// Runs a range query.
    pub async fn query_metrics(&self, request: &MetricsRequest) -> Result<MetricsReply, ClientError> {
        self.measured("query_range", request).await
    }

    /// Runs an instant query over the whole time range: each series has one sample, at the end, and no step.
    pub async fn query_metrics_whole(&self, request: &MetricsRequest) -> Result<MetricsReply, ClientError> {
        let mut reply = self.measured("query", &MetricsRequest { step: None, ..request.clone() }).await?;
        for series in &mut reply.series {
            series.samples.iter_mut().for_each(|(at, _)| *at = request.end / 1_000_000);
        }
        Ok(reply)
    }

    async fn measured(&self, what: &str, request: &MetricsRequest) -> Result<MetricsReply, ClientError> {
        let MetricsRequest { query, start, end, step, strict } = request;
        let (start, end) = (seconds(*start), seconds(*end));
        let mut path = format!("/tempo/api/metrics/{what}?q={}&start={start}&end={end}", path_segment(query));
        if let Some(step) = step {
            let _ = write!(path, "&step={step}ns");
        }
        if *strict {
            path.push_str("&strict=1");
        }
        let (headers, bytes) = self.tempo(&path).await?;
        let found: Found = serde_json::from_slice(&bytes).map_err(unintelligible)?;
        Ok(MetricsReply {
            body: String::from_utf8(bytes.to_vec()).map_err(unintelligible)?,
            canonical: said(&headers, CANONICAL),
            warnings: said(&headers, WARNINGS),
            series: found.series.into_iter().map(SeriesHit::from).collect(),
        })
    }
}

/// Seconds with nine decimals, which every server accepts.
fn seconds(nanos: u64) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    series: Vec<FoundSeries>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FoundSeries {
    labels: Vec<otlp::KeyValue>,
    samples: Vec<FoundSample>,
    /// Value of an instant query, instead of samples.
    value: Option<Measured>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FoundSample {
    timestamp_ms: Number,
    value: Measured,
}

impl From<FoundSeries> for SeriesHit {
    fn from(found: FoundSeries) -> Self {
        Self {
            labels: found.labels.into_iter().map(otlp::KeyValue::pair).collect(),
            samples: found
                .samples
                .into_iter()
                .map(|sample| (sample.timestamp_ms.0, sample.value.0))
                .chain(found.value.map(|value| (0, value.0)))
                .collect(),
        }
    }
}

/// A number, or text for NaN and infinities, which JSON numbers cannot represent.
#[derive(Clone, Copy, Debug, Default)]
struct Measured(f64);

impl<'de> Deserialize<'de> for Measured {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl de::Visitor<'_> for Read {
            type Value = Measured;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, as text or not")
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Measured, E> {
                Ok(Measured(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Measured, E> {
                Ok(Measured(number as f64))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Measured, E> {
                Ok(Measured(number as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Measured, E> {
                text.parse().map(Measured).map_err(|_| E::custom(format!("'{text}' is not a number")))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_kinds_are_read() {
        let found: Found = serde_json::from_str(
            r#"{"series":[{"labels":[{"key":"p","value":{"doubleValue":0.9}}],"samples":[
                {"timestampMs":"1000","value":1.5},{"timestampMs":2000,"value":"NaN"},{"timestampMs":"3000"},
                {"timestampMs":"4000","value":"-Infinity"},{"timestampMs":"5000","value":7}]},{}],"metrics":{}}"#,
        )
        .unwrap();
        let series: Vec<SeriesHit> = found.series.into_iter().map(SeriesHit::from).collect();
        let values: Vec<String> = series[0].samples.iter().map(|(at, value)| format!("{at} {value}")).collect();
        assert_eq!(values, ["1000 1.5", "2000 NaN", "3000 0", "4000 -inf", "5000 7"]);
        assert_eq!((series[0].labels[0].clone(), series.len()), (("p".to_owned(), SpanValue::Float(0.9)), 2));
        let whole: Found = serde_json::from_str(r#"{"series":[{"labels":[],"value":2.5}]}"#).unwrap();
        let whole: Vec<SeriesHit> = whole.series.into_iter().map(SeriesHit::from).collect();
        assert_eq!(whole[0].samples, [(0, 2.5)]);
        assert_eq!(seconds(1_794_816_000_000_000_001), "1794816000.000000001");
    }
}
