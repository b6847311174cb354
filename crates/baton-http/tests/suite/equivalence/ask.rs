//! What a client asks for and what it gets, in the words of 1.0, whatever binding carries them.

use baton_wire::{
    FieldViolation,
    a2a::v1::{
        AgentCard, CancelTaskRequest, ErrorKind, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
        ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
        SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
        TaskPushNotificationConfigRequest,
    },
};
use futures_core::Stream;
use std::pin::Pin;

/// One request.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) operation: Operation,
    /// Extensions that are switched on.
    pub(super) extensions: Vec<&'static str>,
    /// Headers, or metadata of gRPC.
    pub(super) headers: Vec<(&'static str, String)>,
    /// After so many items of a stream the client hangs up.
    pub(super) leaves_after: Option<usize>,
    /// Of two ways to say the same, the other one.
    pub(super) otherwise: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Operation {
    Send(SendMessageRequest<'static>),
    Stream(SendMessageRequest<'static>),
    Get(GetTaskRequest<'static>),
    List(ListTasksRequest<'static>),
    Cancel(CancelTaskRequest<'static>),
    Subscribe(SubscribeToTaskRequest<'static>),
    CreatePush(TaskPushNotificationConfig<'static>),
    GetPush(TaskPushNotificationConfigRequest<'static>),
    ListPush(ListTaskPushNotificationConfigsRequest<'static>),
    DeletePush(TaskPushNotificationConfigRequest<'static>),
    Card,
}

/// What a request came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The extensions that the server says are on.
    pub(super) acknowledged: Option<String>,
    pub(super) result: Result,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Result {
    Sent(SendMessageResponse<'static>),
    Task(Task<'static>),
    Page(ListTasksResponse<'static>),
    Push(TaskPushNotificationConfig<'static>),
    Pushes(ListTaskPushNotificationConfigsResponse<'static>),
    Deleted,
    Card(Box<AgentCard>),
    Stream(Seen),
    Refused(Refusal),
    /// The answer did not come, and nothing was left that could bring it.
    Waiting,
    /// The dialect has no such operation.
    Absent,
}

/// What was seen of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) items: Vec<Item>,
    /// Whether the server ended it.
    pub(super) ended: bool,
    /// Whether the client hung up.
    pub(super) left: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    /// The id of the event.
    pub(super) number: Option<u64>,
    pub(super) shown: StreamResponse<'static>,
    /// Whether the server says that it is the last, where it says so.
    pub(super) is_final: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) kind: ErrorKind,
    pub(super) code: String,
    pub(super) message: String,
    pub(super) violations: Vec<FieldViolation>,
}

/// An answer as it arrives.
pub(super) struct Answer {
    pub(super) acknowledged: Option<String>,
    pub(super) arriving: Arriving,
}

pub(super) enum Arriving {
    Whole(Box<Result>),
    Piecemeal(Items),
}

pub(super) type Items = Pin<Box<dyn Stream<Item = Item> + Send>>;
