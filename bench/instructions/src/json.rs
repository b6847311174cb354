//! The dialects that are JSON: 1.0, 0.3 over JSON-RPC, 0.3 over HTTP+JSON, ContextCore.

use crate::{Dialect, Done, Failure, Item, done};
use baton_types::MAX_JSON_DEPTH;
use baton_wire::{
    a2a::{
        v1,
        v03::{self, rest},
    },
    contextcore, depth_within,
};
use serde::{Serialize, de::DeserializeOwned};

/// A body as a server reads it: its depth, its text, its members.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    if !depth_within(bytes, MAX_JSON_DEPTH) {
        return Err("too deep".into());
    }
    Ok(v1::read_params_text(std::str::from_utf8(bytes)?)?)
}

/// An answer as a client reads it.
fn read_answer<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    Ok(serde_json::from_slice(bytes)?)
}

fn write(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::with_capacity(1024);
    serde_json::to_writer(&mut out, value)?;
    Ok(out)
}

/// A request ends checked, whatever it came as.
fn check(request: v1::SendMessageRequest<'static>) -> Done {
    done(request.check()?)
}

/// A2A 1.0, which the others are compared with.
pub const V1: Dialect = Dialect {
    name: "1.0 JSON",
    write_request: |sample| write(&sample.request()),
    read_request: |bytes| check(read(bytes)?),
    write_answer: |sample| write(&sample.answer()),
    read_answer: |bytes| done(read_answer::<v1::SendMessageResponse<'static>>(bytes)?),
    item: Some(Item {
        write: |sample| write(&sample.item()),
        read: |bytes| done(read_answer::<v1::StreamResponse<'static>>(bytes)?),
    }),
};

/// A2A 0.3 over JSON-RPC.
pub const V03: Dialect = Dialect {
    name: "0.3 JSON-RPC",
    write_request: |sample| write(&v03::MessageSendParams::from(sample.request())),
    read_request: |bytes| check(read::<v03::MessageSendParams<'static>>(bytes)?.into_v1()?),
    write_answer: |sample| write(&v03::SendResult::from(sample.answer())),
    read_answer: |bytes| done(read_answer::<v03::SendResult<'static>>(bytes)?.into_v1()?),
    item: Some(Item {
        write: |sample| write(&v03::StreamItem::of(sample.item(), false)),
        read: |bytes| done(read_answer::<v03::StreamItem<'static>>(bytes)?.into_v1()?),
    }),
};

/// A2A 0.3 over HTTP+JSON.
pub const V03_REST: Dialect = Dialect {
    name: "0.3 HTTP+JSON",
    write_request: |sample| write(&rest::SendMessageRequest::from(sample.request())),
    read_request: |bytes| check(read::<rest::SendMessageRequest<'static>>(bytes)?.into_v1()?),
    write_answer: |sample| write(&rest::SendMessageResponse::from(sample.answer())),
    read_answer: |bytes| done(read_answer::<rest::SendMessageResponse<'static>>(bytes)?.into_v1()?),
    item: Some(Item {
        write: |sample| write(&rest::StreamResponse::of(sample.item(), false)),
        read: |bytes| done(read_answer::<rest::StreamResponse<'static>>(bytes)?.into_v1()?),
    }),
};

/// ContextCore's dialect, which has no streams.
pub const CONTEXTCORE: Dialect = Dialect {
    name: "ContextCore",
    write_request: |sample| write(&contextcore::SendParams::from(sample.request())),
    read_request: |bytes| check(read::<contextcore::SendParams>(bytes)?.into_v1(String::new)?),
    write_answer: |sample| write(&contextcore::Task::from(sample.task()).with_agent(&sample.view.agent)),
    read_answer: |bytes| done(read_answer::<contextcore::Task>(bytes)?.into_v1()?),
    item: None,
};
