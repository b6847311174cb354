//! JSON-RPC binding.

mod v03;
mod v1;

pub(super) use v1::JsonRpcV1;
pub(super) use v03::JsonRpcV03;

use super::{
    events::{hearing, only, says_nothing},
    http::{Answer, Ask, Head, Line},
    read::{read, unintelligible, written},
    refusal,
};
use crate::{CallError, Hearing, With};
use baton_wire::{
    a2a::v1::StreamResponse,
    jsonrpc::{RpcCall, RpcResponse},
};
use http::{HeaderMap, Method, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::atomic::{AtomicU64, Ordering};

/// A JSON-RPC endpoint.
struct Endpoint {
    line: Line,
    url: String,
    next: AtomicU64,
}

impl Endpoint {
    fn new(line: Line, url: String) -> Self {
        Self { line, url, next: AtomicU64::new(1) }
    }

    fn asked(&self, method: &str, params: &impl Serialize) -> Result<Ask, CallError> {
        let body = written(&RpcCall::new(self.next.fetch_add(1, Ordering::Relaxed), method, params))?;
        Ok(Ask { method: Method::POST, url: self.url.clone(), body: Some(body) })
    }

    /// Calls a method with a complete reply.
    async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync),
        with: &With,
    ) -> Result<T, CallError> {
        let ask = self.asked(method, params)?;
        self.line.ask(&ask, with, result).await
    }

    /// Calls a method with a streamed reply; `item` converts each event.
    async fn hear<T: DeserializeOwned + 'static>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync),
        with: &With,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<Hearing, CallError> {
        let ask = self.asked(method, params)?;
        match self.line.listen(&ask, with).await? {
            Answer::Events(body) => Ok(hearing(body, self.line.credential(), move |data| {
                let head = Head { status: StatusCode::OK, headers: HeaderMap::new() };
                result(&head, data.as_bytes()).and_then(item)
            })),
            Answer::Whole(head, body) => {
                let item = result(&head, &body).and_then(item).map_err(|error| self.line.hide(error))?;
                if says_nothing(&item) {
                    return Err(unintelligible(&"neither a task nor a message"));
                }
                Ok(only(item))
            }
        }
    }
}

/// The result of a reply.
fn result<T: DeserializeOwned>(head: &Head, body: &[u8]) -> Result<T, CallError> {
    match read::<RpcResponse<'_>>(body) {
        Ok(RpcResponse { error: Some(error), .. }) => Err(refusal::of_rpc(head, &error)),
        Ok(RpcResponse { result: Some(result), .. }) if head.status.is_success() => {
            serde_json::from_str(result.get()).map_err(|error| unintelligible(&error))
        }
        _ if !head.status.is_success() => Err(refusal::of_http(head, body)),
        Ok(_) => Err(unintelligible(&"there is neither a result nor an error")),
        Err(error) => Err(error),
    }
}
