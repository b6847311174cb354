//! Trace export request.

use super::{convert, json, size_estimate};
use crate::{DecodedExport, Encoding, proto::ExportTraceServiceRequest};
use prost::Message as _;

/// An invalid or too large export request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The body cannot be decoded.
    #[error("the body is not an ExportTraceServiceRequest: {0}")]
    Malformed(String),
    /// The request exceeds an item limit.
    #[error("the request has more than {limit} {kind}; send smaller batches")]
    TooMany {
        /// Kind of the items.
        kind: &'static str,
        /// Limit.
        limit: usize,
    },
}

/// A request whose memory use is estimated and bounded.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    encoding: Encoding,
    body: &'a [u8],
    estimated_bytes: usize,
}

impl<'a> Export<'a> {
    /// Estimates the memory of a body without decoding it.
    pub fn measure(encoding: Encoding, body: &'a [u8]) -> Result<Self, ReadError> {
        let weight = match encoding {
            Encoding::Protobuf => size_estimate::estimate_protobuf(body)?,
            Encoding::Json => size_estimate::estimate_json(body)?,
        };
        Ok(Self { encoding, body, estimated_bytes: weight })
    }

    /// Approximate memory of the decoded spans, in bytes.
    pub fn estimated_bytes(&self) -> usize {
        self.estimated_bytes
    }

    /// Decodes the spans.
    pub fn decode(&self) -> Result<DecodedExport, ReadError> {
        let request = match self.encoding {
            Encoding::Protobuf => {
                ExportTraceServiceRequest::decode(self.body).map_err(|error| ReadError::Malformed(error.to_string()))?
            }
            Encoding::Json => json::decode_request(self.body)?,
        };
        Ok(convert::convert_request(request))
    }
}
