//! Encodes messages as request bodies.

use crate::{Compression, OtlpProtocol};
use baton_otlp::Encoding;
use bytes::{BufMut as _, Bytes, BytesMut};
use flate2::{Compression as Level, write::GzEncoder};
use std::io::Write as _;

/// Length of the gRPC frame header: a flag and the message length.
pub(crate) const FRAME_HEADER_LEN: usize = 5;

/// An encoded message; clones share the bytes.
#[derive(Clone, Debug)]
pub(crate) struct ExportRequestBody {
    /// Body of the request.
    pub(crate) body: Bytes,
    /// Length of the message before compression.
    pub(crate) length: usize,
}

/// Encoding used by a protocol.
pub(crate) fn encoding(protocol: OtlpProtocol) -> Encoding {
    match protocol {
        OtlpProtocol::Json => Encoding::Json,
        OtlpProtocol::Grpc | OtlpProtocol::Http => Encoding::Protobuf,
    }
}

/// Compresses and frames a message as the protocol requires.
pub(crate) fn encode_body(message: Vec<u8>, protocol: OtlpProtocol, compression: Compression) -> ExportRequestBody {
    let length = message.len();
    let (flag, message) = match compression {
        Compression::None => (0, message),
        Compression::Gzip => (1, gzip(&message)),
    };
    if protocol != OtlpProtocol::Grpc {
        return ExportRequestBody { body: message.into(), length };
    }
    let mut framed = BytesMut::with_capacity(FRAME_HEADER_LEN + message.len());
    framed.put_u8(flag);
    // A batch is far below this limit; a larger one would be rejected because of its length.
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.extend_from_slice(&message);
    ExportRequestBody { body: framed.freeze(), length }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Level::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
