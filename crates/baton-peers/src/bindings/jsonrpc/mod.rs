//! JSON-RPC binding.

mod v03;
mod v1;

pub(super) use v1::JsonRpcV1;
pub(super) use v03::JsonRpcV03;

use super::{
    events::{event_stream, is_unknown_kind, single_event},
    http::{PeerHttpRequest, PeerHttpTransport, ReplyHead, StreamReply},
    read::{invalid_reply, parse_reply, to_json},
    refusal,
};
use crate::{BindingEventStream, CallError, RequestMetadata};
use baton_wire::{
    a2a::v1::StreamResponse,
    jsonrpc::{RpcCall, RpcResponse},
};
use http::{HeaderMap, Method, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::atomic::{AtomicU64, Ordering};

/// A JSON-RPC endpoint.
struct Endpoint {
    line: PeerHttpTransport,
    url: String,
    next: AtomicU64,
}

impl Endpoint {
    fn new(line: PeerHttpTransport, url: String) -> Self {
        Self { line, url, next: AtomicU64::new(1) }
    }

    fn build_request(&self, method: &str, params: &impl Serialize) -> Result<PeerHttpRequest, CallError> {
        let body = to_json(&RpcCall::new(self.next.fetch_add(1, Ordering::Relaxed), method, params))?;
        Ok(PeerHttpRequest { method: Method::POST, url: self.url.clone(), body: Some(body) })
    }

    /// Calls a method with a complete reply.
    async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync),
        with: &RequestMetadata,
    ) -> Result<T, CallError> {
        let ask = self.build_request(method, params)?;
        self.line.send(&ask, with, result).await
    }

    /// Calls a method with a streamed reply; `item` converts each event.
    async fn hear<T: DeserializeOwned + 'static>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync),
        with: &RequestMetadata,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<BindingEventStream, CallError> {
        let ask = self.build_request(method, params)?;
        match self.line.open_stream(&ask, with).await? {
            StreamReply::Events(body) => Ok(event_stream(body, self.line.credential(), move |data| {
                let head = ReplyHead { status: StatusCode::OK, headers: HeaderMap::new() };
                result(&head, data.as_bytes()).and_then(item)
            })),
            StreamReply::Complete(head, body) => {
                let item = result(&head, &body).and_then(item).map_err(|error| self.line.redact(error))?;
                if is_unknown_kind(&item) {
                    return Err(invalid_reply(&"neither a task nor a message"));
                }
                Ok(single_event(item))
            }
        }
    }
}

/// The result of a reply.
fn result<T: DeserializeOwned>(head: &ReplyHead, body: &[u8]) -> Result<T, CallError> {
    match parse_reply::<RpcResponse<'_>>(body) {
        Ok(RpcResponse { error: Some(error), .. }) => Err(refusal::from_rpc_error(head, &error)),
        Ok(RpcResponse { result: Some(result), .. }) if head.status.is_success() => {
            serde_json::from_str(result.get()).map_err(|error| invalid_reply(&error))
        }
        _ if !head.status.is_success() => Err(refusal::from_http_reply(head, body)),
        Ok(_) => Err(invalid_reply(&"there is neither a result nor an error")),
        Err(error) => Err(error),
    }
}
