//! Responses for Tempo clients, mainly Grafana: Tempo's published messages in protobuf and JSON.
//!
//! Strict clients reject unknown members, so these messages contain only members of Tempo.

mod messages;
mod series;
mod trace;

pub use messages::{
    MetadataMetrics, SearchMetrics, SearchResponse, SearchTagValuesResponse, SearchTagValuesV2Response,
    SearchTagsResponse, SearchTagsV2Response, SearchTagsV2Scope, ServiceStats, Span, SpanSet, TagValue, Trace,
    TraceByIdMetrics, TraceByIdResponse, TraceSearchMetadata,
};
pub use series::{Exemplar, InstantSeries, QueryInstantResponse, QueryRangeResponse, Sample, TimeSeries};
pub use trace::{trace, trace_by_id, write_batches};

use crate::Encoding;
use prost::Message;
use serde::Serialize;

/// Encodes a message as a response body.
pub fn write(message: &(impl Message + Serialize), encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Protobuf => message.encode_to_vec(),
        // Serialization of text, numbers and lists cannot fail.
        Encoding::Json => serde_json::to_vec(message).unwrap_or_default(),
    }
}
