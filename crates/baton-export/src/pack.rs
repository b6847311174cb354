//! Messages as bodies of requests.

use crate::{Compression, Protocol};
use baton_otlp::Encoding;
use bytes::{BufMut as _, Bytes, BytesMut};
use flate2::{Compression as Level, write::GzEncoder};
use std::io::Write as _;

/// A flag and the length, before a message of gRPC.
pub(crate) const FRAME_HEAD: usize = 5;

/// A message as it is sent; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// The body of a request.
    pub(crate) body: Bytes,
    /// How long the message was before it was compressed.
    pub(crate) length: usize,
}

/// How a message is written for a protocol.
pub(crate) fn encoding(protocol: Protocol) -> Encoding {
    match protocol {
        Protocol::Json => Encoding::Json,
        Protocol::Grpc | Protocol::Http => Encoding::Protobuf,
    }
}

/// A message as the body of a request, compressed and framed as the protocol wants it.
pub(crate) fn pack(message: Vec<u8>, protocol: Protocol, compression: Compression) -> Packed {
    let length = message.len();
    let (flag, message) = match compression {
        Compression::None => (0, message),
        Compression::Gzip => (1, gzip(&message)),
    };
    if protocol != Protocol::Grpc {
        return Packed { body: message.into(), length };
    }
    let mut framed = BytesMut::with_capacity(FRAME_HEAD + message.len());
    framed.put_u8(flag);
    // A batch is far below this; one that were not would be refused by its length.
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.extend_from_slice(&message);
    Packed { body: framed.freeze(), length }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Level::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
