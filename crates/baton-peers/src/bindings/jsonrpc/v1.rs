//! JSON-RPC binding, 1.0.

use super::{super::http::PeerHttpTransport, Endpoint};
use crate::{Binding, BindingEventStream, CallError, RequestMetadata};
use baton_ports::BoxFuture;
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use std::borrow::Cow;

/// A peer that speaks JSON-RPC 1.0.
pub(in super::super) struct JsonRpcV1 {
    endpoint: Endpoint,
    tenant: Option<String>,
}

impl JsonRpcV1 {
    pub(in super::super) fn new(line: PeerHttpTransport, url: String, tenant: Option<String>) -> Self {
        Self { endpoint: Endpoint::new(line, url), tenant }
    }

    /// The tenant of the request, or that of the interface.
    fn tenant<'a>(&self, own: Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        own.or_else(|| self.tenant.clone().map(Cow::Owned))
    }
}

macro_rules! calls {
    ($($name:ident($request:ty) -> $answer:ty = $method:literal;)*) => {$(
        fn $name<'a>(&'a self, mut request: $request, with: &'a RequestMetadata) -> BoxFuture<'a, Result<$answer, CallError>> {
            request.tenant = self.tenant(request.tenant.take());
            Box::pin(async move { self.endpoint.call($method, &request, with).await })
        }
    )*};
}

macro_rules! streams {
    ($($name:ident($request:ty) = $method:literal;)*) => {$(
        fn $name<'a>(&'a self, mut request: $request, with: &'a RequestMetadata) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
            request.tenant = self.tenant(request.tenant.take());
            Box::pin(async move { self.endpoint.hear($method, &request, with, item).await })
        }
    )*};
}

impl Binding for JsonRpcV1 {
    calls! {
        send(SendMessageRequest<'static>) -> SendMessageResponse<'static> = "SendMessage";
        get(GetTaskRequest<'static>) -> Task<'static> = "GetTask";
        list(ListTasksRequest<'static>) -> ListTasksResponse<'static> = "ListTasks";
        cancel(CancelTaskRequest<'static>) -> Task<'static> = "CancelTask";
        create_push(TaskPushNotificationConfig<'static>) -> TaskPushNotificationConfig<'static>
            = "CreateTaskPushNotificationConfig";
        extended_card(GetExtendedAgentCardRequest<'static>) -> AgentCard = "GetExtendedAgentCard";
    }

    streams! {
        stream(SendMessageRequest<'static>) = "SendStreamingMessage";
        subscribe(SubscribeToTaskRequest<'static>) = "SubscribeToTask";
    }
}

fn item(item: StreamResponse<'static>) -> Result<StreamResponse<'static>, CallError> {
    Ok(item)
}
