//! Metrics and log records, which are counted but not stored.

use super::{
    ReadError,
    count::{Countable, ItemCount},
    object::{Object, member},
    size_estimate::{self, malformed, read_varint, take_bytes},
};
use crate::{
    Encoding,
    proto::{ExportTracePartialSuccess, ExportTraceServiceResponse},
};
use prost::Message as _;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::json;

/// Maximum length of a stored service name, in characters.
const MAX_SERVICE_NAME_LEN: usize = 256;

/// An OTLP signal that is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OtherSignal {
    /// Metrics, counted in data points.
    Metrics,
    /// Logs, counted in records.
    Logs,
}

/// Item count of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignalCount {
    /// Number of data points or log records.
    pub items: u64,
    /// `service.name` of the first resource; empty when it has none.
    pub service: String,
    /// `service.instance.id` of the first resource; empty when it has none.
    pub instance: String,
}

/// A body that is not a request of its signal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body is not an {request}: {reason}")]
pub struct SignalError {
    request: &'static str,
    reason: String,
}

impl OtherSignal {
    /// Name used in paths and labels.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }

    /// Approximate memory for counting a request, in bytes: zero for protobuf, which is only scanned.
    pub fn estimate_bytes(self, encoding: Encoding, body: &[u8]) -> Result<usize, SignalError> {
        match encoding {
            Encoding::Protobuf => Ok(0),
            Encoding::Json => size_estimate::estimate_json(body).map_err(|error| self.error(error)),
        }
    }

    /// Counts the items of a request without storing them.
    pub fn count(self, encoding: Encoding, body: &[u8]) -> Result<SignalCount, SignalError> {
        let counted = match (encoding, self) {
            (Encoding::Protobuf, _) => self.count_protobuf(body),
            (Encoding::Json, Self::Metrics) => read_json::<MetricsRequest>(body).map(MetricsRequest::count),
            (Encoding::Json, Self::Logs) => read_json::<LogsRequest>(body).map(LogsRequest::count),
        };
        counted.map_err(|error| self.error(error))
    }

    fn error(self, error: ReadError) -> SignalError {
        let request = match self {
            Self::Metrics => "ExportMetricsServiceRequest",
            Self::Logs => "ExportLogsServiceRequest",
        };
        let reason = match error {
            ReadError::Malformed(reason) => reason,
            ReadError::TooMany { .. } => error.to_string(),
        };
        SignalError { request, reason }
    }

    /// Encodes a response body. `rejected` is the number of rejected items and a message; the messages of all signals
    /// have the same fields.
    pub fn write_response(self, encoding: Encoding, rejected: Option<(u64, &str)>) -> Vec<u8> {
        let partial = rejected.map(|(items, remark)| (i64::try_from(items).unwrap_or(i64::MAX), remark));
        match encoding {
            Encoding::Protobuf => {
                let partial_success = partial.map(|(rejected_spans, remark)| ExportTracePartialSuccess {
                    rejected_spans,
                    error_message: remark.to_owned(),
                });
                ExportTraceServiceResponse { partial_success }.encode_to_vec()
            }
            Encoding::Json => {
                let member = match self {
                    Self::Metrics => "rejectedDataPoints",
                    Self::Logs => "rejectedLogRecords",
                };
                let body = match partial {
                    Some((items, remark)) => {
                        json!({ "partialSuccess": { member: items.to_string(), "errorMessage": remark } })
                    }
                    None => json!({}),
                };
                body.to_string().into_bytes()
            }
        }
    }

    fn count_protobuf(self, body: &[u8]) -> Result<SignalCount, ReadError> {
        let mut count = SignalCount::default();
        let mut first = true;
        each_field(body, &mut |field, group| {
            if field != 1 {
                return Ok(());
            }
            each_field(group, &mut |field, content| match field {
                1 if first => read_resource(content, &mut count),
                2 => {
                    count.items += self.count_scope(content)?;
                    Ok(())
                }
                _ => Ok(()),
            })?;
            first = false;
            Ok(())
        })?;
        Ok(count)
    }

    fn count_scope(self, scope: &[u8]) -> Result<u64, ReadError> {
        let mut items = 0;
        each_field(scope, &mut |field, content| {
            match (self, field) {
                (Self::Logs, 2) => items += 1,
                (Self::Metrics, 2) => items += count_metric(content)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(items)
    }
}

/// Gauges, sums, both kinds of histograms and summaries have their data points in field 1.
fn count_metric(metric: &[u8]) -> Result<u64, ReadError> {
    let mut points = 0;
    each_field(metric, &mut |field, data| {
        if matches!(field, 5 | 7 | 9 | 10 | 11) {
            each_field(data, &mut |field, _| {
                points += u64::from(field == 1);
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(points)
}

fn read_resource(resource: &[u8], count: &mut SignalCount) -> Result<(), ReadError> {
    each_field(resource, &mut |field, attribute| {
        if field != 1 {
            return Ok(());
        }
        let (mut key, mut value) = (&[][..], &[][..]);
        each_field(attribute, &mut |field, content| {
            match field {
                1 => key = content,
                2 => value = content,
                _ => {}
            }
            Ok(())
        })?;
        let Ok(key) = std::str::from_utf8(key) else { return Ok(()) };
        each_field(value, &mut |field, text| {
            if field == 1 {
                count.name_service(key, &String::from_utf8_lossy(text));
            }
            Ok(())
        })
    })
}

/// Calls `each` for every length-delimited field of a message.
fn each_field<'a>(
    mut bytes: &'a [u8],
    each: &mut dyn FnMut(u64, &'a [u8]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    while !bytes.is_empty() {
        let key = read_varint(&mut bytes)?;
        match key & 7 {
            0 => read_varint(&mut bytes).map(|_| ())?,
            1 => take_bytes(&mut bytes, 8).map(|_| ())?,
            2 => {
                let length = usize::try_from(read_varint(&mut bytes)?).map_err(|_| malformed("it is cut off"))?;
                each(key >> 3, take_bytes(&mut bytes, length)?)?;
            }
            5 => take_bytes(&mut bytes, 4).map(|_| ())?,
            _ => return Err(malformed("a field has an unknown wire type")),
        }
    }
    Ok(())
}

impl SignalCount {
    fn name_service(&mut self, key: &str, value: &str) {
        let target = match key {
            "service.name" => &mut self.service,
            "service.instance.id" => &mut self.instance,
            _ => return,
        };
        *target = value.chars().take(MAX_SERVICE_NAME_LEN).collect();
    }
}

fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ReadError> {
    let Object::<T>(request) = serde_json::from_slice(body).map_err(|error| ReadError::Malformed(error.to_string()))?;
    Ok(request)
}

/// Request types of one signal: resources, scopes and items, of which only the number is kept.
macro_rules! json_request {
    ($request:ident, $group:ident, $scope:ident, $item:ty; $groups:literal, $groups_alias:literal, $scopes:literal,
     $scopes_alias:literal, $items:literal $(, $items_alias:literal)?) => {
        #[derive(Deserialize)]
        struct $request {
            #[serde(default, rename = $groups, alias = $groups_alias, deserialize_with = "member")]
            groups: Vec<Object<$group>>,
        }

        #[derive(Deserialize)]
        struct $group {
            #[serde(default, deserialize_with = "member")]
            resource: Object<SignalResource>,
            #[serde(default, rename = $scopes, alias = $scopes_alias, deserialize_with = "member")]
            scopes: ItemCount<Object<$scope>>,
        }

        #[derive(Deserialize)]
        struct $scope {
            #[serde(default, rename = $items $(, alias = $items_alias)?, deserialize_with = "member")]
            items: ItemCount<$item>,
        }

        impl Countable for Object<$scope> {
            fn items(&self) -> usize {
                self.0.items.items
            }
        }

        impl $request {
            fn count(self) -> SignalCount {
                let mut count = SignalCount::default();
                for (at, Object(group)) in self.groups.into_iter().enumerate() {
                    count.items += u64::try_from(group.scopes.items).unwrap_or(u64::MAX);
                    if at == 0 {
                        group.resource.0.name_service(&mut count);
                    }
                }
                count
            }
        }
    };
}

json_request!(MetricsRequest, ResourceMetrics, ScopeMetrics, Object<Metric>;
    "resourceMetrics", "resource_metrics", "scopeMetrics", "scope_metrics", "metrics");
json_request!(LogsRequest, ResourceLogs, ScopeLogs, IgnoredAny;
    "resourceLogs", "resource_logs", "scopeLogs", "scope_logs", "logRecords", "log_records");

#[derive(Deserialize, Default)]
#[serde(default)]
struct SignalResource {
    #[serde(deserialize_with = "member")]
    attributes: Vec<Object<SignalAttribute>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SignalAttribute {
    #[serde(deserialize_with = "member")]
    key: String,
    #[serde(deserialize_with = "member")]
    value: Object<AttributeValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AttributeValue {
    #[serde(rename = "stringValue", alias = "string_value", deserialize_with = "member")]
    text: String,
}

impl SignalResource {
    fn name_service(&self, count: &mut SignalCount) {
        for Object(attribute) in &self.attributes {
            count.name_service(&attribute.key, &attribute.value.0.text);
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Metric {
    #[serde(deserialize_with = "member")]
    gauge: Object<Points>,
    #[serde(deserialize_with = "member")]
    sum: Object<Points>,
    #[serde(deserialize_with = "member")]
    histogram: Object<Points>,
    #[serde(alias = "exponential_histogram", deserialize_with = "member")]
    exponential_histogram: Object<Points>,
    #[serde(deserialize_with = "member")]
    summary: Object<Points>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Points {
    #[serde(rename = "dataPoints", alias = "data_points", deserialize_with = "member")]
    points: ItemCount<IgnoredAny>,
}

impl Countable for Object<Metric> {
    fn items(&self) -> usize {
        let Metric { gauge, sum, histogram, exponential_histogram, summary } = &self.0;
        [gauge, sum, histogram, exponential_histogram, summary].iter().map(|points| points.0.points.items).sum()
    }
}
