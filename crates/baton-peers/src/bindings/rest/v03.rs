//! HTTP+JSON binding, 0.3.

use super::{
    super::{
        http::PeerHttpTransport,
        read::{check_conversion, parse_card},
        refusal::unsupported_operation,
    },
    Routes,
};
use crate::{Binding, BindingEventStream, CallError, RequestMetadata};
use baton_encoding::path_segment;
use baton_ports::BoxFuture;
use baton_types::Json;
use baton_wire::a2a::{
    v1::{
        AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
        SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
        TaskPushNotificationConfig,
    },
    v03::{self, rest},
};

/// A peer that speaks HTTP+JSON 0.3.
pub(in super::super) struct RestV03 {
    routes: Routes,
}

impl RestV03 {
    pub(in super::super) fn new(line: PeerHttpTransport, base: &str) -> Self {
        let mut routes = Routes::new(line, base);
        // Cards differ on whether the base URL includes the version.
        if !routes.base.ends_with("/v1") {
            routes.base.push_str("/v1");
        }
        Self { routes }
    }
}

impl Binding for RestV03 {
    fn send<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<SendMessageResponse<'static>, CallError>> {
        let body = rest::SendMessageRequest::from(request);
        Box::pin(async move {
            let ask = self.routes.post("/message:send", &body)?;
            let sent: rest::SendMessageResponse<'static> = self.routes.call(ask, with).await?;
            check_conversion(sent.into_v1())
        })
    }

    fn stream<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let body = rest::SendMessageRequest::from(request);
        Box::pin(async move { self.routes.hear(self.routes.post("/message:stream", &body)?, with, item).await })
    }

    fn subscribe<'a>(
        &'a self,
        request: SubscribeToTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let path = format!("/tasks/{}:subscribe", path_segment(&request.id));
        Box::pin(async move { self.routes.subscribe_to_task(self.routes.get(&path), with, item).await })
    }

    fn get<'a>(
        &'a self,
        request: GetTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        let params = v03::TaskQueryParams::from(request);
        let query = params.history_length.map(|length| format!("?historyLength={length}")).unwrap_or_default();
        let path = format!("/tasks/{}{query}", path_segment(&params.id));
        Box::pin(async move {
            let task: rest::Task<'static> = self.routes.call(self.routes.get(&path), with).await?;
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
        let path = format!("/tasks/{}:cancel", path_segment(&request.id));
        let body = serde_json::json!({ "name": rest::task_name(&request.id) });
        Box::pin(async move {
            let task: rest::Task<'static> = self.routes.call(self.routes.post(&path, &body)?, with).await?;
            check_conversion(task.into_v1())
        })
    }

    fn create_push<'a>(
        &'a self,
        request: TaskPushNotificationConfig<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<TaskPushNotificationConfig<'static>, CallError>> {
        let path = format!("/tasks/{}/pushNotificationConfigs", path_segment(&request.task_id));
        let body = rest::CreatePushRequest::from(request);
        Box::pin(async move {
            let ask = self.routes.post(&path, &body)?;
            let config: rest::TaskPushNotificationConfig<'static> = self.routes.call(ask, with).await?;
            Ok(config.into_v1())
        })
    }

    fn extended_card<'a>(
        &'a self,
        _: GetExtendedAgentCardRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<AgentCard, CallError>> {
        Box::pin(async move {
            let json: Json = self.routes.call(self.routes.get("/card"), with).await?;
            parse_card(json.as_str().as_bytes())
        })
    }
}

fn item(item: rest::StreamResponse<'static>) -> Result<StreamResponse<'static>, CallError> {
    check_conversion(item.into_v1())
}
