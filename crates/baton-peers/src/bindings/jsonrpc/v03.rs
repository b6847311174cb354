//! JSON-RPC binding, 0.3.

use super::{
    super::{
        http::PeerHttpTransport,
        read::{check_conversion, parse_card},
        refusal::unsupported_operation,
    },
    Endpoint,
};
use crate::{Binding, BindingEventStream, CallError, RequestMetadata};
use baton_ports::BoxFuture;
use baton_types::Json;
use baton_wire::a2a::{
    v1::{
        AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
        SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
        TaskPushNotificationConfig,
    },
    v03,
};

/// A peer that speaks JSON-RPC 0.3.
pub(in super::super) struct JsonRpcV03 {
    endpoint: Endpoint,
}

impl JsonRpcV03 {
    pub(in super::super) fn new(line: PeerHttpTransport, url: String) -> Self {
        Self { endpoint: Endpoint::new(line, url) }
    }
}

impl Binding for JsonRpcV03 {
    fn send<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<SendMessageResponse<'static>, CallError>> {
        let params = v03::MessageSendParams::from(request);
        Box::pin(async move {
            let sent: v03::SendResult<'static> = self.endpoint.call("message/send", &params, with).await?;
            check_conversion(sent.into_v1())
        })
    }

    fn stream<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let params = v03::MessageSendParams::from(request);
        Box::pin(async move { self.endpoint.hear("message/stream", &params, with, item).await })
    }

    fn subscribe<'a>(
        &'a self,
        request: SubscribeToTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let params = v03::TaskIdParams::from(request);
        Box::pin(async move { self.endpoint.hear("tasks/resubscribe", &params, with, item).await })
    }

    fn get<'a>(
        &'a self,
        request: GetTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        let params = v03::TaskQueryParams::from(request);
        Box::pin(async move {
            let task: v03::Task<'static> = self.endpoint.call("tasks/get", &params, with).await?;
            check_conversion(task.into_v1())
        })
    }

    fn list<'a>(
        &'a self,
        _: ListTasksRequest<'static>,
        _: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<ListTasksResponse<'static>, CallError>> {
        Box::pin(std::future::ready(Err(unsupported_operation("list tasks"))))
    }

    fn cancel<'a>(
        &'a self,
        request: CancelTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        let params = v03::TaskIdParams::from(request);
        Box::pin(async move {
            let task: v03::Task<'static> = self.endpoint.call("tasks/cancel", &params, with).await?;
            check_conversion(task.into_v1())
        })
    }

    fn create_push<'a>(
        &'a self,
        request: TaskPushNotificationConfig<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<TaskPushNotificationConfig<'static>, CallError>> {
        let params = v03::TaskPushNotificationConfig::from(request);
        Box::pin(async move {
            let method = "tasks/pushNotificationConfig/set";
            let config: v03::TaskPushNotificationConfig<'static> = self.endpoint.call(method, &params, with).await?;
            Ok(config.into_v1())
        })
    }

    fn extended_card<'a>(
        &'a self,
        _: GetExtendedAgentCardRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<AgentCard, CallError>> {
        Box::pin(async move {
            let params = serde_json::json!({});
            let json: Json = self.endpoint.call("agent/getAuthenticatedExtendedCard", &params, with).await?;
            parse_card(json.as_str().as_bytes())
        })
    }
}

fn item(item: v03::StreamItem<'static>) -> Result<StreamResponse<'static>, CallError> {
    check_conversion(item.into_v1())
}
