//! Push notification configurations: create, get, list, delete.

use crate::{call::A2aCall, span_attributes::A2aSpan as _};
use baton_engine::TaskRef;
use baton_types::{PushConfig, PushConfigId, TaskId};
use baton_wire::a2a::v1::{
    Error, ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig,
    TaskPushNotificationConfigRequest,
};
use std::borrow::Cow;

/// `CreateTaskPushNotificationConfig`.
pub(in super::super) async fn create_push(
    call: &A2aCall<'_>,
    request: TaskPushNotificationConfig<'static>,
) -> Result<(TaskId, PushConfig), Error> {
    call.check_may_call()?;
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    let (task, config) = request.check_create(call.dialect)?;
    let task = TaskRef { task, agent: Some(call.agent.clone()) };
    call.span.set_task_id(task.task.as_str());
    let created = call.shared.engine.create_push(call.principal(), &task, config).await;
    Ok((task.task, created.map_err(|error| call.refuse(error))?))
}

/// `GetTaskPushNotificationConfig`.
pub(in super::super) async fn get_push(
    call: &A2aCall<'_>,
    request: TaskPushNotificationConfigRequest<'static>,
) -> Result<(TaskId, PushConfig), Error> {
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let task = call.task(request.task_id);
    call.span.set_task_id(task.task.as_str());
    let found = call.shared.engine.push(call.principal(), &task, &request.id.as_ref().into()).await;
    Ok((task.task, found.map_err(|error| call.refuse(error))?))
}

/// A page of a task's push configurations.
pub(in super::super) struct PushConfigPage {
    task: TaskId,
    configs: Vec<PushConfig>,
    next: Option<PushConfigId>,
}

impl PushConfigPage {
    /// First configuration of the page.
    pub(in super::super) fn into_first(self) -> Option<(TaskId, PushConfig)> {
        self.configs.into_iter().next().map(|config| (self.task, config))
    }

    /// The page as a response.
    pub(in super::super) fn response(&self) -> ListTaskPushNotificationConfigsResponse<'_> {
        ListTaskPushNotificationConfigsResponse {
            configs: self
                .configs
                .iter()
                .map(|config| TaskPushNotificationConfig::from_config(&self.task, config))
                .collect(),
            next_page_token: self.next.as_ref().map_or(Cow::Borrowed(""), |id| Cow::Borrowed(id.as_str())),
        }
    }
}

/// `ListTaskPushNotificationConfigs`; the page token is the id of the last configuration of the page.
pub(in super::super) async fn list_push(
    call: &A2aCall<'_>,
    request: ListTaskPushNotificationConfigsRequest<'static>,
) -> Result<PushConfigPage, Error> {
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let task = call.task(request.task_id);
    call.span.set_task_id(task.task.as_str());
    let found = call.shared.engine.pushes(call.principal(), &task).await;
    let mut configs = found.map_err(|error| call.refuse(error))?;
    configs.sort_by(|one, other| one.id.cmp(&other.id));
    if let Some(token) = request.page_token.as_deref() {
        configs.retain(|config| config.id.as_str() > token);
    }
    let limit = request.page_size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
    let cut = limit.is_some_and(|limit| configs.len() > limit);
    configs.truncate(limit.unwrap_or(configs.len()));
    let next = if cut { configs.last().map(|config| config.id.clone()) } else { None };
    Ok(PushConfigPage { task: task.task, configs, next })
}

/// `DeleteTaskPushNotificationConfig`; idempotent.
pub(in super::super) async fn delete_push(
    call: &A2aCall<'_>,
    request: TaskPushNotificationConfigRequest<'static>,
) -> Result<(), Error> {
    call.check_may_call()?;
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let task = call.task(request.task_id);
    call.span.set_task_id(task.task.as_str());
    let deleted = call.shared.engine.delete_push(call.principal(), &task, &request.id.as_ref().into()).await;
    deleted.map_err(|error| call.refuse(error))
}
