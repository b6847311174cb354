//! A client for each binding and dialect.

mod grpc;
mod http;
mod json_rpc;
mod old_grpc;
mod old_json_rpc;
mod old_rest;
mod rest;

pub(super) use self::http::{ReplyBody, exchange};
pub(super) use json_rpc::result;

use super::{
    operation::{Answer, ClientRequest, Refusal},
    world::World,
};
use baton_wire::a2a::v1::{ErrorKind, ErrorObject};

/// Protocol binding and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    JsonRpc,
    Rest,
    Grpc,
    OldJsonRpc,
    OldRest,
    OldGrpc,
}

impl Binding {
    /// Reference for all other bindings.
    pub(super) const MODEL: Self = Self::JsonRpc;
    pub(super) const OTHERS: [Self; 5] = [Self::Rest, Self::Grpc, Self::OldJsonRpc, Self::OldRest, Self::OldGrpc];

    /// Whether the protocol version is 0.3.
    pub(super) fn is_old(self) -> bool {
        matches!(self, Self::OldJsonRpc | Self::OldRest | Self::OldGrpc)
    }

    pub(super) fn is_grpc(self) -> bool {
        matches!(self, Self::Grpc | Self::OldGrpc)
    }

    /// Sends the request; returns the answer in terms of 1.0, or `None` if the dialect lacks the operation.
    pub(super) async fn ask(self, world: &World, ask: &ClientRequest) -> Option<Answer> {
        match self {
            Self::JsonRpc => Some(json_rpc::ask(world, ask).await),
            Self::Rest => Some(rest::ask(world, ask).await),
            Self::Grpc => Some(grpc::ask(world, ask).await),
            Self::OldJsonRpc => old_json_rpc::ask(world, ask).await,
            Self::OldRest => old_rest::ask(world, ask).await,
            Self::OldGrpc => old_grpc::ask(world, ask).await,
        }
    }
}

/// In 0.3 a length of 0 means all messages, so the shortest history is 1.
fn old_history(length: Option<i32>) -> Option<i32> {
    length.map(|length| if length == 0 { 1 } else { length })
}

/// Parses an error and checks that its code matches its kind.
pub(super) fn refusal(object: &ErrorObject, code_of: impl Fn(ErrorKind) -> bool) -> Refusal {
    let reason = object.reason().unwrap_or_default();
    let kind = KINDS.into_iter().find(|kind| kind.reason() == reason);
    let kind = kind.unwrap_or_else(|| panic!("no kind has the reason of {object:?}"));
    assert!(code_of(kind), "the code does not match {kind:?}: {object:?}");
    Refusal {
        kind,
        code: object.baton_code().unwrap_or_default(),
        message: object.message.clone(),
        violations: object.violations(),
    }
}

/// Error kinds that can occur in conversations.
const KINDS: [ErrorKind; 13] = [
    ErrorKind::TaskNotFound,
    ErrorKind::TaskNotCancelable,
    ErrorKind::UnsupportedOperation,
    ErrorKind::ContentTypeNotSupported,
    ErrorKind::VersionNotSupported,
    ErrorKind::TaskGenerationMismatch,
    ErrorKind::Parse,
    ErrorKind::InvalidRequest,
    ErrorKind::InvalidParams,
    ErrorKind::AgentNotFound,
    ErrorKind::PageNotFound,
    ErrorKind::MethodNotAllowed,
    ErrorKind::Internal,
];
