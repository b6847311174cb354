//! The protocol buffer dialects: 1.0 and 0.3 over gRPC.

use crate::{BoxedError, DialectCodec, ItemCodec, consume};
use baton_proto::{v1::pb, v03::pb as old};
use baton_wire::a2a::v1::{Error, SendMessageRequest, SendMessageResponse, StreamResponse};
use prost::Message;

fn read<T: Message + Default, U: TryFrom<T, Error = Error>>(bytes: &[u8]) -> Result<U, BoxedError> {
    Ok(T::decode(bytes)?.try_into()?)
}

fn write<T: Message>(message: Result<T, Error>) -> Result<Vec<u8>, BoxedError> {
    let mut out = Vec::with_capacity(1024);
    message?.encode(&mut out)?;
    Ok(out)
}

/// `lf.a2a.v1`.
pub const V1: DialectCodec = DialectCodec {
    name: "1.0 gRPC",
    write_request: |sample| write(pb::SendMessageRequest::try_from(sample.request())),
    read_request: |bytes| consume(read::<pb::SendMessageRequest, SendMessageRequest<'static>>(bytes)?.check()?),
    write_answer: |sample| write(pb::SendMessageResponse::try_from(sample.answer())),
    read_answer: |bytes| consume(read::<pb::SendMessageResponse, SendMessageResponse<'static>>(bytes)?),
    item: Some(ItemCodec {
        write: |sample| write(pb::StreamResponse::try_from(sample.item())),
        read: |bytes| consume(read::<pb::StreamResponse, StreamResponse<'static>>(bytes)?),
    }),
};

/// `a2a.v1`.
pub const V03: DialectCodec = DialectCodec {
    name: "0.3 gRPC",
    write_request: |sample| write(old::SendMessageRequest::try_from(sample.request())),
    read_request: |bytes| consume(read::<old::SendMessageRequest, SendMessageRequest<'static>>(bytes)?.check()?),
    write_answer: |sample| write(old::SendMessageResponse::try_from(sample.answer())),
    read_answer: |bytes| consume(read::<old::SendMessageResponse, SendMessageResponse<'static>>(bytes)?),
    item: Some(ItemCodec {
        write: |sample| write(old::StreamResponse::from_wire(sample.item(), false)),
        read: |bytes| consume(read::<old::StreamResponse, StreamResponse<'static>>(bytes)?),
    }),
};
