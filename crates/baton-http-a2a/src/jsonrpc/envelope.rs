//! Parsed JSON-RPC envelope: id, method and the parameters, which are parsed later.

use super::method::JsonRpcMethod;
use crate::reply::{parse_text, utf8};
use baton_http::body::{BodyShare, ReceivedBody};
use baton_wire::{
    a2a::v1::{Error, read_params_text},
    jsonrpc,
};
use bytes::Bytes;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// A request that does not borrow from its body, because a run may take minutes and body memory is limited.
pub(super) struct JsonRpcEnvelope {
    pub(super) id: Option<Box<RawValue>>,
    pub(super) method: Result<JsonRpcMethod, Error>,
    /// Whether the method name is dotted, known or not.
    pub(super) is_dotted: bool,
    pub(super) params: JsonRpcParams,
}

/// Error for a body or batch entry that is not a request, with the id to reply to.
pub(super) type EnvelopeError = (Option<Box<RawValue>>, Error);

impl JsonRpcEnvelope {
    /// Parses a body that is one request.
    pub(super) fn read(received: ReceivedBody) -> Result<Self, EnvelopeError> {
        let text = parse_text(&received.bytes).map_err(|error| (None, error))?;
        let mut envelope = Self::read_part(&received.bytes, text)?;
        if envelope.params.bytes.is_some() {
            envelope.params.share = Some(received.share);
        }
        Ok(envelope)
    }

    /// Parses a part of a body; the body must stay in memory until the request is answered.
    pub(super) fn read_part(body: &Bytes, text: &str) -> Result<Self, EnvelopeError> {
        let rpc =
            jsonrpc::RpcRequest::read(text).map_err(|refused| (refused.id.map(ToOwned::to_owned), refused.error))?;
        Ok(Self {
            id: rpc.id.map(ToOwned::to_owned),
            method: JsonRpcMethod::from_name(rpc.method),
            is_dotted: rpc.method.contains('.') && !rpc.method.contains('/'),
            params: JsonRpcParams {
                bytes: rpc.params.map(|params| body.slice_ref(params.get().as_bytes())),
                share: None,
            },
        })
    }

    /// Whether the client expects no reply. A2A methods are always answered, with the id `null` if there is none.
    pub(super) fn is_notification(&self) -> bool {
        self.is_dotted && self.id.is_none()
    }
}

/// Unparsed parameters.
pub(super) struct JsonRpcParams {
    bytes: Option<Bytes>,
    /// The body's share of the memory budget, if the parameters hold it.
    share: Option<BodyShare>,
}

#[derive(Deserialize)]
struct TenantParam {
    tenant: Option<String>,
}

impl JsonRpcParams {
    /// Tenant in the parameters, for requests whose path names no agent.
    pub(super) fn tenant(&self) -> Option<String> {
        // Most requests have no tenant, and a substring search is cheaper than parsing everything twice.
        let text = std::str::from_utf8(self.bytes.as_ref()?).ok().filter(|text| text.contains("\"tenant\""))?;
        serde_json::from_str::<TenantParam>(text).ok()?.tenant.filter(|tenant| !tenant.is_empty())
    }

    /// Parses the parameters of an operation and releases the body.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, Error> {
        let read = read_params_text(utf8(self.bytes.as_deref().unwrap_or(b"{}"))?);
        drop(self.share);
        read
    }
}
