//! One request of an exporter.

use super::{json, take, weigh};
use crate::{Arrival, Encoding, proto::ExportTraceServiceRequest};
use prost::Message as _;

/// A body that is no export request, or too much of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("the body is no ExportTraceServiceRequest: {0}")]
    Malformed(String),
    /// It has more in it than is taken at once.
    #[error("the request has more than {most} {what}; send smaller batches")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many are taken.
        most: usize,
    },
}

/// A request whose size in memory is known and bounded.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    encoding: Encoding,
    body: &'a [u8],
    weight: usize,
}

impl<'a> Export<'a> {
    /// Looks how much there is in a body without making anything of it.
    pub fn weigh(encoding: Encoding, body: &'a [u8]) -> Result<Self, ReadError> {
        let weight = match encoding {
            Encoding::Protobuf => weigh::protobuf(body)?,
            Encoding::Json => weigh::json(body)?,
        };
        Ok(Self { encoding, body, weight })
    }

    /// About how many bytes its spans take in memory.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// The spans.
    pub fn read(&self) -> Result<Arrival, ReadError> {
        let request = match self.encoding {
            Encoding::Protobuf => {
                ExportTraceServiceRequest::decode(self.body).map_err(|error| ReadError::Malformed(error.to_string()))?
            }
            Encoding::Json => json::request(self.body)?,
        };
        Ok(take::spans(request))
    }
}
