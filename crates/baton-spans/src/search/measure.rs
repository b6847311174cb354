//! Answers a metrics query.

use super::budget::Budget;
use crate::segment::Segment;
use baton_ports::{MetricsAnswer, MetricsAsk, SpanStoreError};
use baton_traceql::QueryError;
use std::sync::Arc;

/// Measures what a metrics query asks for.
pub(crate) fn metrics(_: &[Arc<dyn Segment>], _: &MetricsAsk, _: &Budget) -> Result<MetricsAnswer, SpanStoreError> {
    Err(SpanStoreError::Query(QueryError::Invalid("metrics queries are not answered yet".to_owned())))
}
