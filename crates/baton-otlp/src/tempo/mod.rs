//! Answers that Tempo's clients read, Grafana above all: messages as Tempo publishes them, in binary and in JSON.
//!
//! Strict readers refuse a member that they do not know, so there is nothing in these messages that Tempo does not say.

mod messages;
mod search;
mod series;
mod tags;
mod trace;

pub use messages::{
    MetadataMetrics, SearchMetrics, SearchResponse, SearchTagValuesResponse, SearchTagValuesV2Response,
    SearchTagsResponse, SearchTagsV2Response, SearchTagsV2Scope, ServiceStats, Span, SpanSet, TagValue, Trace,
    TraceByIdMetrics, TraceByIdResponse, TraceSearchMetadata,
};
pub use search::search_response;
pub use series::{
    Exemplar, InstantSeries, QueryInstantResponse, QueryRangeResponse, Sample, TimeSeries, query_instant_response,
    query_range_response,
};
pub use tags::{INTRINSICS, TagScope, ValueKind, tag_names, tag_scopes, tag_values};
pub use trace::{trace, trace_by_id, write_batches};

use crate::Encoding;
use prost::Message;
use serde::Serialize;

/// A message as the body of a reply.
pub fn write(message: &(impl Message + Serialize), encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Protobuf => message.encode_to_vec(),
        // Text, numbers and lists cannot fail to be written.
        Encoding::Json => serde_json::to_vec(message).unwrap_or_default(),
    }
}
