//! Converts metrics to OTLP messages.

use crate::{
    Encoding,
    json::{JsonList, OtlpJsonDialect},
    proto::{
        AggregationTemporality, ExportMetricsServiceRequest, Gauge, Histogram, HistogramDataPoint, Metric, MetricData,
        Number, NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum,
    },
    span_messages::{attributes, resource, scope},
};
use baton_types::{InstrumentKind, MeterFamily, MeterPoint, MeterSnapshot, MetricValue};
use prost::Message as _;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MetricsExportBody<'a> {
    resource_metrics: JsonList<'a, ResourceMetrics>,
}

/// Encodes an export request with these metrics.
pub fn write_metrics(reading: &MeterSnapshot, encoding: Encoding) -> Vec<u8> {
    let request = metrics_request(reading);
    match encoding {
        Encoding::Protobuf => request.encode_to_vec(),
        Encoding::Json => {
            let resource_metrics = JsonList(request.resource_metrics.as_slice(), OtlpJsonDialect::Otlp);
            // Serialization of text, numbers and lists cannot fail.
            serde_json::to_vec(&MetricsExportBody { resource_metrics }).unwrap_or_default()
        }
    }
}

/// Export request with these metrics; values are cumulative since the start of the process.
pub fn metrics_request(reading: &MeterSnapshot) -> ExportMetricsServiceRequest {
    let metrics = reading.families.iter().map(|family| metric(reading, family)).collect();
    let scoped =
        ScopeMetrics { scope: Some(scope(&reading.scope)), metrics, schema_url: reading.scope.schema_url.clone() };
    let resource_metrics = ResourceMetrics {
        resource: Some(resource(&reading.resource)),
        scope_metrics: vec![scoped],
        schema_url: reading.resource.schema_url.clone(),
    };
    ExportMetricsServiceRequest { resource_metrics: vec![resource_metrics] }
}

fn metric(reading: &MeterSnapshot, family: &MeterFamily) -> Metric {
    let aggregation_temporality = AggregationTemporality::Cumulative.into();
    let instrument = family.instrument;
    let numbers = |since| family.points.iter().map(|point| number_point(reading, point, since)).collect();
    let data = match instrument.kind {
        InstrumentKind::Counter => {
            MetricData::Sum(Sum { data_points: numbers(reading.since), aggregation_temporality, is_monotonic: true })
        }
        InstrumentKind::Gauge => MetricData::Gauge(Gauge { data_points: numbers(0) }),
        InstrumentKind::Histogram { bounds, .. } => {
            let data_points = family.points.iter().map(|point| histogram_point(reading, point, bounds)).collect();
            MetricData::Histogram(Histogram { data_points, aggregation_temporality })
        }
    };
    Metric {
        name: instrument.name.to_owned(),
        description: instrument.help.to_owned(),
        unit: instrument.unit.to_owned(),
        data: Some(data),
    }
}

fn number_point(reading: &MeterSnapshot, point: &MeterPoint, since: u64) -> NumberDataPoint {
    let figure = i64::try_from(point.value.total()).unwrap_or(i64::MAX);
    NumberDataPoint {
        start_time_unix_nano: since,
        time_unix_nano: reading.at,
        value: Some(Number::AsInt(figure)),
        attributes: attributes(&point.labels),
    }
}

fn histogram_point(reading: &MeterSnapshot, point: &MeterPoint, bounds: &[f64]) -> HistogramDataPoint {
    let (bucket_counts, sum) = match &point.value {
        MetricValue::Histogram { buckets, sum } => (buckets.clone(), Some(*sum)),
        MetricValue::Counter(_) | MetricValue::Gauge(_) => (Vec::new(), None),
    };
    HistogramDataPoint {
        start_time_unix_nano: reading.since,
        time_unix_nano: reading.at,
        count: point.value.total(),
        sum,
        bucket_counts,
        explicit_bounds: bounds.to_vec(),
        attributes: attributes(&point.labels),
    }
}
