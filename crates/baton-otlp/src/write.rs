//! Encodes spans as the body of an export request.

use crate::{
    Encoding, export_request,
    json::{JsonList, OtlpJsonDialect},
    proto::ResourceSpans,
};
use baton_types::Span;
use prost::Message as _;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TraceExportBody<'a> {
    resource_spans: JsonList<'a, ResourceSpans>,
}

/// Encodes an export request with these spans.
pub fn write_export(spans: &[Span], encoding: Encoding) -> Vec<u8> {
    let request = export_request(spans);
    match encoding {
        Encoding::Protobuf => request.encode_to_vec(),
        Encoding::Json => {
            let resource_spans = JsonList(request.resource_spans.as_slice(), OtlpJsonDialect::Otlp);
            // Serialization of text, numbers and lists cannot fail.
            serde_json::to_vec(&TraceExportBody { resource_spans }).unwrap_or_default()
        }
    }
}
