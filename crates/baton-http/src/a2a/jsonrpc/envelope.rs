//! What stays of a body when its envelope is read: the id, the method, and the parameters until somebody reads them.

use super::method::Method;
use crate::{
    body::Received,
    reply::{readable, utf8},
};
use baton_wire::{
    a2a::v1::{Error, read_params_text},
    jsonrpc,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// A request that no longer borrows from its body, because a run may take minutes and the body's memory is short.
pub(super) struct Envelope {
    pub(super) id: Option<Box<RawValue>>,
    pub(super) method: Result<Method, Error>,
    pub(super) params: Params,
}

impl Envelope {
    /// The envelope, or the id to answer under and why not.
    pub(super) fn read(received: Received) -> Result<Self, (Option<Box<RawValue>>, Error)> {
        let text = readable(&received.bytes).map_err(|error| (None, error))?;
        let rpc = jsonrpc::Request::read(text).map_err(|refused| (refused.id.map(ToOwned::to_owned), refused.error))?;
        let (id, method) = (rpc.id.map(ToOwned::to_owned), Method::named(rpc.method));
        let params = rpc.params.map(|params| received.bytes.slice_ref(params.get().as_bytes()));
        Ok(Self { id, method, params: Params(params.map(|bytes| received.narrowed(bytes))) })
    }
}

/// Parameters as they came, holding the body's share of the common budget.
pub(super) struct Params(Option<Received>);

#[derive(Deserialize)]
struct Tenant {
    tenant: Option<String>,
}

impl Params {
    /// The tenant that they name, for requests whose path names no agent.
    pub(super) fn tenant(&self) -> Option<String> {
        // Most name none, and looking for the word is cheaper than reading everything twice.
        let text = std::str::from_utf8(&self.0.as_ref()?.bytes).ok().filter(|text| text.contains("\"tenant\""))?;
        serde_json::from_str::<Tenant>(text).ok()?.tenant.filter(|tenant| !tenant.is_empty())
    }

    /// The parameters of one operation; the body is let go.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, Error> {
        let bytes = self.0.as_ref().map_or(&b"{}"[..], |received| &received.bytes);
        read_params_text(utf8(bytes)?)
    }
}
