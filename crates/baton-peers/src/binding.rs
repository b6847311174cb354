//! The operations of A2A as every binding and dialect offers them, in the wire types of 1.0.

use crate::CallError;
use baton_ports::BoxFuture;
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc};

/// What goes with a request besides its parameters.
#[derive(Clone, Debug, Default)]
pub struct With {
    /// W3C trace context.
    pub trace: Option<Arc<str>>,
    /// Extensions to switch on.
    pub extensions: Vec<String>,
    /// Under which the peer takes a message once, when it promises to.
    pub idempotency_key: Option<String>,
    /// How often the work has been handed over.
    pub depth: u32,
    /// The last event of the task that was seen, when the peer numbers them.
    pub last_event: Option<String>,
}

/// One event of a stream, with the cursor to go on from when the peer gives one.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The peer's name for the event, such as the SSE `id`.
    pub cursor: Option<String>,
    /// The event.
    pub item: StreamResponse<'static>,
}

/// Events as they come; an error ends it, and an end without a settled task means that the connection broke off.
pub type Hearing = Pin<Box<dyn Stream<Item = Result<Heard, CallError>> + Send>>;

/// One peer at one address, in one binding and dialect. Nothing is repeated in here: each call is one request.
pub trait Binding: Send + Sync + 'static {
    /// `SendMessage`.
    fn send<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<SendMessageResponse<'static>, CallError>>;

    /// `SendStreamingMessage`; resolves when the head of the reply is there.
    fn stream<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<Hearing, CallError>>;

    /// `SubscribeToTask`; resolves when the head of the reply is there.
    fn subscribe<'a>(
        &'a self,
        request: SubscribeToTaskRequest<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<Hearing, CallError>>;

    /// `GetTask`.
    fn get<'a>(
        &'a self,
        request: GetTaskRequest<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>>;

    /// `ListTasks`; dialects without it refuse.
    fn list<'a>(
        &'a self,
        request: ListTasksRequest<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<ListTasksResponse<'static>, CallError>>;

    /// `CancelTask`.
    fn cancel<'a>(
        &'a self,
        request: CancelTaskRequest<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>>;

    /// `CreateTaskPushNotificationConfig`.
    fn create_push<'a>(
        &'a self,
        request: TaskPushNotificationConfig<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<TaskPushNotificationConfig<'static>, CallError>>;

    /// `GetExtendedAgentCard`.
    fn extended_card<'a>(
        &'a self,
        request: GetExtendedAgentCardRequest<'static>,
        with: &'a With,
    ) -> BoxFuture<'a, Result<AgentCard, CallError>>;
}
