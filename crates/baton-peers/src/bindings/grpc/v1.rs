//! gRPC binding, 1.0.

use super::channel::{Channel, MessageSizeLimit};
use crate::{A2aDialect, Binding, BindingEventStream, CallError, RequestMetadata};
use baton_ports::BoxFuture;
use baton_proto::v1::pb::{self, a2a_service_client::A2aServiceClient};
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use std::borrow::Cow;

/// A peer that speaks gRPC 1.0.
pub(in super::super) struct GrpcV1 {
    channel: Channel,
    tenant: Option<String>,
}

impl GrpcV1 {
    pub(in super::super) fn new(channel: Channel, tenant: Option<String>) -> Self {
        Self { channel, tenant }
    }

    fn client(&self, size: MessageSizeLimit) -> A2aServiceClient<Channel> {
        A2aServiceClient::with_origin(self.channel.clone(), self.channel.origin())
            .max_decoding_message_size(size.bytes())
            .max_encoding_message_size(usize::MAX)
    }

    /// The tenant of the request, or that of the interface.
    fn tenant<'a>(&self, own: Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        own.or_else(|| self.tenant.clone().map(Cow::Owned))
    }
}

macro_rules! calls {
    ($($kind:ident $size:ident $name:ident($request:ty) -> $answer:ty = $message:ident $method:ident;)*) => {$(
        fn $name<'a>(&'a self, mut request: $request, with: &'a RequestMetadata) -> BoxFuture<'a, Result<$answer, CallError>> {
            request.tenant = self.tenant(request.tenant.take());
            let message = pb::$message::try_from(request);
            let client = self.client(MessageSizeLimit::$size);
            Box::pin(async move {
                let call = |request| {
                    let mut client = client.clone();
                    Box::pin(async move { client.$method(request).await }) as _
                };
                self.channel.$kind(message, with, A2aDialect::V1, call).await
            })
        }
    )*};
}

impl Binding for GrpcV1 {
    calls! {
        call Reply send(SendMessageRequest<'static>) -> SendMessageResponse<'static> = SendMessageRequest send_message;
        hear Event stream(SendMessageRequest<'static>) -> BindingEventStream = SendMessageRequest send_streaming_message;
        hear Event subscribe(SubscribeToTaskRequest<'static>) -> BindingEventStream = SubscribeToTaskRequest subscribe_to_task;
        call Reply get(GetTaskRequest<'static>) -> Task<'static> = GetTaskRequest get_task;
        call Reply list(ListTasksRequest<'static>) -> ListTasksResponse<'static> = ListTasksRequest list_tasks;
        call Reply cancel(CancelTaskRequest<'static>) -> Task<'static> = CancelTaskRequest cancel_task;
        call Reply create_push(TaskPushNotificationConfig<'static>) -> TaskPushNotificationConfig<'static>
            = TaskPushNotificationConfig create_task_push_notification_config;
        call Reply extended_card(GetExtendedAgentCardRequest<'static>) -> AgentCard
            = GetExtendedAgentCardRequest get_extended_agent_card;
    }
}
