//! The A2A operations of every binding and dialect, in the wire types of 1.0.

use crate::CallError;
use baton_ports::BoxFuture;
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc};

/// Metadata of a request.
#[derive(Clone, Debug, Default)]
pub struct RequestMetadata {
    /// W3C trace context.
    pub trace: Option<Arc<str>>,
    /// URIs of the extensions to activate.
    pub extensions: Vec<String>,
    /// Idempotency key, for peers that support it.
    pub idempotency_key: Option<String>,
    /// Handoff depth.
    pub depth: u32,
    /// Id of the last received event of the task, if the peer numbers events.
    pub last_event: Option<String>,
}

/// An event of a stream, with its resume cursor if the peer supplies one.
#[derive(Clone, Debug)]
pub struct BindingEvent {
    /// Event id assigned by the peer, such as the SSE `id`.
    pub cursor: Option<String>,
    /// The event.
    pub item: StreamResponse<'static>,
}

/// Stream of events; an error ends it. If it ends before the task is settled, the connection was lost.
pub type BindingEventStream = Pin<Box<dyn Stream<Item = Result<BindingEvent, CallError>> + Send>>;

/// One peer at one address, in one binding and dialect. Each call is one request; there are no retries.
pub trait Binding: Send + Sync + 'static {
    /// `SendMessage`.
    fn send<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<SendMessageResponse<'static>, CallError>>;

    /// `SendStreamingMessage`; resolves when the head of the reply arrives.
    fn stream<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>>;

    /// `SubscribeToTask`; resolves when the head of the reply arrives.
    fn subscribe<'a>(
        &'a self,
        request: SubscribeToTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>>;

    /// `GetTask`.
    fn get<'a>(
        &'a self,
        request: GetTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>>;

    /// `ListTasks`; dialects without it return an error.
    fn list<'a>(
        &'a self,
        request: ListTasksRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<ListTasksResponse<'static>, CallError>>;

    /// `CancelTask`.
    fn cancel<'a>(
        &'a self,
        request: CancelTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>>;

    /// `CreateTaskPushNotificationConfig`.
    fn create_push<'a>(
        &'a self,
        request: TaskPushNotificationConfig<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<TaskPushNotificationConfig<'static>, CallError>>;

    /// `GetExtendedAgentCard`.
    fn extended_card<'a>(
        &'a self,
        request: GetExtendedAgentCardRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<AgentCard, CallError>>;
}
