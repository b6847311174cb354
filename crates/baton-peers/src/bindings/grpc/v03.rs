//! gRPC binding, 0.3.

use super::{
    super::refusal::unsupported_operation,
    channel::{Channel, MessageSizeLimit},
};
use crate::{A2aDialect, Binding, BindingEventStream, CallError, RequestMetadata};
use baton_ports::BoxFuture;
use baton_proto::v03::pb::{self, a2a_service_client::A2aServiceClient};
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};

/// A peer that speaks gRPC 0.3.
pub(in super::super) struct GrpcV03 {
    channel: Channel,
}

impl GrpcV03 {
    pub(in super::super) fn new(channel: Channel) -> Self {
        Self { channel }
    }

    fn client(&self, size: MessageSizeLimit) -> A2aServiceClient<Channel> {
        A2aServiceClient::with_origin(self.channel.clone(), self.channel.origin())
            .max_decoding_message_size(size.bytes())
            .max_encoding_message_size(usize::MAX)
    }
}

macro_rules! calls {
    ($($kind:ident $size:ident $name:ident($request:ty) -> $answer:ty = $message:ident $method:ident $old:expr;)*) => {$(
        fn $name<'a>(&'a self, request: $request, with: &'a RequestMetadata) -> BoxFuture<'a, Result<$answer, CallError>> {
            let old: fn($request) -> $request = $old;
            let message = pb::$message::try_from(old(request));
            let client = self.client(MessageSizeLimit::$size);
            Box::pin(async move {
                let call = |request| {
                    let mut client = client.clone();
                    Box::pin(async move { client.$method(request).await }) as _
                };
                self.channel.$kind(message, with, A2aDialect::V03, call).await
            })
        }
    )*};
}

impl Binding for GrpcV03 {
    calls! {
        call Reply send(SendMessageRequest<'static>) -> SendMessageResponse<'static>
            = SendMessageRequest send_message send;
        hear Event stream(SendMessageRequest<'static>) -> BindingEventStream = SendMessageRequest send_streaming_message send;
        hear Event subscribe(SubscribeToTaskRequest<'static>) -> BindingEventStream
            = TaskSubscriptionRequest task_subscription |request| request;
        call Reply get(GetTaskRequest<'static>) -> Task<'static> = GetTaskRequest get_task get;
        call Reply cancel(CancelTaskRequest<'static>) -> Task<'static>
            = CancelTaskRequest cancel_task |request| request;
        call Reply create_push(TaskPushNotificationConfig<'static>) -> TaskPushNotificationConfig<'static>
            = CreateTaskPushNotificationConfigRequest create_task_push_notification_config |request| request;
        call Reply extended_card(GetExtendedAgentCardRequest<'static>) -> AgentCard
            = GetAgentCardRequest get_agent_card |request| request;
    }

    fn list<'a>(
        &'a self,
        _: ListTasksRequest<'static>,
        _: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<ListTasksResponse<'static>, CallError>> {
        Box::pin(std::future::ready(Err(unsupported_operation("list tasks"))))
    }
}

/// 0.3 cannot request an empty history, so the shortest possible one is requested.
fn history(length: Option<i32>) -> Option<i32> {
    length.map(|length| if length == 0 { 1 } else { length })
}

fn send(mut request: SendMessageRequest<'static>) -> SendMessageRequest<'static> {
    if let Some(configuration) = &mut request.configuration {
        configuration.history_length = history(configuration.history_length);
    }
    request
}

fn get(mut request: GetTaskRequest<'static>) -> GetTaskRequest<'static> {
    request.history_length = history(request.history_length);
    request
}
