//! The methods by name; the sets of the dialects do not overlap.

use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};

/// A method and the dialect it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// A2A 1.0.
    V1(Operation),
    /// A2A 0.3.
    V03(Operation),
    /// ContextCore's dotted names.
    ContextCore(Operation),
}

/// What a method does, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
    CreatePush,
    GetPush,
    ListPush,
    DeletePush,
    ExtendedCard,
}

impl Method {
    /// The method of that name.
    pub(super) fn named(name: &str) -> Result<Self, Error> {
        use Operation::{
            Cancel, CreatePush, DeletePush, ExtendedCard, Get, GetPush, List, ListPush, Send, Stream, Subscribe,
        };
        Ok(match name {
            "SendMessage" => Self::V1(Send),
            "SendStreamingMessage" => Self::V1(Stream),
            "GetTask" => Self::V1(Get),
            "ListTasks" => Self::V1(List),
            "CancelTask" => Self::V1(Cancel),
            "SubscribeToTask" => Self::V1(Subscribe),
            "CreateTaskPushNotificationConfig" => Self::V1(CreatePush),
            "GetTaskPushNotificationConfig" => Self::V1(GetPush),
            "ListTaskPushNotificationConfigs" => Self::V1(ListPush),
            "DeleteTaskPushNotificationConfig" => Self::V1(DeletePush),
            "GetExtendedAgentCard" => Self::V1(ExtendedCard),
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
            _ => return Err(unknown(name)),
        })
    }
}

/// There is no such method.
pub(super) fn unknown(name: &str) -> Error {
    let message = format!("there is no method '{}'", name.chars().take(64).collect::<String>());
    Error::new(ErrorKind::MethodNotFound, ErrorCode::INVALID_REQUEST, message)
}
