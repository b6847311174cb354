//! OTLP's messages of metrics: what meters show, without the kinds that Baton does not have.

use super::{InstrumentationScope, KeyValue, Resource};
use prost::{Enumeration, Message, Oneof};

/// What an exporter of metrics sends.
#[derive(Clone, PartialEq, Message)]
pub struct ExportMetricsServiceRequest {
    /// Metrics by what emitted them.
    #[prost(message, repeated, tag = "1")]
    pub resource_metrics: Vec<ResourceMetrics>,
}

/// Metrics of one resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceMetrics {
    /// What emitted them.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Metrics by what measured.
    #[prost(message, repeated, tag = "2")]
    pub scope_metrics: Vec<ScopeMetrics>,
    /// The schema of the resource.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// Metrics of one instrumentation.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeMetrics {
    /// What measured.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// The metrics.
    #[prost(message, repeated, tag = "2")]
    pub metrics: Vec<Metric>,
    /// The schema of the metrics.
    #[prost(string, tag = "3")]
    pub schema_url: String,
}

/// One metric.
#[derive(Clone, PartialEq, Message)]
pub struct Metric {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// One sentence for people.
    #[prost(string, tag = "2")]
    pub description: String,
    /// Its unit, as UCUM writes it.
    #[prost(string, tag = "3")]
    pub unit: String,
    /// Its series.
    #[prost(oneof = "MetricData", tags = "5, 7, 9")]
    pub data: Option<MetricData>,
}

/// The series of a metric, by its kind.
#[derive(Clone, PartialEq, Oneof)]
pub enum MetricData {
    /// What there is at a moment.
    #[prost(message, tag = "5")]
    Gauge(Gauge),
    /// What adds up.
    #[prost(message, tag = "7")]
    Sum(Sum),
    /// How often values fell into which bucket.
    #[prost(message, tag = "9")]
    Histogram(Histogram),
}

/// What there is at a moment.
#[derive(Clone, PartialEq, Message)]
pub struct Gauge {
    /// Its series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<NumberDataPoint>,
}

/// What adds up.
#[derive(Clone, PartialEq, Message)]
pub struct Sum {
    /// Its series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<NumberDataPoint>,
    /// Since when it is added up.
    #[prost(enumeration = "AggregationTemporality", tag = "2")]
    pub aggregation_temporality: i32,
    /// Whether it only grows.
    #[prost(bool, tag = "3")]
    pub is_monotonic: bool,
}

/// How often values fell into which bucket.
#[derive(Clone, PartialEq, Message)]
pub struct Histogram {
    /// Its series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<HistogramDataPoint>,
    /// Since when it is counted.
    #[prost(enumeration = "AggregationTemporality", tag = "2")]
    pub aggregation_temporality: i32,
}

/// Since when something is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum AggregationTemporality {
    /// Nobody said.
    Unspecified = 0,
    /// Since it was sent before.
    Delta = 1,
    /// Since the beginning.
    Cumulative = 2,
}

/// The figure of a series.
#[derive(Clone, PartialEq, Message)]
pub struct NumberDataPoint {
    /// Since when it is counted; zero for what there is at a moment.
    #[prost(fixed64, tag = "2")]
    pub start_time_unix_nano: u64,
    /// When it was read.
    #[prost(fixed64, tag = "3")]
    pub time_unix_nano: u64,
    /// The figure.
    #[prost(oneof = "Number", tags = "4, 6")]
    pub value: Option<Number>,
    /// Its labels.
    #[prost(message, repeated, tag = "7")]
    pub attributes: Vec<KeyValue>,
}

/// A figure.
#[derive(Clone, Copy, PartialEq, Oneof)]
pub enum Number {
    /// Any number.
    #[prost(double, tag = "4")]
    AsDouble(f64),
    /// A whole number.
    #[prost(sfixed64, tag = "6")]
    AsInt(i64),
}

/// The buckets of a series.
#[derive(Clone, PartialEq, Message)]
pub struct HistogramDataPoint {
    /// Since when it is counted.
    #[prost(fixed64, tag = "2")]
    pub start_time_unix_nano: u64,
    /// When it was read.
    #[prost(fixed64, tag = "3")]
    pub time_unix_nano: u64,
    /// How many values there were.
    #[prost(fixed64, tag = "4")]
    pub count: u64,
    /// What they come to.
    #[prost(double, optional, tag = "5")]
    pub sum: Option<f64>,
    /// How many fell into each bucket; one more than there are bounds.
    #[prost(fixed64, repeated, tag = "6")]
    pub bucket_counts: Vec<u64>,
    /// The upper ends of the buckets but the last, which has none.
    #[prost(double, repeated, tag = "7")]
    pub explicit_bounds: Vec<f64>,
    /// Its labels.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
}
