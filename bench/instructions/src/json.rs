//! The JSON dialects: 1.0, 0.3 over JSON-RPC, 0.3 over HTTP+JSON, ContextCore.

use crate::{BoxedError, DialectCodec, ItemCodec, WorkResult, consume};
use baton_types::MAX_JSON_DEPTH;
use baton_encoding::depth_within;
use baton_wire::{a2a::{v03::{self, rest}, v1}, contextcore};
use serde::{Serialize, de::DeserializeOwned};

/// Reads a body as a server does: depth check, UTF-8 check, parsing.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BoxedError> {
    if !depth_within(bytes, MAX_JSON_DEPTH) {
        return Err("too deep".into());
    }
    Ok(v1::read_params_text(std::str::from_utf8(bytes)?)?)
}

/// Reads an answer as a client does.
fn read_answer<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BoxedError> {
    Ok(serde_json::from_slice(bytes)?)
}

fn write(value: &impl Serialize) -> Result<Vec<u8>, BoxedError> {
    let mut out = Vec::with_capacity(1024);
    serde_json::to_writer(&mut out, value)?;
    Ok(out)
}

/// Every request is validated after conversion to 1.0.
fn check(request: v1::SendMessageRequest<'static>) -> WorkResult {
    consume(request.check()?)
}

/// A2A 1.0, the baseline of the comparison.
pub const V1: DialectCodec = DialectCodec {
    name: "1.0 JSON",
    write_request: |sample| write(&sample.request()),
    read_request: |bytes| check(read(bytes)?),
    write_answer: |sample| write(&sample.answer()),
    read_answer: |bytes| consume(read_answer::<v1::SendMessageResponse<'static>>(bytes)?),
    item: Some(ItemCodec {
        write: |sample| write(&sample.item()),
        read: |bytes| consume(read_answer::<v1::StreamResponse<'static>>(bytes)?),
    }),
};

/// A2A 0.3 over JSON-RPC.
pub const V03: DialectCodec = DialectCodec {
    name: "0.3 JSON-RPC",
    write_request: |sample| write(&v03::MessageSendParams::from(sample.request())),
    read_request: |bytes| check(read::<v03::MessageSendParams<'static>>(bytes)?.into_v1()?),
    write_answer: |sample| write(&v03::SendResult::from(sample.answer())),
    read_answer: |bytes| consume(read_answer::<v03::SendResult<'static>>(bytes)?.into_v1()?),
    item: Some(ItemCodec {
        write: |sample| write(&v03::StreamItem::from_v1(sample.item(), false)),
        read: |bytes| consume(read_answer::<v03::StreamItem<'static>>(bytes)?.into_v1()?),
    }),
};

/// A2A 0.3 over HTTP+JSON.
pub const V03_REST: DialectCodec = DialectCodec {
    name: "0.3 HTTP+JSON",
    write_request: |sample| write(&rest::SendMessageRequest::from(sample.request())),
    read_request: |bytes| check(read::<rest::SendMessageRequest<'static>>(bytes)?.into_v1()?),
    write_answer: |sample| write(&rest::SendMessageResponse::from(sample.answer())),
    read_answer: |bytes| consume(read_answer::<rest::SendMessageResponse<'static>>(bytes)?.into_v1()?),
    item: Some(ItemCodec {
        write: |sample| write(&rest::StreamResponse::from_v1(sample.item(), false)),
        read: |bytes| consume(read_answer::<rest::StreamResponse<'static>>(bytes)?.into_v1()?),
    }),
};

/// ContextCore's dialect, without streams.
pub const CONTEXTCORE: DialectCodec = DialectCodec {
    name: "ContextCore",
    write_request: |sample| write(&contextcore::SendParams::from(sample.request())),
    read_request: |bytes| check(read::<contextcore::SendParams>(bytes)?.into_v1(String::new)?),
    write_answer: |sample| write(&contextcore::Task::from(sample.task()).with_agent(&sample.view.agent)),
    read_answer: |bytes| consume(read_answer::<contextcore::Task>(bytes)?.into_v1()?),
    item: None,
};
