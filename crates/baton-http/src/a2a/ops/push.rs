//! Push configurations: create, get, list, delete.

use crate::{a2a::call::Call, reply};
use baton_engine::TaskRef;
use baton_types::{PushConfig, TaskId};
use baton_wire::a2a::v1::{
    Error, ListTaskPushNotificationConfigsRequest, TaskPushNotificationConfig, TaskPushNotificationConfigRequest,
};

/// `CreateTaskPushNotificationConfig`.
pub(in super::super) async fn create_push(
    call: &Call<'_>,
    request: TaskPushNotificationConfig<'static>,
) -> Result<(TaskId, PushConfig), Error> {
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    let (task, config) = request.check_create(call.dialect)?;
    let task = TaskRef { task, agent: Some(call.agent.clone()) };
    let created = call.shared.engine.create_push(call.principal(), &task, config).await;
    Ok((task.task, created.map_err(reply::from_engine)?))
}

/// `GetTaskPushNotificationConfig`.
pub(in super::super) async fn get_push(
    call: &Call<'_>,
    request: TaskPushNotificationConfigRequest<'static>,
) -> Result<(TaskId, PushConfig), Error> {
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let task = call.task(request.task_id);
    let found = call.shared.engine.push(call.principal(), &task, &request.id.as_ref().into()).await;
    Ok((task.task, found.map_err(reply::from_engine)?))
}

/// `ListTaskPushNotificationConfigs`.
pub(in super::super) async fn list_push(
    call: &Call<'_>,
    request: ListTaskPushNotificationConfigsRequest<'static>,
) -> Result<(TaskId, Vec<PushConfig>), Error> {
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let task = call.task(request.task_id);
    let found = call.shared.engine.pushes(call.principal(), &task).await;
    Ok((task.task, found.map_err(reply::from_engine)?))
}

/// `DeleteTaskPushNotificationConfig`; deleting twice is deleting once.
pub(in super::super) async fn delete_push(
    call: &Call<'_>,
    request: TaskPushNotificationConfigRequest<'static>,
) -> Result<(), Error> {
    call.check_push()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let task = call.task(request.task_id);
    let deleted = call.shared.engine.delete_push(call.principal(), &task, &request.id.as_ref().into()).await;
    deleted.map_err(reply::from_engine)
}
