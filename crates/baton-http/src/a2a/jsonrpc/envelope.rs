//! What stays of a body when its envelope is read: the id, the method, and the parameters until somebody reads them.

use super::method::Method;
use crate::{
    body::{BodyShare, Received},
    reply::{readable, utf8},
};
use baton_wire::{
    a2a::v1::{Error, read_params_text},
    jsonrpc,
};
use bytes::Bytes;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// A request that no longer borrows from its body, because a run may take minutes and the body's memory is short.
pub(super) struct Envelope {
    pub(super) id: Option<Box<RawValue>>,
    pub(super) method: Result<Method, Error>,
    /// Whether the method is one of the dotted names, known or not.
    pub(super) is_dotted: bool,
    pub(super) params: Params,
}

/// A body or an entry of a batch that is no request: the id to answer under, and why not.
pub(super) type EnvelopeError = (Option<Box<RawValue>>, Error);

impl Envelope {
    /// The envelope of a body that is one request.
    pub(super) fn read(received: Received) -> Result<Self, EnvelopeError> {
        let text = readable(&received.bytes).map_err(|error| (None, error))?;
        let mut envelope = Self::read_part(&received.bytes, text)?;
        if envelope.params.bytes.is_some() {
            envelope.params.share = Some(received.share);
        }
        Ok(envelope)
    }

    /// The envelope in a part of a body that stays in memory until its request is answered.
    pub(super) fn read_part(body: &Bytes, text: &str) -> Result<Self, EnvelopeError> {
        let rpc = jsonrpc::Request::read(text).map_err(|refused| (refused.id.map(ToOwned::to_owned), refused.error))?;
        Ok(Self {
            id: rpc.id.map(ToOwned::to_owned),
            method: Method::named(rpc.method),
            is_dotted: rpc.method.contains('.') && !rpc.method.contains('/'),
            params: Params { bytes: rpc.params.map(|params| body.slice_ref(params.get().as_bytes())), share: None },
        })
    }

    /// Whether nobody waits for an answer. Methods of A2A are always answered, with the id `null` if there is none.
    pub(super) fn is_notification(&self) -> bool {
        self.is_dotted && self.id.is_none()
    }
}

/// Parameters as they came.
pub(super) struct Params {
    bytes: Option<Bytes>,
    /// The body's share of the common budget, if the parameters keep it.
    share: Option<BodyShare>,
}

#[derive(Deserialize)]
struct Tenant {
    tenant: Option<String>,
}

impl Params {
    /// The tenant that they name, for requests whose path names no agent.
    pub(super) fn tenant(&self) -> Option<String> {
        // Most name none, and looking for the word is cheaper than reading everything twice.
        let text = std::str::from_utf8(self.bytes.as_ref()?).ok().filter(|text| text.contains("\"tenant\""))?;
        serde_json::from_str::<Tenant>(text).ok()?.tenant.filter(|tenant| !tenant.is_empty())
    }

    /// The parameters of one operation; the body is let go.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, Error> {
        let read = read_params_text(utf8(self.bytes.as_deref().unwrap_or(b"{}"))?);
        drop(self.share);
        read
    }
}
