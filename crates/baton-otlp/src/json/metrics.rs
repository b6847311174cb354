//! JSON of metrics messages.

use super::{Members, OtlpJsonDialect, WriteJson};
use crate::proto::{
    Gauge, Histogram, HistogramDataPoint, Metric, MetricData, Number, NumberDataPoint, ResourceMetrics, ScopeMetrics,
    Sum,
};
use serde::{Serializer, ser::SerializeMap};

objects! {
    ResourceMetrics, |it, to| {
        to.message("resource", it.resource.as_ref())?;
        to.list("scopeMetrics", &it.scope_metrics)?;
        to.text("schemaUrl", &it.schema_url)?;
    }
    ScopeMetrics, |it, to| {
        to.message("scope", it.scope.as_ref())?;
        to.list("metrics", &it.metrics)?;
        to.text("schemaUrl", &it.schema_url)?;
    }
    Metric, |it, to| {
        to.text("name", &it.name)?;
        to.text("description", &it.description)?;
        to.text("unit", &it.unit)?;
        match &it.data {
            Some(MetricData::Gauge(gauge)) => to.message("gauge", Some(gauge))?,
            Some(MetricData::Sum(sum)) => to.message("sum", Some(sum))?,
            Some(MetricData::Histogram(histogram)) => to.message("histogram", Some(histogram))?,
            None => {}
        }
    }
    Gauge, |it, to| {
        to.list("dataPoints", &it.data_points)?;
    }
    Sum, |it, to| {
        to.list("dataPoints", &it.data_points)?;
        to.enumeration("aggregationTemporality", it.aggregation_temporality, None)?;
        to.boolean("isMonotonic", it.is_monotonic)?;
    }
    Histogram, |it, to| {
        to.list("dataPoints", &it.data_points)?;
        to.enumeration("aggregationTemporality", it.aggregation_temporality, None)?;
    }
    NumberDataPoint, |it, to| {
        to.list("attributes", &it.attributes)?;
        to.time("startTimeUnixNano", it.start_time_unix_nano)?;
        to.time("timeUnixNano", it.time_unix_nano)?;
        // The selected member of the oneof is written even if it is zero.
        match it.value {
            Some(Number::AsInt(figure)) => to.0.serialize_entry("asInt", &figure.to_string())?,
            Some(Number::AsDouble(figure)) => to.double("asDouble", Some(figure))?,
            None => {}
        }
    }
    HistogramDataPoint, |it, to| {
        to.list("attributes", &it.attributes)?;
        to.time("startTimeUnixNano", it.start_time_unix_nano)?;
        to.time("timeUnixNano", it.time_unix_nano)?;
        to.time("count", it.count)?;
        to.double("sum", it.sum)?;
        to.counts("bucketCounts", &it.bucket_counts)?;
        to.doubles("explicitBounds", &it.explicit_bounds)?;
    }
}
