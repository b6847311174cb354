//! Requests and their outcomes in terms of 1.0, independent of the binding.

use baton_types::FieldViolation;
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, ErrorKind, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    TaskPushNotificationConfigRequest,
};
use futures_core::Stream;
use std::pin::Pin;

#[derive(Clone, Debug)]
pub(super) struct ClientRequest {
    pub(super) operation: Operation,
    /// Requested extensions.
    pub(super) extensions: Vec<&'static str>,
    /// Headers, or gRPC metadata.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Number of stream items after which the client disconnects.
    pub(super) disconnect_after: Option<usize>,
    /// Selects the alternative where a binding has two forms of the same request.
    pub(super) alternate: bool,
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

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// Extensions that the server acknowledged.
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
    Stream(StreamRecord),
    Refused(Refusal),
    /// The server was idle, but did not answer.
    Waiting,
    /// The dialect lacks the operation.
    Absent,
}

/// Received part of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StreamRecord {
    pub(super) items: Vec<Item>,
    /// Whether the server ended it.
    pub(super) ended: bool,
    /// Whether the client disconnected.
    pub(super) disconnected: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    /// Event id.
    pub(super) number: Option<u64>,
    pub(super) shown: StreamResponse<'static>,
    /// The `final` flag, if the dialect has one.
    pub(super) is_final: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) kind: ErrorKind,
    pub(super) code: String,
    pub(super) message: String,
    pub(super) violations: Vec<FieldViolation>,
}

pub(super) struct Answer {
    pub(super) acknowledged: Option<String>,
    pub(super) body: AnswerBody,
}

pub(super) enum AnswerBody {
    Unary(Box<Result>),
    Stream(Items),
}

pub(super) type Items = Pin<Box<dyn Stream<Item = Item> + Send>>;
