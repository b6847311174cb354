//! OTLP metrics messages, limited to the metric kinds that Baton emits.

use super::{InstrumentationScope, KeyValue, Resource};
use prost::{Enumeration, Message, Oneof};

/// Metrics export request.
#[derive(Clone, PartialEq, Message)]
pub struct ExportMetricsServiceRequest {
    /// Metrics by resource.
    #[prost(message, repeated, tag = "1")]
    pub resource_metrics: Vec<ResourceMetrics>,
}

/// Metrics of one resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceMetrics {
    /// Resource that emitted the metrics.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Metrics by instrumentation scope.
    #[prost(message, repeated, tag = "2")]
    pub scope_metrics: Vec<ScopeMetrics>,
    /// Schema URL of the resource.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// Metrics of one instrumentation scope.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeMetrics {
    /// Scope that measured the metrics.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// Metrics of the scope.
    #[prost(message, repeated, tag = "2")]
    pub metrics: Vec<Metric>,
    /// Schema URL of the metrics.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// A metric.
#[derive(Clone, PartialEq, Message)]
pub struct Metric {
    /// Name of the metric.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Description for people.
    #[prost(string, tag = "2")]
    pub description: String,
    /// Unit in UCUM notation.
    #[prost(string, tag = "3")]
    pub unit: String,
    /// Data points by metric kind.
    #[prost(oneof = "MetricData", tags = "5, 7, 9")]
    pub data: Option<MetricData>,
}

/// Data of a metric by kind.
#[derive(Clone, PartialEq, Oneof)]
pub enum MetricData {
    /// Current value.
    #[prost(message, tag = "5")]
    Gauge(Gauge),
    /// Accumulated value.
    #[prost(message, tag = "7")]
    Sum(Sum),
    /// Distribution over buckets.
    #[prost(message, tag = "9")]
    Histogram(Histogram),
}

/// Current value at a point in time.
#[derive(Clone, PartialEq, Message)]
pub struct Gauge {
    /// One data point per series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<NumberDataPoint>,
}

/// Accumulated value.
#[derive(Clone, PartialEq, Message)]
pub struct Sum {
    /// One data point per series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<NumberDataPoint>,
    /// Period that the value covers.
    #[prost(enumeration = "AggregationTemporality", tag = "2")]
    pub aggregation_temporality: i32,
    /// Whether the value never decreases.
    #[prost(bool, tag = "3")]
    pub is_monotonic: bool,
}

/// Distribution of values over buckets.
#[derive(Clone, PartialEq, Message)]
pub struct Histogram {
    /// One data point per series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<HistogramDataPoint>,
    /// Period that the counts cover.
    #[prost(enumeration = "AggregationTemporality", tag = "2")]
    pub aggregation_temporality: i32,
}

/// Period that an accumulated value covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum AggregationTemporality {
    /// Not specified.
    Unspecified = 0,
    /// Since the previous export.
    Delta = 1,
    /// Since the start.
    Cumulative = 2,
}

/// Numeric data point.
#[derive(Clone, PartialEq, Message)]
pub struct NumberDataPoint {
    /// Start of the covered period; zero for a gauge.
    #[prost(fixed64, tag = "2")]
    pub start_time_unix_nano: u64,
    /// Time of the measurement.
    #[prost(fixed64, tag = "3")]
    pub time_unix_nano: u64,
    /// Value of the data point.
    #[prost(oneof = "Number", tags = "4, 6")]
    pub value: Option<Number>,
    /// Attributes of the series.
    #[prost(message, repeated, tag = "7")]
    pub attributes: Vec<KeyValue>,
}

/// Value of a numeric data point.
#[derive(Clone, Copy, PartialEq, Oneof)]
pub enum Number {
    /// Floating-point number.
    #[prost(double, tag = "4")]
    AsDouble(f64),
    /// Integer.
    #[prost(sfixed64, tag = "6")]
    AsInt(i64),
}

/// Histogram data point.
#[derive(Clone, PartialEq, Message)]
pub struct HistogramDataPoint {
    /// Start of the covered period.
    #[prost(fixed64, tag = "2")]
    pub start_time_unix_nano: u64,
    /// Time of the measurement.
    #[prost(fixed64, tag = "3")]
    pub time_unix_nano: u64,
    /// Number of values.
    #[prost(fixed64, tag = "4")]
    pub count: u64,
    /// Sum of the values.
    #[prost(double, optional, tag = "5")]
    pub sum: Option<f64>,
    /// Number of values per bucket; one more than the bounds.
    #[prost(fixed64, repeated, tag = "6")]
    pub bucket_counts: Vec<u64>,
    /// Upper bounds of all buckets except the last, which is unbounded.
    #[prost(double, repeated, tag = "7")]
    pub explicit_bounds: Vec<f64>,
    /// Attributes of the series.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
}
