//! TraceQL metrics queries.

use super::{
    otlp::{self, LenientInteger},
    search::{CANONICAL, WARNINGS, decoded_header},
};
use crate::{Client, ClientError, call::invalid_response};
use baton_encoding::path_segment;
use baton_types::SpanValue;
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
        self.run_metrics_query("query_range", request).await
    }

    /// Runs an instant query over the whole time range: each series has one sample, at the end, and no step.
    pub async fn query_metrics_instant(&self, request: &MetricsRequest) -> Result<MetricsReply, ClientError> {
        let mut reply = self.run_metrics_query("query", &MetricsRequest { step: None, ..request.clone() }).await?;
        for series in &mut reply.series {
            series.samples.iter_mut().for_each(|(at, _)| *at = request.end / 1_000_000);
        }
        Ok(reply)
    }

    async fn run_metrics_query(&self, endpoint: &str, request: &MetricsRequest) -> Result<MetricsReply, ClientError> {
        let MetricsRequest { query, start, end, step, strict } = request;
        let (start, end) = (seconds(*start), seconds(*end));
        let mut path = format!("/tempo/api/metrics/{endpoint}?q={}&start={start}&end={end}", path_segment(query));
        if let Some(step) = step {
            let _ = write!(path, "&step={step}ns");
        }
        if *strict {
            path.push_str("&strict=1");
        }
        let (headers, bytes) = self.tempo(&path).await?;
        let found: MetricsJson = serde_json::from_slice(&bytes).map_err(invalid_response)?;
        Ok(MetricsReply {
            body: String::from_utf8(bytes.to_vec()).map_err(invalid_response)?,
            canonical: decoded_header(&headers, CANONICAL),
            warnings: decoded_header(&headers, WARNINGS),
            series: found.series.into_iter().map(SeriesHit::from).collect(),
        })
    }
}

/// Seconds with nine decimals, which every server accepts.
fn seconds(nanos: u64) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[derive(Deserialize)]
struct MetricsJson {
    #[serde(default)]
    series: Vec<SeriesJson>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SeriesJson {
    labels: Vec<otlp::AttributeJson>,
    samples: Vec<SampleJson>,
    /// Value of an instant query, instead of samples.
    value: Option<SampleValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SampleJson {
    timestamp_ms: LenientInteger,
    value: SampleValue,
}

impl From<SeriesJson> for SeriesHit {
    fn from(found: SeriesJson) -> Self {
        Self {
            labels: found.labels.into_iter().map(otlp::AttributeJson::pair).collect(),
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
struct SampleValue(f64);

impl<'de> Deserialize<'de> for SampleValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SampleValueVisitor;
        impl de::Visitor<'_> for SampleValueVisitor {
            type Value = SampleValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, as text or not")
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<SampleValue, E> {
                Ok(SampleValue(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<SampleValue, E> {
                Ok(SampleValue(number as f64))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<SampleValue, E> {
                Ok(SampleValue(number as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<SampleValue, E> {
                text.parse().map(SampleValue).map_err(|_| E::custom(format!("'{text}' is not a number")))
            }
        }
        deserializer.deserialize_any(SampleValueVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_kinds_are_parsed() {
        let found: MetricsJson = serde_json::from_str(
            r#"{"series":[{"labels":[{"key":"p","value":{"doubleValue":0.9}}],"samples":[
                {"timestampMs":"1000","value":1.5},{"timestampMs":2000,"value":"NaN"},{"timestampMs":"3000"},
                {"timestampMs":"4000","value":"-Infinity"},{"timestampMs":"5000","value":7}]},{}],"metrics":{}}"#,
        )
        .unwrap();
        let series: Vec<SeriesHit> = found.series.into_iter().map(SeriesHit::from).collect();
        let values: Vec<String> = series[0].samples.iter().map(|(at, value)| format!("{at} {value}")).collect();
        assert_eq!(values, ["1000 1.5", "2000 NaN", "3000 0", "4000 -inf", "5000 7"]);
        assert_eq!((series[0].labels[0].clone(), series.len()), (("p".to_owned(), SpanValue::Float(0.9)), 2));
        let whole: MetricsJson = serde_json::from_str(r#"{"series":[{"labels":[],"value":2.5}]}"#).unwrap();
        let whole: Vec<SeriesHit> = whole.series.into_iter().map(SeriesHit::from).collect();
        assert_eq!(whole[0].samples, [(0, 2.5)]);
        assert_eq!(seconds(1_794_816_000_000_000_001), "1794816000.000000001");
    }
}
