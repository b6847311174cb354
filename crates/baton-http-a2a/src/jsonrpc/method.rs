//! JSON-RPC method names; the sets of the dialects do not overlap.

use crate::operation::A2aOperation;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};

/// A method and its dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonRpcMethod {
    /// A2A 1.0.
    V1(A2aOperation),
    /// A2A 0.3.
    V03(A2aOperation),
    /// Dotted names of ContextCore.
    ContextCore(A2aOperation),
}

impl JsonRpcMethod {
    /// Operation of the method.
    pub(super) fn operation(self) -> A2aOperation {
        let (Self::V1(operation) | Self::V03(operation) | Self::ContextCore(operation)) = self;
        operation
    }

    /// Parses a method name.
    pub(super) fn from_name(name: &str) -> Result<Self, Error> {
        use A2aOperation::{
            Cancel, CreatePush, DeletePush, ExtendedCard, Get, GetPush, List, ListPush, Send, Stream, Subscribe,
        };
        Ok(match name {
            "message/send" => Self::V03(Send),
            "message/stream" => Self::V03(Stream),
            "tasks/get" => Self::V03(Get),
            "tasks/cancel" => Self::V03(Cancel),
            "tasks/resubscribe" => Self::V03(Subscribe),
            "tasks/pushNotificationConfig/set" => Self::V03(CreatePush),
            "tasks/pushNotificationConfig/get" => Self::V03(GetPush),
            "tasks/pushNotificationConfig/list" => Self::V03(ListPush),
            "tasks/pushNotificationConfig/delete" => Self::V03(DeletePush),
            "agent/getAuthenticatedExtendedCard" => Self::V03(ExtendedCard),
            "message.send" => Self::ContextCore(Send),
            "tasks.get" => Self::ContextCore(Get),
            "tasks.list" => Self::ContextCore(List),
            "tasks.cancel" => Self::ContextCore(Cancel),
            "agent.getExtendedAgentCard" => Self::ContextCore(ExtendedCard),
            _ => return A2aOperation::from_name(name).map(Self::V1).ok_or_else(|| unknown_method(name)),
        })
    }
}

/// Error for an unknown method.
pub(super) fn unknown_method(name: &str) -> Error {
    let message = format!("there is no method '{}'", name.chars().take(64).collect::<String>());
    Error::new(ErrorKind::MethodNotFound, ErrorCode::INVALID_REQUEST, message)
}
