//! HTTP+JSON binding, 1.0.

use super::{super::http::PeerHttpTransport, Routes};
use crate::{Binding, BindingEventStream, CallError, RequestMetadata};
use baton_encoding::path_segment;
use baton_ports::BoxFuture;
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// A peer that speaks HTTP+JSON 1.0.
pub(in super::super) struct RestV1 {
    routes: Routes,
    tenant: Option<String>,
}

impl RestV1 {
    pub(in super::super) fn new(line: PeerHttpTransport, base: &str, tenant: Option<String>) -> Self {
        Self { routes: Routes::new(line, base), tenant }
    }

    /// The path below the tenant; removes the tenant from the request, because it is in the path.
    fn path(&self, own: &mut Option<Cow<'static, str>>, path: &str) -> String {
        match own.take().or_else(|| self.tenant.clone().map(Cow::Owned)).filter(|tenant| !tenant.is_empty()) {
            Some(tenant) => format!("/{}{path}", path_segment(&tenant)),
            None => path.to_owned(),
        }
    }
}

impl Binding for RestV1 {
    fn send<'a>(
        &'a self,
        mut request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<SendMessageResponse<'static>, CallError>> {
        let path = self.path(&mut request.tenant, "/message:send");
        Box::pin(async move { self.routes.call(self.routes.post(&path, &request)?, with).await })
    }

    fn stream<'a>(
        &'a self,
        mut request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let path = self.path(&mut request.tenant, "/message:stream");
        Box::pin(async move { self.routes.hear(self.routes.post(&path, &request)?, with, item).await })
    }

    fn subscribe<'a>(
        &'a self,
        mut request: SubscribeToTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let path = self.path(&mut request.tenant, &format!("/tasks/{}:subscribe", path_segment(&request.id)));
        Box::pin(async move { self.routes.subscribe_to_task(self.routes.get(&path), with, item).await })
    }

    fn get<'a>(
        &'a self,
        mut request: GetTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        let path = self.path(&mut request.tenant, &format!("/tasks/{}", path_segment(&request.id)));
        let path = path + &query(&request, &["id"]);
        Box::pin(async move { self.routes.call(self.routes.get(&path), with).await })
    }

    fn list<'a>(
        &'a self,
        mut request: ListTasksRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<ListTasksResponse<'static>, CallError>> {
        let path = self.path(&mut request.tenant, "/tasks") + &query(&request, &[]);
        Box::pin(async move { self.routes.call(self.routes.get(&path), with).await })
    }

    fn cancel<'a>(
        &'a self,
        mut request: CancelTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        let path = self.path(&mut request.tenant, &format!("/tasks/{}:cancel", path_segment(&request.id)));
        Box::pin(async move { self.routes.call(self.routes.post(&path, &request)?, with).await })
    }

    fn create_push<'a>(
        &'a self,
        mut request: TaskPushNotificationConfig<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<TaskPushNotificationConfig<'static>, CallError>> {
        let path = format!("/tasks/{}/pushNotificationConfigs", path_segment(&request.task_id));
        let path = self.path(&mut request.tenant, &path);
        Box::pin(async move { self.routes.call(self.routes.post(&path, &request)?, with).await })
    }

    fn extended_card<'a>(
        &'a self,
        mut request: GetExtendedAgentCardRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<AgentCard, CallError>> {
        let path = self.path(&mut request.tenant, "/extendedAgentCard");
        Box::pin(async move { self.routes.call(self.routes.get(&path), with).await })
    }
}

/// The members of a request as a query string, without those in the path.
fn query(request: &impl Serialize, in_path: &[&str]) -> String {
    let Ok(Value::Object(members)) = serde_json::to_value(request) else { return String::new() };
    let mut members: Vec<_> = members.into_iter().filter(|(name, _)| !in_path.contains(&name.as_str())).collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in &members {
        query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    match query.finish() {
        empty if empty.is_empty() => empty,
        query => format!("?{query}"),
    }
}

fn item(item: StreamResponse<'static>) -> Result<StreamResponse<'static>, CallError> {
    Ok(item)
}
